/*
 * find_state.h - what the parts of the finder share: candidates, and how they become sections.
 */
#ifndef FW_SECTIONS_FIND_STATE_H
#define FW_SECTIONS_FIND_STATE_H

#include "base/idmap.h"
#include "base/vec.h"
#include "sections/find.h"
#include "sections/sites.h"

struct fw_candidate {
    enum fw_section_origin origin;
    uint32_t module; /* index in the finder's */
    const struct fw_site *entry, *end;
    unsigned allow;
    bool recursive;
    char *variable; /* NULL: no global one, or several */
    bool variables; /* several */
};

FW_VEC_TYPE(fw_candidates, struct fw_candidate);

struct fw_finder {
    unsigned origins;
    struct fw_finder_facts facts;
    FW_VEC(struct fw_sites *) modules; /* all that any trace had accesses in */
    struct fw_candidates candidates;   /* each once: by origin, module, entry and end */
    struct fw_idmap map;
};

#endif
