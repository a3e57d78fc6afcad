/* wire_file.c - see wire_file.h. */
#include "learn/wire_file.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define LEARNT 100000u /* new pairs that there is room for: 4 MiB, of which little is touched */
#define PASSED 1024u   /* the same where they are only those that could not be avoided */

static uint64_t align(uint64_t bytes)
{
    return (bytes + 63) & ~UINT64_C(63);
}

static int map(struct fw_guard_file *file, struct fw_error *err)
{
    file->head =
        mmap(NULL, file->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file->fd, 0);
    if (file->head == MAP_FAILED) {
        file->head = NULL;
        return fw_error_errno(err, "cannot map '%s'", file->path);
    }
    return 0;
}

/* A service may have the former file mapped: it keeps it, under no name any more.  All of the new
 * one has its room, since a program that writes where there is none is killed. */
static int open_new(struct fw_guard_file *file, const char *path, struct fw_error *err)
{
    int full;

    if (path && unlink(path) < 0 && errno != ENOENT)
        return fw_error_errno(err, "cannot replace '%s'", path);
    file->fd = path ? open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600)
                    : memfd_create("foreweave-guard", MFD_CLOEXEC);
    if (file->fd < 0)
        return fw_error_errno(err, path ? "cannot write '%s'" : "cannot make shared memory%s",
                              path ? path : "");
    file->path = path ? fw_xstrdup(path)
                      : fw_xasprintf("/proc/%d/fd/%d", (int)getpid(), file->fd);
    full = path ? posix_fallocate(file->fd, 0, (off_t)file->bytes) : 0;
    if (full || (!path && ftruncate(file->fd, (off_t)file->bytes) < 0)) {
        errno = full ? full : errno;
        fw_error_errno(err, "cannot make '%s' as large as needed", file->path);
        if (path)
            unlink(path);
        return -1;
    }
    return map(file, err);
}

static void lay_out(struct fw_guard_head *head, const struct fw_learn_program *program,
                    const struct fw_guard_wish *wish)
{
    uint64_t pairs = wish->pairs + (wish->mode == FW_GUARD_LEARN ? LEARNT : PASSED);
    uint64_t hooks = (wish->points ? wish->points->len : 0) +
                     (wish->stretches ? wish->stretches->len : 0);

    head->module_count = (uint32_t)fw_learn_program_module_count(program);
    for (uint32_t i = 0; i < head->module_count; i++)
        hooks += fw_learn_program_module(program, i)->calls.len;
    head->magic = FW_GUARD_MAGIC;
    head->version = FW_GUARD_VERSION;
    head->hook_count = (uint32_t)hooks;
    head->site_count = fw_constraints_site_count(fw_learn_program_sites(program));
    if (wish->points || wish->stretches)
        head->site_count += 2; /* a place that is cut, and one whose hook is kept */
    head->function_count = wish->stretches ? wish->functions : 0;
    for (head->pair_room = 4096; head->pair_room < 4 * pairs;)
        head->pair_room *= 2;
    head->modules_at = align(sizeof *head);
    head->hooks_at =
        align(head->modules_at + head->module_count * sizeof(struct fw_guard_module));
    head->sites_at = align(head->hooks_at + hooks * sizeof(struct fw_guard_hook));
    head->needs_at = align(head->sites_at + head->site_count + 1);
    head->pairs_at = align(head->needs_at + (head->site_count + UINT64_C(1)) * sizeof(uint32_t));
    head->log_at = align(head->pairs_at + head->pair_room * sizeof(uint64_t));
    head->bytes = align(head->log_at + FW_GUARD_LOG * sizeof(struct fw_guard_entry));
}

static struct fw_guard_hook make_hook(const struct fw_learn_module *module, size_t i,
                                      const bool *watched)
{
    const struct fw_hook_call *call = &module->calls.at[i];
    uint32_t site = module->sites[i];

    return (struct fw_guard_hook) { .returns = (uint32_t)call->returns,
                                    .site = site != FW_LEARNT_NONE && watched[site] ? site + 1 : 0,
                                    .length = (uint8_t)(call->returns - call->start),
                                    .jumps = call->jumps };
}

/* Accesses that are watched are cut themselves. */
static void add_point(struct fw_guard_file *file, const struct fw_guard_point *point,
                      struct fw_guard_hook *hook)
{
    uint32_t places = file->head->site_count - 1;

    if (hook->site && point->cut)
        fw_guard_sites(file->head)[hook->site] |= FW_GUARD_CUT;
    else if (!hook->site)
        hook->site = point->cut ? places : places + 1;
}

/* What begins or goes on at an access that is watched, or at a call. */
static void add_stretch(struct fw_guard_file *file, const struct fw_guard_stretch *stretch,
                        struct fw_guard_hook *hook)
{
    hook->frame = stretch->frame;
    hook->function = stretch->function;
    if (!hook->site)
        hook->site = file->head->site_count;
}

/* Three lists of one module, each by address. */
struct merge {
    const struct fw_learn_module *module;
    const struct fw_guard_point *point, *last_point;
    const struct fw_guard_stretch *stretch, *last_stretch;
    size_t call;
};

static struct merge begin_merge(const struct fw_learn_module *module, uint32_t number,
                                const struct fw_guard_wish *wish)
{
    static const struct fw_guard_points no_points;
    static const struct fw_guard_stretches no_stretches;
    const struct fw_guard_points *points = wish->points ? wish->points : &no_points;
    const struct fw_guard_stretches *stretches = wish->stretches ? wish->stretches : &no_stretches;
    size_t point = 0, stretch = 0, last_point, last_stretch;

    while (point < points->len && points->at[point].module < number)
        point++;
    while (stretch < stretches->len && stretches->at[stretch].module < number)
        stretch++;
    last_point = point;
    last_stretch = stretch;
    while (last_point < points->len && points->at[last_point].module == number)
        last_point++;
    while (last_stretch < stretches->len && stretches->at[last_stretch].module == number)
        last_stretch++;
    return (struct merge) { .module = module,
                            .point = points->at + point,
                            .last_point = points->at + last_point,
                            .stretch = stretches->at + stretch,
                            .last_stretch = stretches->at + last_stretch };
}

/* The nearest address of the three; UINT64_MAX: there is none left. */
static uint64_t next_of(const struct merge *merge)
{
    uint64_t next = UINT64_MAX;

    if (merge->call < merge->module->calls.len)
        next = merge->module->calls.at[merge->call].returns;
    if (merge->point < merge->last_point && merge->point->returns < next)
        next = merge->point->returns;
    if (merge->stretch < merge->last_stretch && merge->stretch->returns < next)
        next = merge->stretch->returns;
    return next;
}

/* The calls of the module, the points and the stretches in it, in order. */
static uint32_t fill_module(struct fw_guard_file *file, const struct fw_learn_module *module,
                            uint32_t number, const struct fw_guard_wish *wish,
                            struct fw_guard_hook *hooks)
{
    struct merge merge = begin_merge(module, number, wish);
    uint32_t count = 0;

    for (uint64_t next; (next = next_of(&merge)) != UINT64_MAX; count++) {
        struct fw_guard_hook *hook = &hooks[count];

        *hook = (struct fw_guard_hook) { .returns = (uint32_t)next };
        if (merge.call < module->calls.len && module->calls.at[merge.call].returns == next)
            *hook = make_hook(module, merge.call++, wish->watched);
        if (merge.point < merge.last_point && merge.point->returns == next)
            add_point(file, merge.point++, hook);
        if (merge.stretch < merge.last_stretch && merge.stretch->returns == next)
            add_stretch(file, merge.stretch++, hook);
    }
    return count;
}

static void fill_modules(struct fw_guard_file *file, const struct fw_learn_program *program,
                         const struct fw_guard_wish *wish)
{
    struct fw_guard_hook *hooks = fw_guard_hooks(file->head);
    uint32_t at = 0;

    for (uint32_t i = 0; i < file->head->module_count; i++) {
        const struct fw_learn_module *module = fw_learn_program_module(program, i);

        fw_guard_modules(file->head)[i] =
            (struct fw_guard_module) { module->device, module->inode, at,
                                       fill_module(file, module, i, wish, hooks + at) };
        at += fw_guard_modules(file->head)[i].hook_count;
    }
}

int fw_guard_file_make(struct fw_guard_file *file, const struct fw_learn_program *program,
                       const struct fw_guard_wish *wish, const char *path, struct fw_error *err)
{
    struct fw_guard_head head = { .mode = wish->mode,
                                  .also = wish->also,
                                  .every = wish->noise || wish->mode == FW_GUARD_FORBID,
                                  .dry = wish->dry,
                                  .keep_calls = wish->keep_calls,
                                  .stall = wish->stall,
                                  .budget = wish->budget,
                                  .hot = wish->hot,
                                  .noise = wish->noise,
                                  .noise_most = wish->noise_most,
                                  .seed = wish->seed,
                                  .rollback = wish->rollback,
                                  .force = wish->force };

    *file = (struct fw_guard_file) { .fd = -1 };
    if (fw_constraints_site_count(fw_learn_program_sites(program)) + 2 > FW_GUARD_SITES ||
        fw_learn_program_module_count(program) > FW_GUARD_MODULES)
        return fw_error_set(err, "the program has more sites or modules than can be watched");
    lay_out(&head, program, wish);
    file->bytes = head.bytes;
    if (open_new(file, path, err) < 0)
        return -1;
    *file->head = head;
    for (uint32_t i = 0; wish->claims && i + 2 < head.site_count; i++)
        if (wish->claims[i])
            fw_guard_sites(file->head)[i + 1] |= FW_GUARD_CLAIM;
    for (uint32_t i = 0; wish->ends && i + 2 < head.site_count; i++)
        if (wish->ends[i])
            fw_guard_sites(file->head)[i + 1] |= FW_GUARD_END;
    if (wish->points) {
        fw_guard_sites(file->head)[head.site_count - 1] = FW_GUARD_CUT | FW_GUARD_PLACE;
        fw_guard_sites(file->head)[head.site_count] = FW_GUARD_PLACE;
    }
    fill_modules(file, program, wish);
    return 0;
}

int fw_guard_file_open(struct fw_guard_file *file, const char *path, struct fw_error *err)
{
    struct stat about;

    *file = (struct fw_guard_file) { .fd = open(path, O_RDWR | O_CLOEXEC) };
    if (file->fd < 0 || fstat(file->fd, &about) < 0)
        return fw_error_errno(err, "cannot open '%s'", path);
    file->path = fw_xstrdup(path);
    file->bytes = (uint64_t)about.st_size;
    if (file->bytes < sizeof *file->head)
        return fw_error_set(err, "'%s' is not a guard's file", path);
    if (map(file, err) < 0)
        return -1;
    if (file->head->magic != FW_GUARD_MAGIC || file->head->version != FW_GUARD_VERSION)
        return fw_error_set(err, "'%s' is not a guard's file of this version", path);
    if (!fw_guard_is_whole(file->head, file->bytes) || !fw_guard_is_sound(file->head))
        return fw_error_set(err, "the guard's file '%s' is damaged", path);
    return 0;
}

void fw_guard_file_release(struct fw_guard_file *file)
{
    if (file->head)
        munmap(file->head, file->bytes);
    if (file->fd >= 0)
        close(file->fd);
    free(file->path);
    *file = (struct fw_guard_file) { .fd = -1 };
}

int fw_guard_file_add_pair(struct fw_guard_file *file, uint32_t site, uint32_t before)
{
    fw_guard_sites(file->head)[site + 1] |= FW_GUARD_HAS_PAIRS;
    return fw_guard_pair_add(file->head, FW_GUARD_PAIR(site + 1, before + 1), 0) ? 0 : -1;
}

void fw_guard_file_need(struct fw_guard_file *file, uint32_t site, uint32_t first)
{
    fw_guard_needs(file->head)[site + 1] = first + 1;
}

void fw_guard_file_allow(struct fw_guard_file *file, uint32_t site, unsigned also)
{
    fw_guard_sites(file->head)[site + 1] |= (uint8_t)(also << FW_GUARD_ALSO);
}

void fw_guard_file_take_new(struct fw_guard_file *file,
                            void (*take)(uint32_t site, uint32_t before, void *context),
                            void *context)
{
    _Atomic uint64_t *pairs = fw_guard_pairs(file->head);

    for (uint64_t i = 0; i < file->head->pair_room; i++) {
        uint64_t pair = atomic_load(&pairs[i]);

        if (!(pair & FW_GUARD_PAIR_NEW))
            continue;
        take((uint32_t)(pair >> 32) - 1, (uint32_t)(pair >> 8 & 0xffffff) - 1, context);
        atomic_store(&pairs[i], pair & ~FW_GUARD_PAIR_NEW);
    }
}

void fw_guard_file_forget_new(struct fw_guard_file *file)
{
    struct fw_guard_head *head = file->head;
    _Atomic uint64_t *pairs = fw_guard_pairs(head);
    FW_VEC(uint64_t) old = { 0 };

    /* The table is open: taking some out would hide others, so it is filled anew. */
    for (uint64_t i = 0; i < head->pair_room; i++) {
        uint64_t pair = atomic_exchange(&pairs[i], 0);

        if (pair && !(pair & FW_GUARD_PAIR_NEW))
            fw_vec_push(&old, pair);
    }
    atomic_store(&head->pair_count, 0);
    for (size_t i = 0; i < old.len; i++)
        fw_guard_pair_add(head, old.at[i] & FW_GUARD_PAIR_KEY, old.at[i] & ~FW_GUARD_PAIR_KEY);
    fw_vec_release(&old);
    for (uint32_t i = 0; i <= head->site_count; i++)
        fw_guard_sites(head)[i] &= FW_GUARD_HAS_PAIRS;
}
