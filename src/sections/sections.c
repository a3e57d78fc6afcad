/* sections.c - see sections.h: repositories in memory, and writing them. */
#include "sections/spot_text.h"

#include "base/alloc.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *const fw_section_origins[FW_ORIGIN_COUNT + 1] = {
    [FW_ORIGIN_GIVEN] = "given",
    [FW_ORIGIN_ANNOTATION] = "annotation",
    [FW_ORIGIN_LOAD_AND_STORE] = "load-and-store",
    [FW_ORIGIN_TEST_AND_USE] = "test-and-use",
    [FW_ORIGIN_INVARIANT] = "invariant",
};

/* --- spots ----------------------------------------------------------------------------------- */

void fw_spot_copy(struct fw_spot *to, const struct fw_spot *from)
{
    *to = *from;
    to->file = fw_xstrdup(from->file);
    to->text = from->text ? fw_xstrdup(from->text) : NULL;
}

void fw_spot_release(struct fw_spot *spot)
{
    free(spot->file);
    free(spot->text);
    *spot = (struct fw_spot) { 0 };
}

bool fw_spot_is(const struct fw_spot *a, const struct fw_spot *b)
{
    return a->write == b->write && a->line == b->line && a->ordinal == b->ordinal &&
           strcmp(a->file, b->file) == 0;
}

bool fw_spot_is_at(const struct fw_spot *spot, const char *where)
{
    const char *colon = strrchr(where, ':');
    size_t a = colon ? (size_t)(colon - where) : 0, b = strlen(spot->file);
    size_t common = a < b ? a : b;

    return colon && (uint32_t)strtoul(colon + 1, NULL, 10) == spot->line &&
           memcmp(where + a - common, spot->file + b - common, common) == 0 &&
           (a == b || (a > b ? where[a - b - 1] : spot->file[b - a - 1]) == '/');
}

char *fw_spot_where(const struct fw_spot *spot)
{
    if (spot->ordinal > 1)
        return fw_xasprintf("%s:%" PRIu32 "#%" PRIu32, spot->file, spot->line, spot->ordinal);
    return fw_xasprintf("%s:%" PRIu32, spot->file, spot->line);
}

const char *fw_allow_text(unsigned allow)
{
    static const char *const texts[] = { "-", "r", "w", "rw" };

    return texts[allow & FW_ALLOW_ALL];
}

/* --- sections -------------------------------------------------------------------------------- */

void fw_sections_init(struct fw_sections *sections)
{
    memset(sections, 0, sizeof *sections);
}

static void release(struct fw_atomic_section *section)
{
    free(section->name);
    free(section->function);
    free(section->variable);
    fw_spot_release(&section->entry);
    for (size_t i = 0; i < section->ends.len; i++)
        fw_spot_release(&section->ends.at[i].at);
    for (size_t i = 0; i < section->exits.len; i++)
        fw_spot_release(&section->exits.at[i]);
    fw_vec_release(&section->ends);
    fw_vec_release(&section->exits);
}

void fw_sections_release(struct fw_sections *sections)
{
    for (size_t i = 0; i < sections->at.len; i++)
        release(&sections->at.at[i]);
    fw_vec_release(&sections->at);
}

struct fw_atomic_section *fw_sections_add(struct fw_sections *sections,
                                          enum fw_section_origin origin, const char *function)
{
    fw_vec_push(&sections->at, ((struct fw_atomic_section) { .origin = origin,
                                                             .function = fw_xstrdup(function) }));
    return &fw_vec_last(&sections->at);
}

struct fw_atomic_section *fw_sections_find(const struct fw_sections *sections, const char *name)
{
    for (size_t i = 0; i < sections->at.len; i++)
        if (sections->at.at[i].name && strcmp(sections->at.at[i].name, name) == 0)
            return &sections->at.at[i];
    return NULL;
}

/* One word that is no comment: of a template's blanks nothing is left. */
static char *base_name(const struct fw_atomic_section *section)
{
    char *name = section->entry.has_offset
                     ? fw_xasprintf("%s%+" PRId32, section->function, section->entry.offset)
                     : fw_xasprintf("%s:%" PRIu32, section->function, section->entry.line);
    char *to = name;

    for (const char *at = name; *at; at++)
        if ((unsigned char)*at > ' ' && *at != '"' && *at != '#' && *at != 0x7f)
            *to++ = *at;
    *to = '\0';
    return name;
}

void fw_sections_name(struct fw_sections *sections, struct fw_atomic_section *section)
{
    char *base = base_name(section), *name = fw_xstrdup(base);

    for (unsigned n = 2; fw_sections_find(sections, name); n++) {
        free(name);
        name = fw_xasprintf("%s.%u", base, n);
    }
    free(base);
    free(section->name);
    section->name = name;
}

void fw_section_add_end(struct fw_atomic_section *section, const struct fw_spot *at, unsigned allow)
{
    struct fw_section_end end = { .allow = allow };

    fw_spot_copy(&end.at, at);
    fw_vec_push(&section->ends, end);
}

void fw_section_remove_end(struct fw_atomic_section *section, size_t end)
{
    fw_spot_release(&section->ends.at[end].at);
    section->ends.len--;
    memmove(&section->ends.at[end], &section->ends.at[end + 1],
            (section->ends.len - end) * sizeof *section->ends.at);
}

void fw_sections_remove(struct fw_sections *sections, size_t section)
{
    release(&sections->at.at[section]);
    sections->at.len--;
    memmove(&sections->at.at[section], &sections->at.at[section + 1],
            (sections->at.len - section) * sizeof *sections->at.at);
}

/* --- writing --------------------------------------------------------------------------------- */

static void print_section(const struct fw_atomic_section *section, struct fw_output *out)
{
    fw_output_printf(out, "section %s %s ", section->name, fw_section_origins[section->origin]);
    fw_output_as_word(out, section->function);
    fw_output_text(out, "\n");
    if (section->variable) {
        fw_output_text(out, "  of ");
        fw_output_as_word(out, section->variable);
        fw_output_text(out, "\n");
    }
    fw_output_printf(out, "  entry %c ", section->entry.write ? 'w' : 'r');
    fw_spot_print_where(&section->entry, out);
    fw_spot_print_hints(&section->entry, out);
    for (size_t i = 0; i < section->ends.len; i++) {
        const struct fw_section_end *end = &section->ends.at[i];

        fw_output_printf(out, "  end %c ", end->at.write ? 'w' : 'r');
        fw_spot_print_where(&end->at, out);
        fw_output_printf(out, " allow=%s", fw_allow_text(end->allow));
        fw_spot_print_hints(&end->at, out);
    }
    for (size_t i = 0; i < section->exits.len; i++) {
        fw_output_text(out, "  exit ");
        fw_spot_print_where(&section->exits.at[i], out);
        fw_spot_print_hints(&section->exits.at[i], out);
    }
    if (section->circular)
        fw_output_text(out, "  flag circular\n");
    if (section->recursive)
        fw_output_text(out, "  flag recursive\n");
}

void fw_sections_print(const struct fw_sections *sections, struct fw_output *out)
{
    fw_output_text(out, "foreweave sections 1\n");
    for (size_t i = 0; i < sections->at.len; i++)
        print_section(&sections->at.at[i], out);
}

int fw_sections_write(const struct fw_sections *sections, const char *path, struct fw_error *err)
{
    struct fw_output out;

    if (fw_output_open(&out, path, err) < 0)
        return -1;
    fw_sections_print(sections, &out);
    return fw_output_close(&out, err);
}
