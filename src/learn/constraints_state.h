/*
 * constraints_state.h - internal to constraints*.c: what constraints are in memory.
 */
#ifndef FW_LEARN_CONSTRAINTS_STATE_H
#define FW_LEARN_CONSTRAINTS_STATE_H

#include "base/idmap.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "learn/constraints.h"

struct fw_learnt_state {
    struct fw_learnt_site site;
    bool shared;
    unsigned also; /* FW_AFTER_* */
    FW_VEC(uint32_t) before; /* the pset */
};

struct fw_learnt_pair {
    uint32_t site, before;
};

struct fw_constraints {
    FW_VEC(struct fw_learnt_module) modules;
    uint64_t passed, failed;
    struct fw_strtab keys; /* of sites: a key's number is its site's */
    FW_VEC(struct fw_learnt_state) sites;
    FW_VEC(struct fw_learnt_pair) pairs;
    struct fw_idmap pair_map;
    FW_VEC(struct fw_learnt_cut) cuts;
    struct fw_idmap cut_map;
};

#endif
