/*
 * sections_read.c - see sections.h: reading repositories.
 *
 * Lines in front of the first `section` are the version alone; every other line belongs to the
 * section above it.  A section is judged when the next one begins, and at the end.
 */
#include "sections/spot_text.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

struct reader {
    struct fw_sections *sections;
    bool has_version, has_entry;
    struct fw_line line;
};

static struct fw_atomic_section *current(struct reader *reader)
{
    return &fw_vec_last(&reader->sections->at);
}

/* --- spots ----------------------------------------------------------------------------------- */

static int read_kind(struct reader *reader, struct fw_spot *spot)
{
    spot->write = fw_line_take(&reader->line, "w");
    if (!spot->write && !fw_line_take(&reader->line, "r"))
        return fw_line_complain(&reader->line, "what the access does is missing: r or w");
    return 0;
}

static int read_allow(struct reader *reader, unsigned *allow)
{
    const struct fw_line_word *word = fw_line_peek(&reader->line);

    if (!word || word->quoted || strncmp(word->text, "allow=", 6) != 0)
        return fw_line_complain(&reader->line,
                                "what others may do is missing: allow=- r, w or rw, as allow=r");
    for (*allow = 0; *allow <= FW_ALLOW_ALL; ++*allow)
        if (strcmp(word->text + 6, fw_allow_text(*allow)) == 0)
            break;
    if (*allow > FW_ALLOW_ALL)
        return fw_line_complain_of(&reader->line, "allow= may be -, r, w or rw, not",
                                   word->text + 6);
    reader->line.next++;
    return 0;
}

/* --- lines of a section ---------------------------------------------------------------------- */

static int read_entry(struct reader *reader)
{
    struct fw_spot *entry = &current(reader)->entry;

    if (reader->has_entry)
        return fw_line_complain(&reader->line, "a section has one entry: this is the second");
    reader->has_entry = true;
    return read_kind(reader, entry) < 0 || fw_spot_read_where(&reader->line, entry, true) < 0
               ? -1
               : fw_spot_read_hints(&reader->line, entry);
}

static int read_end(struct reader *reader)
{
    struct fw_atomic_section *section = current(reader);
    struct fw_section_end *end;

    if (section->ends.len == FW_SECTION_ENDS_MOST)
        return fw_line_complain(&reader->line, "too many ends");
    fw_vec_push(&section->ends, ((struct fw_section_end) { 0 }));
    end = &fw_vec_last(&section->ends);
    if (read_kind(reader, &end->at) < 0 || fw_spot_read_where(&reader->line, &end->at, true) < 0 ||
        read_allow(reader, &end->allow) < 0 || fw_spot_read_hints(&reader->line, &end->at) < 0)
        return -1;
    for (size_t i = 0; i + 1 < section->ends.len; i++)
        if (fw_spot_is(&section->ends.at[i].at, &end->at))
            return fw_line_complain(&reader->line, "the section has this end already");
    return 0;
}

static int read_exit(struct reader *reader)
{
    struct fw_atomic_section *section = current(reader);

    if (section->exits.len == FW_SECTION_ENDS_MOST)
        return fw_line_complain(&reader->line, "too many exits");
    fw_vec_push(&section->exits, ((struct fw_spot) { 0 }));
    return fw_spot_read_where(&reader->line, &fw_vec_last(&section->exits), false) < 0
               ? -1
               : fw_spot_read_hints(&reader->line, &fw_vec_last(&section->exits));
}

static int read_variable(struct reader *reader)
{
    const char *variable = fw_line_any(&reader->line, "'of' needs the name of a variable");

    if (!variable)
        return -1;
    free(current(reader)->variable);
    current(reader)->variable = fw_xstrdup(variable);
    return fw_line_end(&reader->line);
}

static int read_flag(struct reader *reader)
{
    if (fw_line_take(&reader->line, "circular"))
        current(reader)->circular = true;
    else if (fw_line_take(&reader->line, "recursive"))
        current(reader)->recursive = true;
    else
        return fw_line_complain(&reader->line, "a flag may be 'circular' or 'recursive'");
    return fw_line_end(&reader->line);
}

/* --- sections -------------------------------------------------------------------------------- */

/* What was read of the last section: is it whole? */
static int finish(struct reader *reader)
{
    const struct fw_atomic_section *section;

    if (!reader->sections->at.len)
        return 0;
    section = current(reader);
    if (!reader->has_entry || !section->ends.len)
        return fw_error_set(reader->line.err, "%s:%u: section '%.200s' has no %s",
                            reader->line.name, section->file_line, section->name,
                            reader->has_entry ? "end" : "entry");
    return 0;
}

static int read_name(struct reader *reader, char **name)
{
    const struct fw_line_word *word = fw_line_peek(&reader->line);
    const struct fw_atomic_section *other;

    if (!word || word->quoted)
        return fw_line_complain(&reader->line, "'section' needs a name, one word without quotes");
    if (strpbrk(word->text, "\"\\") || word->text[0] == '#')
        return fw_line_complain_of(&reader->line, "a name has no quotes in it:", word->text);
    for (const char *at = word->text; *at; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7f)
            return fw_line_complain(&reader->line, "a name has no control characters in it");
    other = fw_sections_find(reader->sections, word->text);
    if (other)
        return fw_error_set(reader->line.err,
                            "%s:%u: the name '%.200s' is taken by the section in line %u",
                            reader->line.name, reader->line.number, word->text, other->file_line);
    *name = fw_xstrdup(word->text);
    reader->line.next++;
    return 0;
}

static int read_origin(struct reader *reader, enum fw_section_origin *origin)
{
    const struct fw_line_word *word = fw_line_peek(&reader->line);

    for (*origin = 0; *origin < FW_ORIGIN_COUNT; ++*origin)
        if (fw_line_take(&reader->line, fw_section_origins[*origin]))
            return 0;
    return fw_line_complain_of(&reader->line,
                               "where a section comes from may be given, annotation, "
                               "load-and-store, test-and-use or invariant, not",
                               word ? word->text : "");
}

static int read_section(struct reader *reader)
{
    enum fw_section_origin origin;
    struct fw_atomic_section *section;
    const char *function;
    char *name = NULL;

    if (finish(reader) < 0)
        return -1;
    if (reader->sections->at.len == FW_SECTIONS_MOST)
        return fw_line_complain(&reader->line, "too many sections");
    if (read_name(reader, &name) < 0)
        return -1;
    function = read_origin(reader, &origin) < 0
                   ? NULL
                   : fw_line_any(&reader->line, "the section's function is missing");
    if (!function) {
        free(name);
        return -1;
    }
    section = fw_sections_add(reader->sections, origin, function);
    section->name = name;
    section->file_line = reader->line.number;
    reader->has_entry = false;
    return fw_line_end(&reader->line);
}

/* --- the file -------------------------------------------------------------------------------- */

static int read_words(void *context)
{
    static const struct {
        const char *word;
        int (*read)(struct reader *reader);
    } lines[] = {
        { "of", read_variable }, { "entry", read_entry }, { "end", read_end },
        { "exit", read_exit },   { "flag", read_flag },
    };
    struct reader *reader = context;
    const struct fw_line_word *first = fw_line_peek(&reader->line);

    if (!first)
        return 0;
    if (!reader->has_version) {
        reader->has_version = true;
        return fw_line_version(&reader->line, "sections", 1) < 0 ? -1 : 0;
    }
    if (fw_line_take(&reader->line, "section"))
        return read_section(reader);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        if (!fw_line_take(&reader->line, lines[i].word))
            continue;
        return reader->sections->at.len
                   ? lines[i].read(reader)
                   : fw_line_complain_of(&reader->line, "no section has begun for this",
                                         lines[i].word);
    }
    return fw_line_complain_of(&reader->line, "not known in a file of sections:", first->text);
}

int fw_sections_read_memory(struct fw_sections *sections, const char *text, size_t bytes,
                            const char *name, struct fw_error *err)
{
    struct reader *reader = fw_xcalloc(1, sizeof *reader);
    int status;

    fw_sections_init(sections);
    reader->sections = sections;
    reader->line.name = name;
    reader->line.err = err;
    status = fw_line_each(&reader->line, text, bytes, read_words, reader);
    if (!status && !reader->has_version)
        status = fw_error_set(err, "%s: not a file of sections: it is empty", name);
    if (!status)
        status = finish(reader);
    fw_line_release(&reader->line);
    free(reader);
    if (status < 0)
        fw_sections_release(sections);
    return status;
}

int fw_sections_read(struct fw_sections *sections, const char *path, struct fw_error *err)
{
    char *text, *name;
    size_t bytes;
    int status;

    if (fw_text_read(path, "file of sections", &text, &bytes, &name, err) < 0)
        return -1;
    status = fw_sections_read_memory(sections, text, bytes, name, err);
    free(text);
    free(name);
    return status;
}
