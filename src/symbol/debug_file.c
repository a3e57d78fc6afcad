/*
 * debug_file.c - see debug_file.h.
 *
 * The places that debuggers look in: /usr/lib/debug/.build-id/ab/cdef.debug by build id; by the
 * name in .gnu_debuglink next to the file, in its folder .debug, and below /usr/lib/debug.
 */
#include "symbol/debug_file.h"

#include <elfutils/libdwelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEBUG_ROOT "/usr/lib/debug"

static bool has_section(const struct fw_elf *file, const char *wanted)
{
    Elf_Scn *scn = NULL;
    size_t names;

    if (elf_getshdrstrndx(file->elf, &names) < 0)
        return false;
    while ((scn = elf_nextscn(file->elf, scn))) {
        GElf_Shdr head;
        const char *name;

        if (!gelf_getshdr(scn, &head) || head.sh_type == SHT_NOBITS)
            continue;
        name = elf_strptr(file->elf, names, head.sh_name);
        if (name && strcmp(name, wanted) == 0)
            return true;
    }
    return false;
}

static bool has_debug(const struct fw_elf *file)
{
    return has_section(file, ".debug_info") || has_section(file, ".zdebug_info");
}

static bool has_id(const struct fw_elf *file, const unsigned char *id, uint32_t size)
{
    return file->build_id_size == size && memcmp(file->build_id, id, size) == 0;
}

static struct fw_elf *open_by_id(const unsigned char *id, uint32_t size)
{
    char path[sizeof DEBUG_ROOT + 2 * 64 + 32];
    struct fw_error err;
    struct fw_elf *file;
    int len;

    if (size < 2 || size > 64)
        return NULL;
    len = snprintf(path, sizeof path, DEBUG_ROOT "/.build-id/%02x/", id[0]);
    for (uint32_t i = 1; i < size; i++)
        len += snprintf(path + len, sizeof path - (size_t)len, "%02x", id[i]);
    snprintf(path + len, sizeof path - (size_t)len, ".debug");
    file = fw_elf_open(path, &err);
    if (file && has_id(file, id, size) && has_debug(file))
        return file;
    fw_elf_close(file);
    return NULL;
}

/* --- by debug link ----------------------------------------------------------------------- */

/* The checksum that debug links carry: CRC-32 of the whole file. */
static uint32_t checksum(const struct fw_elf *file)
{
    size_t size = 0;
    const unsigned char *bytes = (const unsigned char *)elf_rawfile(file->elf, &size);
    uint32_t crc = UINT32_MAX;

    for (size_t i = 0; bytes && i < size; i++) {
        crc ^= bytes[i];
        for (unsigned bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (0xedb88320u & (0 - (crc & 1)));
    }
    return ~crc;
}

static struct fw_elf *try_link(const struct fw_elf *file, const char *path, GElf_Word crc)
{
    struct fw_error err;
    struct fw_elf *found = fw_elf_open(path, &err);

    if (!found)
        return NULL;
    if (has_debug(found) &&
        (file->build_id_size ? has_id(found, file->build_id, file->build_id_size)
                             : checksum(found) == crc))
        return found;
    fw_elf_close(found);
    return NULL;
}

static struct fw_elf *open_by_link(const struct fw_elf *file, const char *path)
{
    static const struct {
        const char *before, *between;
    } forms[] = { { "", "/" }, { "", "/.debug/" }, { DEBUG_ROOT, "/" } };
    GElf_Word crc;
    const char *name = dwelf_elf_gnu_debuglink(file->elf, &crc), *slash = strrchr(path, '/');
    struct fw_elf *found = NULL;

    if (!name || !*name || strchr(name, '/') || !slash)
        return NULL;
    for (size_t i = 0; i < sizeof forms / sizeof *forms && !found; i++) {
        char where[PATH_MAX];
        int len = snprintf(where, sizeof where, "%s%.*s%s%s", forms[i].before, (int)(slash - path),
                           path, forms[i].between, name);

        if (len > 0 && (size_t)len < sizeof where)
            found = try_link(file, where, crc);
    }
    return found;
}

/* --- both -------------------------------------------------------------------------------- */

void fw_debug_files_open(struct fw_debug_files *files, const char *path,
                         const unsigned char *build_id, uint32_t build_id_size)
{
    struct fw_error err;

    memset(files, 0, sizeof *files);
    files->file = fw_elf_open(path, &err);
    if (!files->file) {
        snprintf(files->complaint, sizeof files->complaint, "%.500s", err.message);
    } else if (build_id_size && !has_id(files->file, build_id, build_id_size)) {
        snprintf(files->complaint, sizeof files->complaint,
                 "'%.400s' is not the file that was recorded: its build id differs", path);
        fw_elf_close(files->file);
        files->file = NULL;
    }
    if (!files->file) {
        files->file = files->debug = open_by_id(build_id, build_id_size);
        return;
    }
    if (has_debug(files->file))
        files->debug = files->file;
    if (!files->debug)
        files->debug = open_by_id(files->file->build_id, files->file->build_id_size);
    if (!files->debug)
        files->debug = open_by_link(files->file, path);
}

void fw_debug_files_close(struct fw_debug_files *files)
{
    if (files->debug != files->file)
        fw_elf_close(files->debug);
    fw_elf_close(files->file);
    memset(files, 0, sizeof *files);
}
