/* code_files.c - see code_files.h. */
#include "symbol/code_files.h"

#include <string.h>

#define MAX_FILES 1024u

void fw_code_files_open(struct fw_code_files *files)
{
    *files = (struct fw_code_files) { 0 };
    if (cs_open(CS_ARCH_X86, CS_MODE_64, &files->handle) == CS_ERR_OK)
        files->usable = cs_option(files->handle, CS_OPT_DETAIL, CS_OPT_ON) == CS_ERR_OK;
}

void fw_code_files_close(struct fw_code_files *files)
{
    for (size_t i = 0; i < files->all.len; i++) {
        struct fw_code_file *file = files->all.at[i];

        fw_elf_close(file->elf);
        fw_vec_release(&file->outliers);
        free(file->path);
        free(file);
    }
    fw_vec_release(&files->all);
    if (files->handle)
        cs_close(&files->handle);
}

static struct fw_code_file *open_file(const struct fw_code_files *files, const char *path)
{
    struct fw_code_file *file = fw_xcalloc(1, sizeof *file);
    struct fw_error err;

    file->number = (uint32_t)files->all.len;
    file->path = fw_xstrdup(path);
    file->elf = fw_elf_open(path, &err);
    if (file->elf && file->elf->machine != EM_X86_64) {
        fw_elf_close(file->elf);
        file->elf = NULL;
    }
    if (file->elf)
        fw_flow_outliers(files->handle, file->elf, fw_elf_functions(file->elf), &file->outliers);
    return file;
}

struct fw_code_file *fw_code_files_find(struct fw_code_files *files, const char *path)
{
    if (files->latest && strcmp(files->latest->path, path) == 0)
        return files->latest;
    for (size_t i = 0; i < files->all.len; i++)
        if (strcmp(files->all.at[i]->path, path) == 0)
            return files->latest = files->all.at[i];
    if (files->all.len >= MAX_FILES || !files->usable)
        return NULL;
    files->latest = open_file(files, path);
    fw_vec_push(&files->all, files->latest);
    return files->latest;
}

static void add_range(struct fw_ranges *ranges, struct fw_ranges_item range)
{
    for (size_t i = 0; i < ranges->len; i++)
        if (ranges->at[i].start == range.start)
            return;
    fw_vec_push(ranges, range);
}

void fw_code_file_ranges(const struct fw_code_file *file, const struct fw_elf_symbol *function,
                         struct fw_ranges *ranges)
{
    fw_vec_push(ranges, ((struct fw_ranges_item) { function->start, function->end }));
    for (size_t i = 0; i < file->outliers.len; i++)
        if (file->outliers.at[i].function == function->start)
            add_range(ranges, file->outliers.at[i].part);
}
