/*
 * fuzz_guard.c - the file of a guard, any bytes of which may be others: used, or refused with a
 * reason.
 *
 * The input is a list of changes to a small file that is right, each an offset (two bytes, the
 * lower one first) and the byte that is there then; if its size is no multiple of three, the file
 * is cut by as many bytes as the last one says.  Of a file that is used, all that its numbers name
 * lies in it.
 */
#include "base/alloc.h"
#include "base/bug.h"
#include "learn/wire_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MODULES 2u
#define HOOKS   4u
#define SITES   5u
#define PAIRS   8u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct fw_guard_head layout(void)
{
    struct fw_guard_head head = { .magic = FW_GUARD_MAGIC,
                                  .version = FW_GUARD_VERSION,
                                  .module_count = MODULES,
                                  .hook_count = HOOKS,
                                  .site_count = SITES,
                                  .pair_room = PAIRS };

    head.modules_at = (sizeof head + 7) & ~UINT64_C(7);
    head.hooks_at = head.modules_at + MODULES * sizeof(struct fw_guard_module);
    head.sites_at = (head.hooks_at + HOOKS * sizeof(struct fw_guard_hook) + 7) & ~UINT64_C(7);
    head.needs_at = (head.sites_at + SITES + 1 + 7) & ~UINT64_C(7);
    head.pairs_at = (head.needs_at + (SITES + 1) * sizeof(uint32_t) + 7) & ~UINT64_C(7);
    head.log_at = head.pairs_at + PAIRS * sizeof(uint64_t);
    head.bytes = head.log_at + FW_GUARD_LOG * sizeof(struct fw_guard_entry);
    return head;
}

/* All but the log, which is empty.  The caller's. */
static struct fw_guard_head *make_file(void)
{
    struct fw_guard_head head = layout(), *file = fw_xcalloc(1, head.log_at);

    *file = head;
    for (uint32_t i = 0; i < MODULES; i++)
        fw_guard_modules(file)[i] =
            (struct fw_guard_module) { 1, i, i * HOOKS / MODULES, HOOKS / MODULES };
    for (uint32_t i = 0; i < HOOKS; i++)
        fw_guard_hooks(file)[i] = (struct fw_guard_hook) { 16 + i * 8, i + 1, 5, 0, 0, 0 };
    fw_guard_pair_add(file, FW_GUARD_PAIR(1, 2), 0);
    fw_guard_pair_add(file, FW_GUARD_PAIR(3, 1), FW_GUARD_PAIR_NEW);
    return file;
}

static void check_in(const struct fw_guard_file *file, const void *at, size_t size)
{
    size_t offset = (size_t)((const char *)at - (const char *)file->head);

    FW_ASSERT(offset <= file->bytes && size <= file->bytes - offset);
}

static void check_hook(const struct fw_guard_file *file, const struct fw_guard_hook *hook)
{
    check_in(file, hook, sizeof *hook);
    check_in(file, fw_guard_sites(file->head) + hook->site, 1);
    check_in(file, fw_guard_needs(file->head) + hook->site, sizeof(uint32_t));
    FW_ASSERT(hook->length <= hook->returns);
}

static void ignore(uint32_t site, uint32_t before, void *context)
{
    (void)site;
    (void)before;
    ++*(unsigned *)context;
}

static void check(struct fw_guard_file *file)
{
    const struct fw_guard_head *head = file->head;
    unsigned before = 0, after = 0;

    for (uint32_t i = 0; i < head->module_count; i++)
        for (uint32_t k = 0; k < fw_guard_modules(head)[i].hook_count; k++)
            check_hook(file, fw_guard_hooks(head) + fw_guard_modules(head)[i].first_hook + k);
    check_in(file, fw_guard_log(head), FW_GUARD_LOG * sizeof(struct fw_guard_entry));
    check_in(file, fw_guard_pairs(head), head->pair_room * sizeof(uint64_t));
    fw_guard_file_take_new(file, ignore, &before);
    fw_guard_file_take_new(file, ignore, &after);
    FW_ASSERT(before <= head->pair_room && !after);
    fw_guard_file_forget_new(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fw_guard_head *made = make_file();
    size_t bytes = made->bytes, log_at = made->log_at;
    int fd = memfd_create("guard", MFD_CLOEXEC);
    struct fw_error err = { { 0 } };
    struct fw_guard_file file;
    char path[32];

    FW_ASSERT(fd >= 0);
    for (size_t i = 0; i + 3 <= size; i += 3)
        ((uint8_t *)made)[(data[i] | (size_t)data[i + 1] << 8) % log_at] = data[i + 2];
    bytes -= size % 3 ? data[size - 1] : 0;
    FW_ASSERT(write(fd, made, log_at) == (ssize_t)log_at && ftruncate(fd, (off_t)bytes) == 0);
    free(made);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (fw_guard_file_open(&file, path, &err) < 0)
        FW_ASSERT(err.message[0]);
    else
        check(&file);
    fw_guard_file_release(&file);
    close(fd);
    return 0;
}
