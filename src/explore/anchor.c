/* anchor.c - see anchor.h. */
#include "explore/anchor.h"

#include "base/alloc.h"
#include "base/strtab.h"
#include "symbol/source_text.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define FRAMES 64u

struct fw_anchors {
    struct fw_symbolizer *symbolizer;
    struct fw_source_texts *sources;
    struct fw_strtab texts;
    FW_VEC(struct fw_anchor) classes; /* texts are in the table; class 1 is [0] */
};

struct fw_anchors *fw_anchors_create(void)
{
    struct fw_anchors *anchors = fw_xcalloc(1, sizeof *anchors);

    anchors->symbolizer = fw_symbolizer_create();
    anchors->sources = fw_source_texts_create();
    fw_strtab_init(&anchors->texts);
    return anchors;
}

void fw_anchors_destroy(struct fw_anchors *anchors)
{
    if (!anchors)
        return;
    fw_symbolizer_destroy(anchors->symbolizer);
    fw_source_texts_destroy(anchors->sources);
    fw_strtab_release(&anchors->texts);
    fw_vec_release(&anchors->classes);
    free(anchors);
}

const struct fw_anchor *fw_anchors_get(const struct fw_anchors *anchors, uint32_t class_)
{
    return &anchors->classes.at[class_ - 1];
}

/* --- classes --------------------------------------------------------------------------------- */

static bool is_same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Are these the same place?  Lines count where there is no text to compare. */
static bool fits(const struct fw_anchor *a, const struct fw_anchor *b)
{
    if (!is_same(a->operation, b->operation) || !is_same(a->function, b->function))
        return false;
    if (a->text && b->text)
        return strcmp(a->text, b->text) == 0;
    return a->has_line && b->has_line ? a->line == b->line : !a->text && !b->text;
}

static uint32_t find(const struct fw_anchors *anchors, const struct fw_anchor *anchor)
{
    for (uint32_t i = 0; i < anchors->classes.len; i++)
        if (fits(&anchors->classes.at[i], anchor))
            return i + 1;
    return 0;
}

static char *keep(struct fw_anchors *anchors, const char *text)
{
    if (!text)
        return NULL;
    /* Only schedules own and change texts of anchors. */
    return (char *)(uintptr_t)fw_strtab_text(
        &anchors->texts, fw_strtab_intern(&anchors->texts, text, strlen(text)));
}

uint32_t fw_anchors_class(struct fw_anchors *anchors, const struct fw_anchor *anchor)
{
    uint32_t class_ = find(anchors, anchor);
    struct fw_anchor kept = *anchor;

    if (class_)
        return class_;
    kept.operation = keep(anchors, anchor->operation);
    kept.function = keep(anchors, anchor->function);
    kept.text = keep(anchors, anchor->text);
    fw_vec_push(&anchors->classes, kept);
    return (uint32_t)anchors->classes.len;
}

/* --- sites ----------------------------------------------------------------------------------- */

enum whose {
    OWN,    /* the frame is the user's */
    HEADER, /* all frames are of headers: the caller must tell */
    NOBODY, /* of a library, or made by the runtime: only the operation is known */
};

struct place {
    struct fw_source_frame frame;
    const char *directory;
};

/* The innermost frame of the user's own code. */
static enum whose find_frame(struct fw_anchors *anchors, const char *path,
                             const struct fw_control_site *site, struct place *place)
{
    struct fw_source_frame frames[FRAMES];
    uint64_t call = site->offset ? site->offset - 1 : 0;
    uint32_t module;
    size_t count;

    if (!*path || fw_source_is_foreign(path))
        return NOBODY;
    module = fw_symbolizer_module(anchors->symbolizer, path, NULL, 0);
    count = fw_symbolizer_frames(anchors->symbolizer, module, call, frames, FRAMES);
    place->directory = fw_symbolizer_directory(anchors->symbolizer, module, call);
    for (size_t i = 0; i < count; i++) {
        place->frame = frames[i];
        if (!frames[i].at.file || !fw_source_is_foreign(frames[i].at.file))
            return frames[i].function || frames[i].at.file ? OWN : NOBODY;
    }
    return count ? HEADER : NOBODY;
}

/* The anchor of a site; texts are borrowed. */
static enum whose describe(struct fw_anchors *anchors, const char *path,
                           const struct fw_control_site *site, struct fw_anchor *anchor)
{
    struct place place;
    enum whose whose = find_frame(anchors, path, site, &place);
    const struct fw_source *at = &place.frame.at;

    *anchor = (struct fw_anchor){ .operation = (char *)(uintptr_t)site->operation };
    if (whose != OWN)
        return whose;
    anchor->function = keep(anchors, place.frame.function);
    if (!at->file)
        return OWN;
    anchor->text = keep(anchors, fw_source_text(anchors->sources, place.directory, at->file,
                                                at->line));
    if (place.frame.first_line) {
        anchor->has_line = true;
        anchor->line = (int32_t)at->line - (int32_t)place.frame.first_line;
    }
    return OWN;
}

uint32_t fw_anchors_learn(void *context, const char *module, const struct fw_control_site *site)
{
    struct fw_anchor anchor;

    if (describe(context, module, site, &anchor) == HEADER)
        return FW_CLASS_CALLER;
    return fw_anchors_class(context, &anchor);
}

uint32_t fw_anchors_match(void *context, const char *module, const struct fw_control_site *site)
{
    struct fw_anchor anchor;

    if (describe(context, module, site, &anchor) == HEADER)
        return FW_CLASS_CALLER;
    return find(context, &anchor);
}

char *fw_anchors_place(struct fw_anchors *anchors, const char *module,
                       const struct fw_control_site *site)
{
    struct place place;
    enum whose whose = find_frame(anchors, module, site, &place);

    if (whose == NOBODY || !place.frame.at.file)
        return whose == OWN && place.frame.function
                   ? fw_xasprintf("%s in %s", site->operation, place.frame.function)
                   : fw_xstrdup(site->operation);
    return fw_xasprintf("%s in %s at %s:%u", site->operation,
                        place.frame.function ? place.frame.function : "?", place.frame.at.file,
                        place.frame.at.line);
}

/* --- names ----------------------------------------------------------------------------------- */

/* The function's own name, without classes, arguments and such. */
static const char *own_name(const char *function, size_t *length)
{
    const char *at = function;

    *length = strcspn(function, "(<[");
    for (size_t i = 0; i + 1 < *length; i++)
        if (function[i] == ':' && function[i + 1] == ':')
            at = function + i + 2;
    *length -= (size_t)(at - function);
    return at;
}

bool fw_anchors_names(const char *path, const char *function)
{
    struct stat st;
    bool names = false;
    size_t length;
    const char *name = own_name(function, &length);
    int fd = fw_source_is_foreign(path) ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    char *file = MAP_FAILED;

    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size)
        file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (file != MAP_FAILED) {
        /* What is no plain name of C is part of a longer one. */
        names = memmem(file, (size_t)st.st_size, name, length + !name[length]) != NULL;
        munmap(file, (size_t)st.st_size);
    }
    if (fd >= 0)
        close(fd);
    return names;
}
