/* places.c - see places.h. */
#include "lifetx/places.h"

#include "base/idmap.h"
#include "sections/sites.h"
#include "symbol/hooks.h"
#include "symbol/operand.h"
#include "symbol/source_text.h"
#include "symbol/symbolizer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define FRAMES 64u

/* What can be cut; several kinds of cutpoints are at calls. */
enum sort {
    ACCESS,
    CALL,
    FUNCTION,
    LOOP,
};

/* A place of a module, by sort and address. */
struct point {
    enum sort sort;
    uint64_t address; /* where the call or the entry hook returns to, the header begins */
    uint32_t site;    /* in module.sites; FW_LEARNT_NONE: its line is not known */
    uint64_t function, copy;
    const char *file;
    unsigned line;
    uint32_t ordinal;
};

struct module {
    char *path;
    const char *name;
    FW_VEC(struct point) points; /* by sort and address */
    struct fw_constraints *sites;
};

struct fw_cut_places {
    struct fw_loops *loops;
    FW_VEC(struct module *) modules;
};

/* For the time of looking into a module. */
struct look {
    struct fw_cut_places *places;
    struct module *module;
    struct fw_symbolizer *symbolizer;
    struct fw_source_texts *texts;
    uint32_t number;
};

struct fw_cut_places *fw_cut_places_create(void)
{
    struct fw_cut_places *places = fw_xcalloc(1, sizeof *places);

    places->loops = fw_loops_create();
    return places;
}

void fw_cut_places_destroy(struct fw_cut_places *places)
{
    if (!places)
        return;
    for (size_t i = 0; i < places->modules.len; i++) {
        struct module *module = places->modules.at[i];

        free(module->path);
        fw_vec_release(&module->points);
        fw_constraints_destroy(module->sites);
        free(module);
    }
    fw_vec_release(&places->modules);
    fw_loops_destroy(places->loops);
    free(places);
}

/* --- names ----------------------------------------------------------------------------------- */

bool fw_cut_place_parse(const char *name, size_t *path_len, uint64_t *offset)
{
    const char *plus = strrchr(name, '+');
    char *end;

    if (!plus || plus == name || strncmp(plus, "+0x", 3) != 0 || !plus[3])
        return false;
    *path_len = (size_t)(plus - name);
    *offset = strtoull(plus + 3, &end, 16);
    return *end == '\0';
}

static char *place_name(const char *path, uint64_t offset)
{
    return fw_xasprintf("%s+0x%" PRIx64, path, offset);
}

/* --- points ---------------------------------------------------------------------------------- */

/* A place that is no access; `code` is an address in it. */
static void add_point(struct look *look, enum sort sort, uint64_t address, uint64_t code)
{
    struct fw_source_frame frames[FRAMES];
    struct fw_source_function function = { 0 };
    const struct fw_source_frame *frame = fw_source_own_frame(
        frames, fw_symbolizer_frames(look->symbolizer, look->number, code, frames, FRAMES));
    struct point point = { .sort = sort, .address = address, .site = FW_LEARNT_NONE, .ordinal = 1 };
    struct fw_learnt_site site = { .does = FW_LEARNT_PLACE, .module = (char *)look->module->name };
    const char *text;

    fw_symbolizer_function(look->symbolizer, look->number, code, &function);
    if (frame && frame->function && frame->at.file && frame->at.line) {
        point.function = function.start;
        point.copy = frame->copy;
        point.file = frame->at.file;
        point.line = frame->at.line;
        for (size_t i = look->module->points.len; i--;) {
            const struct point *other = &look->module->points.at[i];

            if (other->sort != sort || other->function != point.function)
                break;
            if (other->copy == point.copy && other->line == point.line && other->file &&
                strcmp(other->file, point.file) == 0) {
                point.ordinal = other->ordinal + 1;
                break;
            }
        }
        text = fw_source_text(look->texts,
                              fw_symbolizer_directory(look->symbolizer, look->number, code),
                              frame->at.file, frame->at.line);
        site.function = (char *)frame->function;
        site.at = (struct fw_spot) {
            .file = (char *)frame->at.file,
            .line = frame->at.line,
            .ordinal = point.ordinal,
            .has_offset = frame->first_line > 0,
            .offset = frame->first_line ? (int32_t)frame->at.line - (int32_t)frame->first_line : 0,
            .text = (char *)text,
        };
        point.site = fw_constraints_site(look->module->sites, &site);
    }
    fw_vec_push(&look->module->points, point);
}

static void add_accesses(struct look *look)
{
    struct fw_error err;
    struct fw_sites *sites = fw_sites_open(look->module->path, &err);

    for (size_t i = 0; sites && i < fw_sites_count(sites); i++) {
        const struct fw_site *hook = fw_sites_get(sites, i);
        struct point point = { .sort = ACCESS, .address = hook->returns, .site = FW_LEARNT_NONE };
        struct fw_learnt_site site = { .does = hook->write ? FW_LEARNT_WRITE : FW_LEARNT_READ,
                                       .module = (char *)look->module->name,
                                       .function = (char *)hook->function };

        if (fw_sites_spot(sites, hook, &site.at)) {
            point.site = fw_constraints_site(look->module->sites, &site);
            fw_spot_release(&site.at);
        }
        fw_vec_push(&look->module->points, point);
    }
    fw_sites_close(sites);
}

static void add_calls(struct look *look)
{
    struct fw_call_returns calls = { 0 };
    struct fw_error err;

    fw_hooks_other_calls(look->module->path, &calls, &err);
    for (size_t i = 0; i < calls.len; i++)
        add_point(look, CALL, calls.at[i], calls.at[i] - 1);
    fw_vec_release(&calls);
}

/* Traces name a function by where its entry hook returns to. */
static void add_functions(struct look *look, const struct fw_hook_calls *hooks)
{
    struct fw_operands *operands = fw_operands_create();

    for (size_t i = 0; i < hooks->len; i++) {
        const struct fw_hook_call *hook = &hooks->at[i];
        struct fw_source_function function = { 0 };
        const char *callee =
            hook->access ? NULL : fw_operands_callee(operands, look->module->path, hook->returns);

        if (callee && strcmp(callee, "__tsan_func_entry") == 0 &&
            fw_symbolizer_function(look->symbolizer, look->number, hook->start, &function))
            add_point(look, FUNCTION, hook->returns, function.start);
    }
    fw_operands_destroy(operands);
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/* Those with a hook or a call in them. */
static void add_loops(struct look *look)
{
    struct fw_loops *loops = look->places->loops;
    FW_VEC(uint64_t) headers = { 0 };
    struct fw_loop_place place;

    for (size_t i = 0; i < look->module->points.len; i++) {
        const struct point *point = &look->module->points.at[i];
        uint32_t loop;

        if (point->sort == FUNCTION ||
            !fw_loops_at(loops, look->module->path, point->address, &place))
            continue;
        for (loop = place.innermost; loop != FW_NO_LOOP; loop = fw_loops_parent(loops, loop))
            fw_vec_push(&headers, fw_loops_header(loops, loop));
    }
    if (headers.len)
        qsort(headers.at, headers.len, sizeof *headers.at, by_number);
    for (size_t i = 0; i < headers.len; i++)
        if (!i || headers.at[i] != headers.at[i - 1])
            add_point(look, LOOP, headers.at[i], headers.at[i]);
    fw_vec_release(&headers);
}

static struct module *look_into(struct fw_cut_places *places, const char *path, size_t len)
{
    struct module *module = fw_xcalloc(1, sizeof *module);
    struct look look = { .places = places, .module = module };
    struct fw_hook_calls hooks = { 0 };
    struct fw_error err;
    struct stat about;
    const char *slash;

    module->path = fw_xstrndup(path, len);
    slash = strrchr(module->path, '/');
    module->name = slash ? slash + 1 : module->path;
    module->sites = fw_constraints_create();
    fw_vec_push(&places->modules, module);
    if (stat(module->path, &about) < 0)
        return module;
    look.symbolizer = fw_symbolizer_create();
    look.texts = fw_source_texts_create();
    fw_source_texts_until(look.texts, &about.st_mtim);
    look.number = fw_symbolizer_module(look.symbolizer, module->path, NULL, 0);
    fw_hooks_calls(module->path, &hooks, &err);
    if (hooks.len) { /* else nobody sees that a place is passed */
        add_accesses(&look);
        add_calls(&look);
        add_functions(&look, &hooks);
        add_loops(&look);
    }
    fw_vec_release(&hooks);
    for (size_t i = 0; i < module->points.len; i++)
        module->points.at[i].file = NULL; /* the symbolizer's */
    fw_source_texts_destroy(look.texts);
    fw_symbolizer_destroy(look.symbolizer);
    return module;
}

static struct module *module_at(struct fw_cut_places *places, const char *path, size_t len)
{
    for (size_t i = 0; i < places->modules.len; i++)
        if (strlen(places->modules.at[i]->path) == len &&
            memcmp(places->modules.at[i]->path, path, len) == 0)
            return places->modules.at[i];
    return look_into(places, path, len);
}

static const struct point *point_at(const struct module *module, enum sort sort, uint64_t address)
{
    size_t low = 0, high = module->points.len;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct point *point = &module->points.at[middle];

        if (point->sort < sort || (point->sort == sort && point->address < address))
            low = middle + 1;
        else
            high = middle;
    }
    if (low == module->points.len || module->points.at[low].sort != sort ||
        module->points.at[low].address != address)
        return NULL;
    return &module->points.at[low];
}

/* --- there and back -------------------------------------------------------------------------- */

/* As traces have it, and back. */
static uint64_t offset_of(const struct point *point)
{
    return point->address - (point->sort == ACCESS || point->sort == CALL);
}

static uint64_t address_of(enum sort sort, uint64_t offset)
{
    return offset + (sort == ACCESS || sort == CALL);
}

static bool is_sort(enum fw_cut_kind kind, enum sort sort)
{
    switch (kind) {
    case FW_CUT_ENTRY:
        return sort == FUNCTION;
    case FW_CUT_CALL:
        return sort == CALL;
    case FW_CUT_CLAIM:
    case FW_CUT_LAST:
    case FW_CUT_MORE:
        return sort == ACCESS;
    case FW_CUT_ACCESS: /* synchronisation functions are called */
        return sort == ACCESS || sort == CALL;
    default:
        return sort == LOOP;
    }
}

const struct fw_learnt_site *fw_cut_places_site(struct fw_cut_places *places,
                                                const struct fw_cut *cut)
{
    const struct point *point = NULL;
    const struct module *module;
    size_t len;
    uint64_t offset;

    if (!fw_cut_place_parse(cut->place, &len, &offset))
        return NULL;
    module = module_at(places, cut->place, len);
    for (enum sort sort = ACCESS; sort <= LOOP && !point; sort++)
        if (is_sort(cut->kind, sort))
            point = point_at(module, sort, address_of(sort, offset));
    return point && point->site != FW_LEARNT_NONE ? fw_constraints_get(module->sites, point->site)
                                                  : NULL;
}

bool fw_cut_places_store(struct fw_cut_places *places, const struct fw_cut *cut,
                         struct fw_constraints *constraints, bool *is_new)
{
    const struct fw_learnt_site *site = fw_cut_places_site(places, cut);

    if (site)
        *is_new =
            fw_constraints_add_cut(constraints, cut->kind, fw_constraints_site(constraints, site));
    return site != NULL;
}

size_t fw_cut_places_load(struct fw_cut_places *places, const struct fw_constraints *constraints,
                          const char *path, struct fw_cuts *cuts)
{
    const struct module *module = module_at(places, path, strlen(path));
    size_t missing = 0;

    for (size_t i = 0; i < fw_constraints_cut_count(constraints); i++) {
        const struct fw_learnt_cut *cut = fw_constraints_cut(constraints, i);
        const struct fw_learnt_site *site = fw_constraints_get(constraints, cut->site);
        uint32_t number = fw_constraints_find(module->sites, site);
        bool found = false;

        if (strcmp(site->module, module->name) != 0)
            continue;
        for (size_t k = 0; number != FW_LEARNT_NONE && k < module->points.len; k++) {
            const struct point *point = &module->points.at[k];
            char *name;

            if (point->site != number || !is_sort(cut->kind, point->sort))
                continue;
            name = place_name(module->path, offset_of(point));
            fw_cuts_add(cuts, cut->kind, name);
            free(name);
            found = true;
        }
        missing += !found;
    }
    return missing;
}

/* --- the code -------------------------------------------------------------------------------- */

static bool code_at(void *me, const char *site, struct fw_loop_place *place)
{
    struct fw_cut_places *places = me;
    size_t len;
    uint64_t offset;
    char *path;
    bool known;

    if (!fw_cut_place_parse(site, &len, &offset))
        return false;
    path = fw_xstrndup(site, len);
    known = fw_loops_at(places->loops, path, offset + 1, place);
    free(path);
    return known;
}

static uint32_t code_parent(void *me, uint32_t loop)
{
    return fw_loops_parent(((struct fw_cut_places *)me)->loops, loop);
}

static bool code_again(void *me, uint32_t loop, uint64_t from, uint64_t to)
{
    return fw_loops_again(((struct fw_cut_places *)me)->loops, loop, from, to);
}

static char *code_name(void *me, uint32_t loop)
{
    const struct fw_loops *loops = ((struct fw_cut_places *)me)->loops;

    return place_name(fw_loops_path(loops, loop), fw_loops_header(loops, loop));
}

static bool code_can_cut(void *me, const char *site)
{
    const struct point *point;
    size_t len;
    uint64_t offset;

    if (!fw_cut_place_parse(site, &len, &offset))
        return false;
    point = point_at(module_at(me, site, len), CALL, address_of(CALL, offset));
    return point && point->site != FW_LEARNT_NONE;
}

struct fw_lifetx_code fw_cut_places_code(struct fw_cut_places *places)
{
    return (struct fw_lifetx_code) { places,     code_at,   code_parent,
                                     code_again, code_name, code_can_cut };
}
