/* locate.c - see locate.h. */
#include "iroot/locate.h"

#include "base/alloc.h"
#include "base/vec.h"
#include "sections/sites.h"
#include "symbol/hooks.h"
#include "symbol/source_text.h"
#include "symbol/symbolizer.h"

#include <stdlib.h>
#include <string.h>

#define FRAMES 64u

struct module {
    char *path;
    const char *name;       /* without its folder */
    struct fw_sites *sites; /* NULL: it has none */
    uint32_t number;        /* of the symbolizer */
    bool listed;            /* its calls are known */
    struct fw_call_returns calls;
};

struct fw_locator {
    struct fw_symbolizer *symbolizer;
    FW_VEC(struct module) modules;
};

struct fw_locator *fw_locator_create(void)
{
    struct fw_locator *locator = fw_xcalloc(1, sizeof *locator);

    locator->symbolizer = fw_symbolizer_create();
    return locator;
}

void fw_locator_destroy(struct fw_locator *locator)
{
    if (!locator)
        return;
    for (size_t i = 0; i < locator->modules.len; i++) {
        free(locator->modules.at[i].path);
        fw_sites_close(locator->modules.at[i].sites);
        fw_vec_release(&locator->modules.at[i].calls);
    }
    fw_vec_release(&locator->modules);
    fw_symbolizer_destroy(locator->symbolizer);
    free(locator);
}

/* Files of the system have no hooks that we would know. */
static struct module *module_of(struct fw_locator *locator, const char *path)
{
    struct module module = { .path = NULL };
    struct fw_error ignored;
    const char *slash;

    for (size_t i = 0; i < locator->modules.len; i++)
        if (strcmp(locator->modules.at[i].path, path) == 0)
            return &locator->modules.at[i];
    module.path = fw_xstrdup(path);
    slash = strrchr(module.path, '/');
    module.name = slash ? slash + 1 : module.path;
    module.sites = fw_source_is_foreign(path) ? NULL : fw_sites_open(path, &ignored);
    module.number = fw_symbolizer_module(locator->symbolizer, path, NULL, 0);
    fw_vec_push(&locator->modules, module);
    return &locator->modules.at[locator->modules.len - 1];
}

static void set_line(struct fw_located *located, const char *file, unsigned line, unsigned first,
                     unsigned ordinal)
{
    located->file = file;
    located->line = line;
    if (!file || !line || !first || line < first)
        return;
    located->access.line = line - first;
    located->access.ordinal = ordinal;
}

static void use_site(struct fw_located *located, const struct fw_site *site)
{
    located->access.function = site->function;
    if (site->function)
        set_line(located, site->file, site->line, site->first_line, site->ordinal);
}

/* The innermost frame of the program's own code, or the innermost one at all; false: none. */
static bool find_frame(struct fw_locator *locator, const struct module *module, uint64_t call,
                       struct fw_source_frame *frame)
{
    struct fw_source_frame frames[FRAMES];
    size_t count = fw_symbolizer_frames(locator->symbolizer, module->number, call, frames, FRAMES);
    size_t at = 0;

    for (size_t i = count; i-- > 0;)
        if (frames[i].at.file && !fw_source_is_foreign(frames[i].at.file))
            at = i;
    if (!count || !frames[at].function)
        return false;
    *frame = frames[at];
    return true;
}

static bool is_same_line(const struct fw_source_frame *a, const struct fw_source_frame *b)
{
    return a->at.line == b->at.line && a->copy == b->copy &&
           strcmp(a->function, b->function) == 0;
}

/* The place of the first call that does not return before this address. */
static size_t find_call(const struct module *module, uint64_t returns)
{
    size_t low = 0, high = module->calls.len;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (module->calls.at[middle] < returns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Which of the calls of its line it is, by address; 1 if it is none that we know. */
static unsigned count_calls(struct fw_locator *locator, struct module *module, uint64_t returns,
                            const struct fw_source_frame *frame)
{
    struct fw_source_function function = { 0 };
    struct fw_source_frame other;
    struct fw_error ignored;
    unsigned count = 1;
    size_t at;

    if (!module->listed && !fw_source_is_foreign(module->path))
        fw_hooks_other_calls(module->path, &module->calls, &ignored);
    module->listed = true;
    at = find_call(module, returns);
    if (at == module->calls.len || module->calls.at[at] != returns ||
        !fw_symbolizer_function(locator->symbolizer, module->number, returns - 1, &function))
        return 1;
    while (at-- > 0 && module->calls.at[at] > function.start)
        count += find_frame(locator, module, module->calls.at[at] - 1, &other) &&
                 is_same_line(frame, &other);
    return count;
}

static void use_frames(struct fw_locator *locator, struct module *module, uint64_t returns,
                       struct fw_located *located)
{
    struct fw_source_frame frame;

    if (!find_frame(locator, module, returns - 1, &frame))
        return;
    located->access.function = frame.function;
    set_line(located, frame.at.file, frame.at.line, frame.first_line,
             count_calls(locator, module, returns, &frame));
}

struct fw_located fw_locate(struct fw_locator *locator, const char *path, uint64_t returns,
                            enum fw_iroot_does does)
{
    struct module *module = module_of(locator, path);
    bool plain = does == FW_DOES_READ || does == FW_DOES_WRITE;
    const struct fw_site *site =
        plain && module->sites ? fw_sites_at(module->sites, returns) : NULL;
    struct fw_located located = {
        .access = { .does = does, .module = module->name, .offset = returns }
    };

    if (site)
        use_site(&located, site);
    else
        use_frames(locator, module, returns, &located);
    located.own = !fw_source_is_foreign(path) &&
                  (!located.file || !fw_source_is_foreign(located.file));
    return located;
}
