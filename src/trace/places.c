/* places.c - see places.h. */
#include "trace/places.h"

#include "base/alloc.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "symbol/source_text.h"
#include "trace/symbols.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE        UINT32_MAX
#define MOST_FRAMES 64u /* inlined into each other */

/* Where a name comes from. */
struct origin {
    uint64_t offset;
    uint32_t module; /* in `modules`, or NONE: the name was not changed */
    uint32_t next;   /* of a site: another place of the same line, in `more`; NONE: no more */
};

FW_VEC_TYPE(origins, struct origin);

struct module {
    uint32_t number; /* of the symbolizer */
    const char *path, *base;
};

/* Texts, and a number of each. */
struct numbered {
    struct fw_strtab texts;
    FW_VEC(uint32_t) numbers;
};

struct fw_places {
    struct fw_symbolizer *symbolizer;
    struct fw_strtab paths; /* of modules: ids count in `modules` */
    FW_VEC(struct module) modules;
    struct origins names[FW_SPACE_COUNT]; /* by id */
    struct origins more;
    struct numbered functions; /* a line in a function: how many ways of inlining lead to it */
    struct numbered chains;    /* such a way: which one it is, from 0 */
    struct numbered sites;     /* a line and such a number: its id */
};

struct fw_places *fw_places_create(void)
{
    struct fw_places *places = fw_xcalloc(1, sizeof *places);

    places->symbolizer = fw_symbolizer_create();
    fw_strtab_init(&places->paths);
    fw_strtab_init(&places->functions.texts);
    fw_strtab_init(&places->chains.texts);
    fw_strtab_init(&places->sites.texts);
    return places;
}

static void release_numbered(struct numbered *numbered)
{
    fw_strtab_release(&numbered->texts);
    fw_vec_release(&numbered->numbers);
}

static void release_sites(struct fw_places *places)
{
    release_numbered(&places->functions);
    release_numbered(&places->chains);
    release_numbered(&places->sites);
}

void fw_places_destroy(struct fw_places *places)
{
    if (!places)
        return;
    release_sites(places);
    for (size_t i = 0; i < FW_SPACE_COUNT; i++)
        fw_vec_release(&places->names[i]);
    fw_vec_release(&places->more);
    fw_vec_release(&places->modules);
    fw_strtab_release(&places->paths);
    fw_symbolizer_destroy(places->symbolizer);
    free(places);
}

void fw_places_clear(struct fw_places *places)
{
    for (size_t i = 0; i < FW_SPACE_COUNT; i++)
        fw_vec_clear(&places->names[i]);
    fw_vec_clear(&places->more);
    release_sites(places);
    fw_strtab_init(&places->functions.texts);
    fw_strtab_init(&places->chains.texts);
    fw_strtab_init(&places->sites.texts);
}

void fw_places_add_module(struct fw_places *places, const char *path, const unsigned char *build_id,
                          uint32_t build_id_size)
{
    uint32_t id = fw_strtab_intern(&places->paths, path, strlen(path));
    const char *slash;

    if (id < places->modules.len)
        return;
    path = fw_strtab_text(&places->paths, id);
    slash = strrchr(path, '/');
    fw_vec_push(&places->modules, ((struct module) { fw_symbolizer_module(places->symbolizer, path,
                                                                          build_id, build_id_size),
                                                     path, slash && slash[1] ? slash + 1 : path }));
}

/* --- names ------------------------------------------------------------------------------- */

/* What a recorded name is made of. */
struct recorded {
    struct origin origin;
    const char *again; /* "#2": what is there was made again; or "" */
};

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Digits of base 16 at *text; false: none, or too many. */
static bool parse_offset(const char **text, const char *end, uint64_t *offset)
{
    const char *at = *text;

    *offset = 0;
    for (; at < end && hex_digit(*at) >= 0; at++)
        *offset = *offset << 4 | (uint64_t)hex_digit(*at);
    if (at == *text || at - *text > 16)
        return false;
    *text = at;
    return true;
}

/* PATH+0xOFFSET, where PATH is a module; perhaps #NUMBER. */
static bool parse(const struct fw_places *places, const char *name, size_t len,
                  struct recorded *recorded)
{
    const char *end = name + len, *plus = memrchr(name, '+', len), *at;
    uint32_t module;

    if (!plus || end - plus < 4 || plus[1] != '0' || plus[2] != 'x')
        return false;
    at = plus + 3;
    if (!parse_offset(&at, end, &recorded->origin.offset) || (at < end && *at != '#'))
        return false;
    module = fw_strtab_find(&places->paths, name, (size_t)(plus - name));
    if (module == FW_STRTAB_NONE)
        return false;
    recorded->origin.module = module;
    recorded->origin.next = NONE;
    recorded->again = at;
    return true;
}

/* The line: of what is inlined from the system's headers, where the program's own code calls it. */
static bool own_line(struct fw_places *places, const struct module *module, uint64_t offset,
                     struct fw_source *source)
{
    struct fw_source_frame frames[MOST_FRAMES];
    const struct fw_source_frame *own;
    size_t count;

    if (!fw_symbolizer_line(places->symbolizer, module->number, offset, source))
        return false;
    if (!fw_source_is_foreign(source->file))
        return true;
    count = fw_symbolizer_frames(places->symbolizer, module->number, offset, frames, MOST_FRAMES);
    own = fw_source_own_frame(frames, count);
    if (own && own->at.file && !fw_source_is_foreign(own->at.file))
        *source = own->at;
    return true;
}

/* The caller frees it. */
static char *site_text(struct fw_places *places, const struct module *module, uint64_t offset)
{
    struct fw_source source;
    struct fw_source_function function;

    if (own_line(places, module, offset, &source))
        return fw_xasprintf("%s:%u", source.file, source.line);
    if (fw_symbolizer_function(places->symbolizer, module->number, offset, &function))
        return fw_xasprintf("%s+0x%" PRIx64, function.name, offset - function.start);
    return fw_xasprintf("%s+0x%" PRIx64, module->base, offset);
}

static char *resolved(struct fw_places *places, enum fw_space space,
                      const struct recorded *recorded)
{
    const struct module *module = &places->modules.at[recorded->origin.module];
    uint64_t offset = recorded->origin.offset;
    struct fw_source_function function;
    char variable[FW_SYMBOL_NAME];

    if (space == FW_SPACE_SITE)
        return site_text(places, module, offset);
    if (space == FW_SPACE_FUNCTION &&
        fw_symbolizer_function(places->symbolizer, module->number, offset, &function))
        return fw_xstrdup(function.name);
    if (space != FW_SPACE_FUNCTION &&
        fw_symbolizer_variable_name(places->symbolizer, module->number, offset, variable))
        return fw_xasprintf("%s%s", variable, recorded->again);
    return fw_xasprintf("%s+0x%" PRIx64 "%s", module->base, offset, recorded->again);
}

/* Under a name that nobody else has. */
static uint32_t add_unique(struct fw_strtab *table, const char *text, size_t len)
{
    uint32_t fresh = table->count, id = fw_strtab_intern(table, text, len);

    for (uint32_t n = 2; id != fresh; n++) {
        char *numbered = fw_xasprintf("%.*s#%" PRIu32, (int)len, text, n);

        id = fw_strtab_intern(table, numbered, strlen(numbered));
        free(numbered);
    }
    return id;
}

static void remember(struct fw_places *places, enum fw_space space, uint32_t id,
                     struct origin origin)
{
    struct origins *names = &places->names[space];

    while (names->len <= id)
        fw_vec_push(names, ((struct origin) { .module = NONE, .next = NONE }));
    if (space == FW_SPACE_SITE && names->at[id].module != NONE) {
        origin.next = names->at[id].next;
        fw_vec_push(&places->more, origin);
        names->at[id].next = (uint32_t)places->more.len - 1;
    } else {
        names->at[id] = origin;
    }
}

/* The number of the text; `fresh` if it is new. */
static uint32_t *number_of(struct numbered *numbered, char *text, uint32_t fresh)
{
    uint32_t id = fw_strtab_intern(&numbered->texts, text, strlen(text));

    if (id == numbered->numbers.len)
        fw_vec_push(&numbered->numbers, fresh);
    free(text);
    return &numbered->numbers.at[id];
}

/* Which of the ways it is, by which the line is inlined into the function that has its code: a
 * stack is told by site and function, and must be that of the call that was made. */
static uint32_t number_chain(struct fw_places *places, const struct origin *origin,
                             const char *line)
{
    uint32_t module = places->modules.at[origin->module].number, number, *ways;
    struct fw_source_frame frames[MOST_FRAMES];
    struct fw_source_function function = { 0 };
    size_t count = fw_symbolizer_frames(places->symbolizer, module, origin->offset, frames,
                                        MOST_FRAMES);
    const struct fw_source_frame *own = fw_source_own_frame(frames, count);
    char *within, *chain;

    fw_symbolizer_function(places->symbolizer, module, origin->offset, &function);
    within = fw_xasprintf("%" PRIu32 "+0x%" PRIx64 " %s", module, function.start, line);
    chain = fw_xstrdup(within);
    for (const struct fw_source_frame *at = own ? own + 1 : frames; at < frames + count; at++) {
        const char *file = at->at.file ? at->at.file : "";
        char *longer = fw_xasprintf("%s\n%s:%u", chain, file, at->at.line);

        free(chain);
        chain = longer;
    }
    ways = number_of(&places->functions, within, 0);
    number = *number_of(&places->chains, chain, *ways);
    if (number == *ways)
        *ways += 1;
    return number;
}

static uint32_t add_site(struct fw_places *places, struct fw_strtab *table,
                         const struct origin *origin, const char *line)
{
    char *key = fw_xasprintf("%" PRIu32 " %s", number_chain(places, origin, line), line);
    uint32_t *id = number_of(&places->sites, key, NONE);

    if (*id == NONE)
        *id = fw_strtab_append(table, line, strlen(line));
    return *id;
}

uint32_t fw_places_add_name(struct fw_places *places, struct fw_symbols *symbols,
                            enum fw_space space, const char *name, size_t len)
{
    struct fw_strtab *table = &symbols->table[space];
    struct recorded recorded;
    uint32_t id;
    char *text;

    if (space == FW_SPACE_THREAD || space == FW_SPACE_BLOCK)
        return fw_strtab_append(table, name, len);
    if (!parse(places, name, len, &recorded)) {
        if (space == FW_SPACE_SITE)
            return fw_strtab_intern(table, name, len);
        return space == FW_SPACE_FUNCTION ? fw_strtab_append(table, name, len)
                                          : add_unique(table, name, len);
    }
    text = resolved(places, space, &recorded);
    if (space == FW_SPACE_SITE)
        id = add_site(places, table, &recorded.origin, text);
    else if (space == FW_SPACE_FUNCTION)
        id = fw_strtab_append(table, text, strlen(text));
    else
        id = add_unique(table, text, strlen(text));
    free(text);
    remember(places, space, id, recorded.origin);
    return id;
}

/* --- questions --------------------------------------------------------------------------- */

static const struct origin *origin_of(const struct fw_places *places, enum fw_space space,
                                      uint32_t id)
{
    const struct origins *names;

    if (!places)
        return NULL;
    names = &places->names[space];
    return id < names->len && names->at[id].module != NONE ? &names->at[id] : NULL;
}

static const struct module *module_of(const struct fw_places *places, const struct origin *origin)
{
    return &places->modules.at[origin->module];
}

/* Are the two in the same function of the same module? */
static bool in_function(struct fw_places *places, const struct origin *a, const struct origin *b)
{
    struct fw_source_function x, y;

    return a->module == b->module &&
           fw_symbolizer_function(places->symbolizer, module_of(places, a)->number, a->offset,
                                  &x) &&
           fw_symbolizer_function(places->symbolizer, module_of(places, b)->number, b->offset,
                                  &y) &&
           x.start == y.start;
}

size_t fw_places_frames(struct fw_places *places, uint32_t site, uint32_t function,
                        struct fw_source_frame *frames, size_t most, bool *same)
{
    const struct origin *first = origin_of(places, FW_SPACE_SITE, site), *at = first;
    const struct origin *wanted =
        function == FW_NO_FUNCTION ? NULL : origin_of(places, FW_SPACE_FUNCTION, function);

    *same = false;
    if (!first)
        return 0;
    while (wanted && at && !(*same = in_function(places, at, wanted)))
        at = at->next == NONE ? NULL : &places->more.at[at->next];
    at = *same ? at : first;
    return fw_symbolizer_frames(places->symbolizer, module_of(places, at)->number, at->offset,
                                frames, most);
}

bool fw_places_variable(struct fw_places *places, uint32_t variable,
                        struct fw_source_variable *found)
{
    const struct origin *origin = origin_of(places, FW_SPACE_VARIABLE, variable);

    return origin && fw_symbolizer_variable(places->symbolizer, module_of(places, origin)->number,
                                            origin->offset, found);
}

char *fw_places_recorded(const struct fw_places *places, enum fw_space space, uint32_t id)
{
    const struct origin *origin = origin_of(places, space, id);

    return origin ? fw_xasprintf("%s+0x%" PRIx64, module_of(places, origin)->path, origin->offset)
                  : NULL;
}

char *fw_places_text(struct fw_places *places, enum fw_space space, const char *name)
{
    struct recorded recorded;

    if (!places || !parse(places, name, strlen(name), &recorded))
        return fw_xstrdup(name);
    return resolved(places, space, &recorded);
}

const char *fw_places_complaint(const struct fw_places *places, size_t i)
{
    const char *complaint = NULL;

    for (uint32_t n = 0; places && n < fw_symbolizer_count(places->symbolizer); n++) {
        complaint = fw_symbolizer_complaint(places->symbolizer, n);
        if (complaint && i-- == 0)
            return complaint;
    }
    return NULL;
}
