/*
 * wire_file.h - a program's hooks and pairs on their way to the runtime (guard/guard_wire.h), and
 * back: what it has noted.
 *
 * The file is memory that the program finds through this process, or a file with a name, for
 * services that are started by others.
 */
#ifndef FW_LEARN_WIRE_FILE_H
#define FW_LEARN_WIRE_FILE_H

#include "guard/guard_wire.h"
#include "learn/program.h"

struct fw_guard_file {
    struct fw_guard_head *head; /* mapped, as the runtime has it; NULL: there is none */
    uint64_t bytes;
    int fd;
    char *path; /* for FOREWEAVE_OPTIONS: guard=PATH */
};

/* A place that is no access to be watched, and where a transaction may end. */
struct fw_guard_point {
    uint32_t module;  /* of the program */
    uint64_t returns; /* where the call returns to */
    bool cut;         /* else its hook is kept for what it is told */
};

FW_VEC_TYPE(fw_guard_points, struct fw_guard_point);

/* A place where a region begins, or goes on: guard_wire.h. */
struct fw_guard_stretch {
    uint32_t module;
    uint32_t function; /* from 1, of all modules */
    uint64_t returns;
    uint16_t frame; /* as in struct fw_guard_hook */
};

FW_VEC_TYPE(fw_guard_stretches, struct fw_guard_stretch);

/* What is to be in it: numbers of sites are those of the program (from 0). */
struct fw_guard_wish {
    enum fw_guard_mode mode;
    const bool *watched; /* by site */
    const bool *claims;  /* FW_GUARD_LIFETX, by site: reads that keep others away as writes do */
    const bool *ends;    /* the same: a transaction ends behind them */
    const struct fw_guard_points *points; /* FW_GUARD_LIFETX: by module and address, each once */
    const struct fw_guard_stretches *stretches; /* by module and address, each once */
    uint32_t functions; /* that have them */
    uint32_t rollback, force;
    bool also; /* what else sites may come behind is kept, too: FW_AFTER_* */
    bool dry, keep_calls;
    uint64_t stall; /* ns */
    uint32_t budget;
    size_t pairs;   /* that will be added, about */
    uint32_t hot;   /* passes in a second that retire a site; 0: none */
    uint32_t noise; /* per mille */
    uint64_t noise_most; /* ns */
    uint64_t seed;
};

/* path NULL: memory.  -1: err.  Release it in either case. */
int fw_guard_file_make(struct fw_guard_file *file, const struct fw_learn_program *program,
                       const struct fw_guard_wish *wish, const char *path, struct fw_error *err);
/* One that exists; the program may be running. */
int fw_guard_file_open(struct fw_guard_file *file, const char *path, struct fw_error *err);
void fw_guard_file_release(struct fw_guard_file *file);

/* Before the program starts.  -1: there is no room. */
int fw_guard_file_add_pair(struct fw_guard_file *file, uint32_t site, uint32_t before);

/* FW_GUARD_FORBID: the site waits until `first` has been passed once. */
void fw_guard_file_need(struct fw_guard_file *file, uint32_t site, uint32_t first);
/* What else the site may come behind: FW_AFTER_*. */
void fw_guard_file_allow(struct fw_guard_file *file, uint32_t site, unsigned also);

/* Calls `take` for every pair that the program has added, and makes them old. */
void fw_guard_file_take_new(struct fw_guard_file *file,
                            void (*take)(uint32_t site, uint32_t before, void *context),
                            void *context);
/* What the program has added or noted since is forgotten. */
void fw_guard_file_forget_new(struct fw_guard_file *file);

#endif
