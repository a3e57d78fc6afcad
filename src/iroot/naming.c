/* naming.c - see naming.h. */
#include "iroot/naming.h"

#include "base/alloc.h"
#include "base/bug.h"
#include "base/vec.h"
#include "iroot/locate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

FW_VEC_TYPE(numbers, uint32_t);

struct fw_naming {
    const struct fw_symbols *symbols;
    struct fw_strtab *accesses;
    bool lacks_repeats;
    struct numbers by_site[FW_DOES_COUNT];   /* number + 1; 0: not worked out yet */
    struct numbers by_target[FW_DOES_COUNT]; /* of events without a site */
    struct fw_locator *locator;
};

enum fw_iroot_does fw_iroot_does_of(unsigned kind)
{
    unsigned classes = fw_kind_info[kind].classes;

    if (classes & (FW_CLASS_ACQUIRE | FW_CLASS_REQUEST))
        return FW_DOES_LOCK;
    if (classes & FW_CLASS_RELEASE)
        return FW_DOES_UNLOCK;
    if (!(classes & FW_CLASS_CONFLICT))
        return FW_DOES_COUNT;
    return classes & FW_CLASS_WRITE || kind == FW_FREE ? FW_DOES_WRITE : FW_DOES_READ;
}

bool fw_iroot_writes(unsigned kind)
{
    enum fw_iroot_does does = fw_iroot_does_of(kind);

    return does == FW_DOES_WRITE || (does >= FW_DOES_LOCK && !fw_is_class(kind, FW_CLASS_SHARED));
}

struct fw_naming *fw_naming_create(const struct fw_symbols *symbols, struct fw_strtab *accesses,
                                   bool lacks_repeats)
{
    struct fw_naming *naming = fw_xcalloc(1, sizeof *naming);

    naming->symbols = symbols;
    naming->accesses = accesses;
    naming->lacks_repeats = lacks_repeats;
    naming->locator = fw_locator_create();
    return naming;
}

void fw_naming_destroy(struct fw_naming *naming)
{
    if (!naming)
        return;
    for (unsigned i = 0; i < FW_DOES_COUNT; i++) {
        fw_vec_release(&naming->by_site[i]);
        fw_vec_release(&naming->by_target[i]);
    }
    fw_locator_destroy(naming->locator);
    free(naming);
}

static uint32_t name_target(struct fw_naming *naming, const struct fw_event *event,
                            enum fw_iroot_does does)
{
    enum fw_space space = fw_kind_info[event->kind].space;
    char *site = fw_xasprintf("(%s)", fw_symbols_name(naming->symbols, space, event->target));
    struct fw_access access = { .does = does, .site = site };
    uint32_t number = fw_access_intern(naming->accesses, &access);

    free(site);
    return number;
}

bool fw_naming_recorded(const char *name, char **path, uint64_t *returns)
{
    const char *plus = strrchr(name, '+');

    if (name[0] != '/' || !plus || sscanf(plus, "+0x%" SCNx64, returns) != 1)
        return false;
    ++*returns;
    *path = fw_xstrndup(name, (size_t)(plus - name));
    return true;
}

static uint32_t name_site(struct fw_naming *naming, uint32_t site, enum fw_iroot_does does)
{
    const char *name = fw_symbols_name(naming->symbols, FW_SPACE_SITE, site);
    struct fw_access access = { .does = does, .site = name };
    uint64_t returns;
    char *path;

    if (fw_naming_recorded(name, &path, &returns)) {
        access = fw_locate(naming->locator, path, returns, does).access;
        free(path);
    }
    return fw_access_intern(naming->accesses, &access);
}

uint32_t fw_naming_access(struct fw_naming *naming, const struct fw_event *event)
{
    enum fw_iroot_does does = fw_iroot_does_of(event->kind);
    struct numbers *known = event->site ? &naming->by_site[does] : &naming->by_target[does];
    uint32_t at = event->site ? event->site : event->target;

    if (FW_UNLIKELY(!event->site) && naming->lacks_repeats && event->kind == FW_WRITE)
        return FW_ACCESS_NONE;
    fw_vec_extend(known, (size_t)at + 1);
    if (FW_UNLIKELY(!known->at[at]))
        known->at[at] = 1 + (event->site ? name_site(naming, event->site, does)
                                         : name_target(naming, event, does));
    return known->at[at] - 1;
}
