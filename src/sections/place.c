/* place.c - see place.h. */
#include "sections/place.h"

#include "base/alloc.h"
#include "sections/inlined.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A function of the source, by where it begins: all copies of it. */
struct function {
    const char *file;
    unsigned first_line;
    unsigned folders; /* last components that its file and the section's have in common */
    unsigned away;    /* lines between where the entry was and would be */
    FW_VEC(const struct fw_site *) sites; /* by copy, then address */
};

FW_VEC_TYPE(functions, struct function);

struct search {
    const struct fw_sections *sections;
    const struct fw_atomic_section *section;
    uint32_t number; /* of the section */
    struct fw_sites *sites;
    const struct fw_site **by_name; /* all that have a function, by its name, copy, address */
    size_t count;
    struct fw_placement *placement;
    struct functions functions;
    struct fw_inlined_code *inlined; /* opened when it is needed */
};

/* --- names ----------------------------------------------------------------------------------- */

static const char *last_component(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* How many components they have in common from the end on. */
static unsigned common_components(const char *a, const char *b)
{
    const char *x = a + strlen(a), *y = b + strlen(b);
    unsigned count = 0;

    while (x > a && y > b && x[-1] == y[-1]) {
        x--;
        y--;
        count += *x == '/';
    }
    return count + ((x == a || x[-1] == '/') && (y == b || y[-1] == '/') && *x != '/' && *y != '/');
}

/* Is `name` what `wanted` names, scopes in front left out? */
static bool is_short_for(const char *wanted, const char *name)
{
    size_t a = strlen(name), b = strlen(wanted);

    return a > b + 2 && strcmp(name + a - b, wanted) == 0 && memcmp(name + a - b - 2, "::", 2) == 0;
}

static int by_name(const void *a, const void *b)
{
    const struct fw_site *x = *(const struct fw_site *const *)a;
    const struct fw_site *y = *(const struct fw_site *const *)b;
    int order = strcmp(x->function, y->function);

    if (order)
        return order;
    if (x->copy != y->copy)
        return x->copy < y->copy ? -1 : 1;
    return x->returns < y->returns ? -1 : x->returns > y->returns;
}

static void sort_sites(struct search *search)
{
    size_t all = fw_sites_count(search->sites);

    search->by_name = fw_xcalloc(all, sizeof *search->by_name);
    for (size_t i = 0; i < all; i++) {
        const struct fw_site *site = fw_sites_get(search->sites, i);

        if (site->function && site->file)
            search->by_name[search->count++] = site;
    }
    if (search->count)
        qsort(search->by_name, search->count, sizeof *search->by_name, by_name);
}

/* --- functions ------------------------------------------------------------------------------- */

static struct function *function_of(struct search *search, const struct fw_site *site)
{
    struct functions *functions = &search->functions;

    for (size_t i = 0; i < functions->len; i++)
        if (functions->at[i].first_line == site->first_line &&
            strcmp(functions->at[i].file, site->file) == 0)
            return &functions->at[i];
    fw_vec_push(functions,
                ((struct function) { .file = site->file, .first_line = site->first_line }));
    fw_vec_last(functions).folders = common_components(site->file, search->section->entry.file);
    return &fw_vec_last(functions);
}

static void add_site(struct search *search, const struct fw_site *site)
{
    struct function *function = function_of(search, site);

    fw_vec_push(&function->sites, site);
}

/* Those of the section's name; if nothing is called so, of any scope. */
static void find_functions(struct search *search)
{
    const char *wanted = search->section->function;
    size_t low = 0, high = search->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (strcmp(search->by_name[middle]->function, wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t i = low; i < search->count; i++) {
        if (strcmp(search->by_name[i]->function, wanted) != 0)
            break;
        add_site(search, search->by_name[i]);
    }
    for (size_t i = 0, none = !search->functions.len; none && i < search->count; i++)
        if (is_short_for(wanted, search->by_name[i]->function))
            add_site(search, search->by_name[i]);
}

static void release_functions(struct search *search)
{
    for (size_t i = 0; i < search->functions.len; i++)
        fw_vec_release(&search->functions.at[i].sites);
    fw_vec_release(&search->functions);
}

/* --- lines ----------------------------------------------------------------------------------- */

static unsigned distance(unsigned a, unsigned b)
{
    return a > b ? a - b : b - a;
}

static unsigned expected_line(const struct function *function, const struct fw_spot *spot)
{
    int64_t line = (int64_t)function->first_line + spot->offset;

    return function->first_line && spot->has_offset && line > 0 ? (unsigned)line : spot->line;
}

static bool is_kind(const struct fw_site *site, const struct fw_spot *spot, bool any)
{
    return any || site->write == spot->write;
}

/* The nearest line of the text; 0: there is none.  *readable: any line of it could be read. */
static unsigned line_of_text(struct search *search, const struct function *function,
                             const struct fw_spot *spot, bool any, bool *readable)
{
    unsigned expected = expected_line(function, spot), best = 0, looked = 0;

    for (size_t i = 0; i < function->sites.len; i++) {
        const struct fw_site *site = function->sites.at[i];
        const char *text;

        if (!is_kind(site, spot, any) || site->line == looked || site->line == best)
            continue;
        looked = site->line;
        text = fw_sites_text(search->sites, site);
        *readable |= text != NULL;
        if (text && strcmp(text, spot->text) == 0 &&
            (!best || distance(site->line, expected) < distance(best, expected)))
            best = site->line;
    }
    return best;
}

/* The line that the spot is in now; 0: its text is not there any more. */
static unsigned line_of(struct search *search, const struct function *function,
                        const struct fw_spot *spot, bool any)
{
    bool readable = false;
    unsigned line = spot->text ? line_of_text(search, function, spot, any, &readable) : 0;

    return line || readable ? line : expected_line(function, spot);
}

enum whose {
    NOT_KNOWN,
    OWN,   /* it accesses the section's variable */
    OTHER, /* it accesses another one */
};

/* "accounts[3].balance" is a part of "accounts", and of "accounts[3]". */
static bool is_part_of(const char *whole, const char *name)
{
    size_t len = strlen(whole);

    return strncmp(whole, name, len) == 0 && (name[len] == '.' || name[len] == '[');
}

/* Its first byte, or a later one ("bits.b+0x1"). */
static enum whose byte_of(struct search *search, uint64_t address, uint32_t later)
{
    const char *wanted = search->section->variable;
    char *name = fw_sites_variable(search->sites, address), *within;
    enum whose whose = NOT_KNOWN;

    within = name && later ? strchr(name, '+') : NULL;
    if (within)
        *within = '\0';
    if (name)
        whose = strcmp(name, wanted) == 0 || is_short_for(wanted, name) ||
                        is_part_of(wanted, name)
                    ? OWN
                    : OTHER;
    free(name);
    return whose;
}

/* A hook may be for more than the variable: gcc's for the write of a bit-field is for the whole
 * word that it is in. */
static enum whose variable_of(struct search *search, const struct fw_site *site)
{
    enum whose whose;

    if (!search->section->variable || !site->address)
        return NOT_KNOWN;
    whose = byte_of(search, site->address, 0);
    for (uint32_t i = 1; i < site->size && whose == OTHER; i++)
        if (byte_of(search, site->address + i, i) == OWN)
            return OWN;
    return whose;
}

/* What of a copy's sites is meant. */
struct choice {
    const struct fw_site *counted; /* the one of the ordinal, unless it is another variable's */
    bool certain;                  /* it is the section's variable's */
    const struct fw_site *own;     /* the variable's: of an end the last, else the first */
};

static void consider(struct search *search, struct choice *choice, const struct fw_site *site,
                     const struct fw_spot *spot, enum fw_place_role role)
{
    enum whose whose = variable_of(search, site);

    if (site->ordinal == spot->ordinal && whose != OTHER) {
        choice->counted = site;
        choice->certain = whose == OWN;
    }
    if (whose == OWN && (!choice->own || role == FW_PLACE_END))
        choice->own = site;
}

static void add_placed(struct search *search, const struct fw_site *site, enum fw_place_role role,
                       uint32_t which)
{
    fw_vec_push(&search->placement->placed,
                ((struct fw_placed) { search->number, role, which, site->copy, site->write,
                                      site->returns, site->address, false }));
}

static void add_choice(struct search *search, struct choice *choice, enum fw_place_role role,
                       uint32_t which)
{
    const struct fw_site *site = choice->own && !choice->certain ? choice->own : choice->counted;

    if (site)
        add_placed(search, site, role, which);
    *choice = (struct choice) { 0 };
}

/* Appends the hooks of the spot, one for each copy; of an exit all of its line. */
static size_t find_hooks(struct search *search, const struct function *function,
                         const struct fw_spot *spot, enum fw_place_role role, uint32_t which)
{
    bool any = role == FW_PLACE_EXIT;
    unsigned line = line_of(search, function, spot, any);
    size_t before = search->placement->placed.len;
    struct choice choice = { 0 };

    for (size_t i = 0; line && i < function->sites.len; i++) {
        const struct fw_site *site = function->sites.at[i];

        if (i && site->copy != function->sites.at[i - 1]->copy)
            add_choice(search, &choice, role, which);
        if (site->line != line || !is_kind(site, spot, any))
            continue;
        if (any)
            add_placed(search, site, role, which);
        else
            consider(search, &choice, site, spot, role);
    }
    add_choice(search, &choice, role, which);
    return search->placement->placed.len - before;
}

/* --- reasons --------------------------------------------------------------------------------- */

static void tell(struct search *search, bool whole, bool foreign, char *reason)
{
    fw_vec_push(&search->placement->unplaced,
                ((struct fw_unplaced) { search->number, whole, foreign, reason }));
}

static char *why_not(struct search *search, const struct function *function,
                     const struct fw_spot *spot, enum fw_place_role role)
{
    static const char *const roles[] = { "entry", "end", "exit" };
    bool any = role == FW_PLACE_EXIT;
    const char *kind = any ? "access" : spot->write ? "write" : "read";
    unsigned line = line_of(search, function, spot, any);
    uint32_t there = 0;
    bool readable = false, other = false;

    if (!line) /* it may be there without such an access, which optimisation has left out */
        line = line_of_text(search, function, spot, true, &readable);
    if (!line)
        return fw_xasprintf("%s: no line of '%s' in %s with an access reads \"%s\"", roles[role],
                            search->section->function, function->file, spot->text);
    for (size_t i = 0; i < function->sites.len; i++) {
        const struct fw_site *site = function->sites.at[i];

        if (site->line != line || !is_kind(site, spot, any))
            continue;
        there = site->ordinal > there ? site->ordinal : there;
        other |= site->ordinal == spot->ordinal;
    }
    if (other) /* there is one, and it was not taken */
        return fw_xasprintf("%s: the %s in line %s:%u of '%s' is not one of '%s'", roles[role],
                            kind, function->file, line, search->section->function,
                            search->section->variable);
    if (there)
        return fw_xasprintf("%s: %s:%u has %" PRIu32 " %s%s in '%s', not %" PRIu32, roles[role],
                            function->file, line, there, kind, there == 1 ? "" : "s",
                            search->section->function, spot->ordinal);
    return fw_xasprintf("%s: no %s in line %s:%u of '%s'", roles[role], kind, function->file, line,
                        search->section->function);
}

/* --- sections -------------------------------------------------------------------------------- */

static int by_copy(const void *a, const void *b)
{
    const struct fw_placed *x = a, *y = b;

    if (x->section != y->section)
        return x->section < y->section ? -1 : 1;
    if (x->copy != y->copy)
        return x->copy < y->copy ? -1 : 1;
    if (x->role != y->role)
        return x->role < y->role ? -1 : 1;
    if (x->returns != y->returns)
        return x->returns < y->returns ? -1 : 1;
    return x->which < y->which ? -1 : x->which > y->which;
}

/* Drops what is of copies without entry or without end; from `first` on.  Returns what is left. */
static size_t keep_whole_copies(struct fw_placement *placement, size_t first)
{
    size_t kept = first, len = placement->placed.len;
    struct fw_placed *at = placement->placed.at;

    if (len > first)
        qsort(at + first, len - first, sizeof *at, by_copy);
    for (size_t i = first, next; i < len; i = next) {
        bool entry = false, end = false;

        for (next = i; next < len && at[next].copy == at[i].copy; next++) {
            entry |= at[next].role == FW_PLACE_ENTRY;
            end |= at[next].role == FW_PLACE_END;
        }
        for (size_t j = i; entry && end && j < next; j++)
            at[kept++] = at[j];
    }
    placement->placed.len = kept;
    return kept - first;
}

/* From `entry` on, which is the first of its copy, up to `next`. */
static bool can_tell_calls_apart(struct search *search, struct fw_placed *entry,
                                 const struct fw_placed *next)
{
    FW_VEC(uint64_t) ends = { 0 };
    enum fw_inlined calls;

    if (!fw_sites_at(search->sites, entry->returns)->inlined)
        return true;
    if (!search->inlined)
        search->inlined = fw_inlined_open(fw_sites_path(search->sites));
    for (const struct fw_placed *at = entry; at < next; at++)
        if (at->role == FW_PLACE_END)
            fw_vec_push(&ends, at->returns);
    calls = fw_inlined_calls(search->inlined, entry->returns, ends.at, ends.len);
    fw_vec_release(&ends);
    entry->anew = calls == FW_INLINED_ANEW;
    return calls != FW_INLINED_MIXED;
}

/* Drops inlined copies whose calls cannot be told apart; from `first` on.  Returns what is left. */
static size_t keep_calls_apart(struct search *search, size_t first)
{
    struct fw_placement *placement = search->placement;
    size_t kept = first, len = placement->placed.len;
    struct fw_placed *at = placement->placed.at;

    for (size_t i = first, next; i < len; i = next) {
        bool keep;

        for (next = i; next < len && at[next].copy == at[i].copy;)
            next++;
        keep = can_tell_calls_apart(search, &at[i], at + next);
        for (size_t j = i; keep && j < next; j++)
            at[kept++] = at[j];
    }
    placement->placed.len = kept;
    return kept - first;
}

/* Says so if some are not there. */
static void drop_mixed(struct search *search, size_t first)
{
    size_t before = search->placement->placed.len - first;
    size_t kept = keep_calls_apart(search, first);

    if (kept < before)
        tell(search, !kept, false,
             fw_xasprintf("'%s' is inlined%s so that one call of it cannot be told from the next",
                          search->section->function, kept ? " in places" : ""));
}

/* In this function; returns how many hooks were placed.  told: say what is missing. */
static size_t place_in(struct search *search, const struct function *function, bool told)
{
    const struct fw_atomic_section *section = search->section;
    size_t first = search->placement->placed.len;
    bool entry = find_hooks(search, function, &section->entry, FW_PLACE_ENTRY, 0), end = false;
    size_t kept;

    if (!entry && told)
        tell(search, true, false, why_not(search, function, &section->entry, FW_PLACE_ENTRY));
    for (uint32_t i = 0; entry && i < section->ends.len; i++) {
        const struct fw_spot *spot = &section->ends.at[i].at;
        bool found = find_hooks(search, function, spot, FW_PLACE_END, i);

        end |= found;
        if (!found && told)
            tell(search, section->ends.len == 1, false,
                 why_not(search, function, spot, FW_PLACE_END));
    }
    for (uint32_t i = 0; entry && end && i < section->exits.len; i++)
        if (!find_hooks(search, function, &section->exits.at[i], FW_PLACE_EXIT, i) && told)
            tell(search, false, false,
                 why_not(search, function, &section->exits.at[i], FW_PLACE_EXIT));
    kept = keep_whole_copies(search->placement, first);
    if (entry && end && !kept && told)
        tell(search, true, false,
             fw_xasprintf("no copy of '%s' has both its entry and an end", section->function));
    else if (entry && !end && told && section->ends.len > 1)
        tell(search, true, false, fw_xstrdup("none of its ends is there"));
    if (told)
        drop_mixed(search, first);
    return kept;
}

/* Is a better than b, which may be NULL? */
static bool is_better(const struct function *a, const struct function *b)
{
    if (!b || a->folders != b->folders)
        return !b || a->folders > b->folders;
    return a->away < b->away;
}

static void place(struct search *search)
{
    const struct function *best = NULL;
    bool any = false;

    find_functions(search);
    for (size_t i = 0; i < search->functions.len; i++) {
        struct function *function = &search->functions.at[i];
        size_t mark = search->placement->placed.len;
        bool good;

        if (!function->folders)
            continue;
        function->away =
            distance(expected_line(function, &search->section->entry), search->section->entry.line);
        good = place_in(search, function, false) > 0;
        search->placement->placed.len = mark;
        if (good == any ? is_better(function, best) : good)
            best = function;
        any |= good;
    }
    if (best)
        place_in(search, best, true);
    else if (search->functions.len)
        tell(search, true, true,
             fw_xasprintf("'%s' is there, but not of a file called %s", search->section->function,
                          last_component(search->section->entry.file)));
    else
        tell(search, true, true,
             fw_xasprintf("there is no function '%s' with accesses that have hooks",
                          search->section->function));
    release_functions(search);
}

void fw_sections_place_in(const struct fw_sections *sections, struct fw_sites *sites,
                          struct fw_placement *placement)
{
    struct search search = { .sections = sections, .sites = sites, .placement = placement };

    *placement = (struct fw_placement) { .path = fw_xstrdup(fw_sites_path(sites)),
                                         .device = fw_sites_device(sites),
                                         .inode = fw_sites_inode(sites) };
    sort_sites(&search);
    for (uint32_t i = 0; i < sections->at.len; i++) {
        search.section = &sections->at.at[i];
        search.number = i;
        place(&search);
    }
    fw_inlined_close(search.inlined);
    free(search.by_name);
}

/* --- the module ------------------------------------------------------------------------------ */

int fw_sections_place(const struct fw_sections *sections, const char *path,
                      struct fw_placement *placement, struct fw_error *err)
{
    struct fw_sites *sites = fw_sites_open(path, err);
    size_t described = 0;

    if (!sites)
        return -1;
    for (size_t i = 0; i < fw_sites_count(sites); i++)
        described += fw_sites_get(sites, i)->file != NULL;
    if (!fw_sites_count(sites))
        fw_error_set(err, "'%s' has no access hooks: build it with 'foreweave cc'", path);
    else if (!described)
        fw_error_set(err, "'%s' has no debug information to find lines in: build it with -g", path);
    else
        fw_sections_place_in(sections, sites, placement);
    fw_sites_close(sites);
    return described ? 0 : -1;
}

void fw_placement_release(struct fw_placement *placement)
{
    for (size_t i = 0; i < placement->unplaced.len; i++)
        free(placement->unplaced.at[i].reason);
    fw_vec_release(&placement->placed);
    fw_vec_release(&placement->unplaced);
    free(placement->path);
}

bool fw_placement_has(const struct fw_placement *placement, uint32_t section)
{
    size_t low = 0, high = placement->placed.len;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (placement->placed.at[middle].section < section)
            low = middle + 1;
        else
            high = middle;
    }
    return low < placement->placed.len && placement->placed.at[low].section == section;
}
