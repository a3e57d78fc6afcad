/*
 * names.h - C identifiers for the names of a trace.
 *
 * Readable where possible (variable x is var_x), always valid, and different
 * for different things.
 */
#ifndef FW_TIDDLE_NAMES_H
#define FW_TIDDLE_NAMES_H

#include "base/strtab.h"

struct fw_c_names {
    struct fw_strtab used;
};

void fw_c_names_init(struct fw_c_names *names);
void fw_c_names_release(struct fw_c_names *names);

/* A new identifier that begins with the prefix; it lives as long as the names. */
const char *fw_c_names_make(struct fw_c_names *names, const char *prefix, const char *name);

#endif
