/*
 * guard_bare.c - functions all of whose watched places were retired; see guard.h.
 *
 * The list is one of clang's (-fsanitize-ignorelist).  That one goes by the names of symbols, so
 * what may be of C++ gets a pattern with the name's words as they are in its symbols.
 *
 * Functions where nothing was watched are left out: it is not known how often they are passed, and
 * clang does not inline what has no hooks into what has some, which costs more in small functions
 * than hooks do that are made nothing.
 */
#include "cmd/guard.h"

#include "base/alloc.h"
#include "base/strtab.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct function {
    uint32_t watched, hot; /* sites that were watched, and those of them that were retired */
    bool is_c, is_cxx;     /* a header may be either's */
};

FW_VEC_TYPE(functions, struct function);

/* By number of the site, from 1. */
static bool *find_watched(const struct fw_guard_head *head)
{
    bool *watched = fw_xcalloc(head->site_count + (size_t)1, sizeof *watched);

    for (uint32_t i = 0; i < head->hook_count; i++)
        watched[fw_guard_hooks(head)[i].site] = true;
    return watched;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);

    return length >= tail && strcmp(text + length - tail, end) == 0;
}

static void count_sites(const struct fw_constraints *sites, const struct fw_guard_head *head,
                        struct fw_strtab *names, struct functions *functions)
{
    bool *watched = find_watched(head);

    for (uint32_t i = 0; i < fw_constraints_site_count(sites); i++) {
        const struct fw_learnt_site *site = fw_constraints_get(sites, i);
        uint32_t number = fw_strtab_intern(names, site->function, strlen(site->function));
        struct function *function;

        if (number == functions->len)
            fw_vec_push(functions, ((struct function) { 0 }));
        function = &functions->at[number];
        function->watched += watched[i + 1];
        function->hot += (atomic_load(&fw_guard_sites(head)[i + 1]) & FW_GUARD_HOT) != 0;
        function->is_c |= ends_with(site->at.file, ".c") || ends_with(site->at.file, ".h");
        function->is_cxx |= !ends_with(site->at.file, ".c");
    }
    free(watched);
}

/* queue::clear is somewhere in _ZN5queue5clearEv. */
static void put_pattern(struct fw_output *out, const char *name)
{
    fw_output_text(out, "fun:_Z*");
    while (*name) {
        size_t length = strcspn(name, ":");

        fw_output_printf(out, "%zu%.*s", length, (int)length, name);
        name += length;
        name += strspn(name, ":");
    }
    fw_output_text(out, "*\n");
}

/* Operators and instances of templates have names that no pattern stands for. */
static bool is_plain(const char *name)
{
    for (; *name; name++)
        if (!isalnum((unsigned char)*name) && *name != '_' && *name != ':')
            return false;
    return true;
}

static void put_function(struct fw_output *out, const char *name, const struct function *function)
{
    if (function->hot && function->hot < function->watched)
        fw_output_printf(out, "# %s: %u of %u places retired\n", name, function->hot,
                         function->watched);
    if (!function->hot || function->hot < function->watched || !is_plain(name))
        return;
    if (function->is_c)
        fw_output_printf(out, "fun:%s\n", name);
    if (function->is_cxx)
        put_pattern(out, name);
}

int fw_guard_bare_write(const struct fw_learn_program *program, const struct fw_guard_head *head,
                        const char *path, struct fw_error *err)
{
    struct fw_strtab names;
    struct functions functions = { 0 };
    struct fw_output out;
    int status = fw_output_open(&out, path, err);

    fw_strtab_init(&names);
    count_sites(fw_learn_program_sites(program), head, &names, &functions);
    if (status == 0) {
        fw_output_text(&out,
                       "# all places that were watched there were retired (foreweave guard)\n");
        for (uint32_t i = 0; i < functions.len; i++)
            put_function(&out, fw_strtab_text(&names, i), &functions.at[i]);
        status = fw_output_close(&out, err);
    }
    fw_vec_release(&functions);
    fw_strtab_release(&names);
    return status;
}
