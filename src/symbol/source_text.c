/* source_text.c - see source_text.h. */
#include "symbol/source_text.h"

#include "base/alloc.h"
#include "base/vec.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FILE_BYTES (64 << 20) /* larger ones are no sources */

struct file {
    char *directory, *name;
    char *text;            /* NULL: cannot be read */
    FW_VEC(size_t) starts; /* of lines */
    size_t bytes;
};

struct fw_source_texts {
    FW_VEC(struct file) files;
    bool bounded;
    struct timespec newest; /* later changes than this are not for us */
    char line[FW_SOURCE_TEXT];
};

struct fw_source_texts *fw_source_texts_create(void)
{
    return fw_xcalloc(1, sizeof(struct fw_source_texts));
}

void fw_source_texts_until(struct fw_source_texts *texts, const struct timespec *newest)
{
    texts->bounded = true;
    texts->newest = *newest;
}

void fw_source_texts_destroy(struct fw_source_texts *texts)
{
    if (!texts)
        return;
    for (size_t i = 0; i < texts->files.len; i++) {
        struct file *file = &texts->files.at[i];

        free(file->directory);
        free(file->name);
        free(file->text);
        fw_vec_release(&file->starts);
    }
    fw_vec_release(&texts->files);
    free(texts);
}

/* --- files ----------------------------------------------------------------------------------- */

static bool is_newer(const struct fw_source_texts *texts, const struct stat *about)
{
    return texts->bounded && (about->st_mtim.tv_sec > texts->newest.tv_sec ||
                              (about->st_mtim.tv_sec == texts->newest.tv_sec &&
                               about->st_mtim.tv_nsec > texts->newest.tv_nsec));
}

static FILE *open_source(const struct fw_source_texts *texts, const char *directory,
                         const char *name)
{
    struct stat about;
    FILE *in = NULL;

    if (*name != '/' && *directory) {
        char *path = fw_xasprintf("%s/%s", directory, name);

        in = fopen(path, "re");
        free(path);
    }
    if (!in)
        in = fopen(name, "re");
    if (in && (fstat(fileno(in), &about) < 0 || !S_ISREG(about.st_mode) ||
               about.st_size > FILE_BYTES || is_newer(texts, &about))) {
        fclose(in);
        in = NULL;
    }
    return in;
}

static void load(const struct fw_source_texts *texts, struct file *file)
{
    FILE *in = open_source(texts, file->directory, file->name);

    if (!in)
        return;
    file->text = fw_xmalloc(FILE_BYTES);
    file->bytes = fread(file->text, 1, FILE_BYTES, in);
    fclose(in);
    file->text = fw_xrealloc(file->text, file->bytes + 1, 1);
    fw_vec_push(&file->starts, (size_t)0);
    for (size_t i = 0; i < file->bytes; i++)
        if (file->text[i] == '\n')
            fw_vec_push(&file->starts, i + 1);
    fw_vec_push(&file->starts, file->bytes + 1);
}

static const struct file *find(struct fw_source_texts *texts, const char *directory,
                               const char *name)
{
    struct file *file;

    for (size_t i = 0; i < texts->files.len; i++) {
        file = &texts->files.at[i];
        if (strcmp(file->name, name) == 0 && strcmp(file->directory, directory) == 0)
            return file;
    }
    fw_vec_push(&texts->files, ((struct file){ .directory = fw_xstrdup(directory),
                                               .name = fw_xstrdup(name) }));
    file = &fw_vec_last(&texts->files);
    load(texts, file);
    return file;
}

/* --- lines ----------------------------------------------------------------------------------- */

static void squeeze(const char *from, size_t bytes, char to[FW_SOURCE_TEXT])
{
    size_t len = 0;

    for (size_t i = 0; i < bytes && len < FW_SOURCE_TEXT - 1; i++) {
        if (!isspace((unsigned char)from[i]) && from[i])
            to[len++] = from[i];
        else if (len && to[len - 1] != ' ')
            to[len++] = ' ';
    }
    while (len && to[len - 1] == ' ')
        len--;
    to[len] = '\0';
}

const char *fw_source_text(struct fw_source_texts *texts, const char *directory, const char *name,
                           unsigned line)
{
    const struct file *file = find(texts, directory ? directory : "", name);

    if (!file->text || !line || line >= file->starts.len)
        return NULL;
    squeeze(file->text + file->starts.at[line - 1],
            file->starts.at[line] - 1 - file->starts.at[line - 1], texts->line);
    return texts->line[0] ? texts->line : NULL;
}

/* --- whose it is ----------------------------------------------------------------------------- */

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Without "/..", as far as letters can tell. */
static void straighten(const char *path, char *to, size_t room)
{
    size_t len = 0;

    for (; *path && len + 1 < room; path++) {
        to[len++] = *path;
        if (len >= 4 && memcmp(to + len - 4, "/../", 4) == 0) {
            len -= 4;
            while (len && to[--len] != '/')
                ;
            to[len++] = '/';
        }
    }
    to[len] = '\0';
}

bool fw_source_is_foreign(const char *name)
{
    static const char *const folders[] = { "/usr/include/", "/usr/local/include/", "/usr/lib/",
                                           "/usr/lib64/",   "/usr/lib32/",         "/lib/",
                                           "/lib64/",       "/usr/local/lib/" };

    char path[4096];

    straighten(name, path, sizeof path);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (begins(path, folders[i]))
            return true;
    /* Ours, wherever they are installed: they stand before those of libstdc++. */
    return strstr(path, "/foreweave/compat/") != NULL;
}

const struct fw_source_frame *fw_source_own_frame(const struct fw_source_frame *frames,
                                                  size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (frames[i].at.file && !fw_source_is_foreign(frames[i].at.file))
            return &frames[i];
    return count ? frames : NULL;
}
