/*
 * modules.h - the programs and libraries of a recording, and names for what lies in them.
 */
#ifndef FW_RECORD_MODULES_H
#define FW_RECORD_MODULES_H

#include "base/vec.h"
#include "record/units.h"

#define FW_BUILD_ID_MAX 64u

struct fw_module {
    char *path;
    uint64_t base, bytes;
    unsigned flags; /* FW_WIRE_MODULE_* */
    bool loaded;
};

/* All zero is empty.  Modules stay known after they are unloaded. */
struct fw_modules {
    FW_VEC(struct fw_module) all;
};

void fw_modules_release(struct fw_modules *modules);

/* A MODULE record: true if it is new (not only something about it). */
bool fw_modules_load(struct fw_modules *modules, const struct fw_wire_unit *record);
/* An UNLOAD record. */
void fw_modules_unload(struct fw_modules *modules, const struct fw_wire_unit *record);

/* The loaded module an address lies in, or NULL. */
const struct fw_module *fw_modules_find(const struct fw_modules *modules, uint64_t address);

/* Is it a part of the system that nobody would build with the wrapper, or our own? */
bool fw_module_is_system(const char *path);

/* What this library's own synchronisation is called, which without hooks nobody sees; NULL: it has
 * none, or one of those that the runtime intercepts. */
const char *fw_module_synchronises(const char *path);

/* The build id of an ELF file; returns its size, 0 if there is none. */
uint32_t fw_elf_build_id(const char *path, unsigned char id[FW_BUILD_ID_MAX]);

#endif
