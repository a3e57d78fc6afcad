/*
 * elf_file.h - a program or library on disk, as far as symbols and operands need it: sections by
 * address, functions, what a slot of the offset table stands for, the build id.
 *
 * Addresses are those of the file (offsets from the load base).  The file is mapped; nothing in it
 * is believed without a look at the bounds, and a file that cannot be understood has no functions
 * and no bytes.  Tables are built when they are asked for first.
 *
 * Ownership: fw_elf_open gives the file to the caller; everything else is borrowed from it.
 * Thread-safety: one thread a file.
 */
#ifndef FW_SYMBOL_ELF_FILE_H
#define FW_SYMBOL_ELF_FILE_H

#include "base/error.h"
#include "base/vec.h"

#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>

struct fw_elf_section {
    uint64_t address, size;
    uint64_t flags; /* SHF_* */
    uint32_t type;  /* SHT_* */
    Elf_Scn *scn;
    const char *name;
};

/* A function or object of the symbol table. */
struct fw_elf_symbol {
    uint64_t start, end;
    const char *name;
};

/* A place that the dynamic linker fills with the address of a symbol. */
struct fw_elf_slot {
    uint64_t address;
    const char *name;
};

FW_VEC_TYPE(fw_elf_symbols, struct fw_elf_symbol);

struct fw_elf {
    int fd;
    Elf *elf;
    uint16_t machine, type; /* EM_*, ET_* */
    unsigned char build_id[64];
    uint32_t build_id_size;
    FW_VEC(struct fw_elf_section) sections; /* that take memory, by address */
    uint64_t relro_start, relro_end;        /* constant once the program runs */
    bool symbols_read, slots_read;
    struct fw_elf_symbols functions; /* by start, one for each start */
    struct fw_elf_symbols objects;
    FW_VEC(struct fw_elf_slot) slots;
};

/* NULL: it cannot be read or is no ELF file of 64 bits. */
struct fw_elf *fw_elf_open(const char *path, struct fw_error *err);
/* Over memory that stays as it is until the file is closed; libelf wants it writable. */
struct fw_elf *fw_elf_open_memory(void *image, size_t size, struct fw_error *err);
void fw_elf_close(struct fw_elf *file);

/* The section that holds the address, or NULL. */
const struct fw_elf_section *fw_elf_section_at(const struct fw_elf *file, uint64_t address);

/* The bytes from this address to the end of its section; NULL: there are none in the file. */
const unsigned char *fw_elf_bytes(const struct fw_elf *file, uint64_t address, size_t *count);

/* Does memory at the address stay as it is while the program runs? */
bool fw_elf_is_constant(const struct fw_elf *file, uint64_t address, size_t size);

/* The function or object that covers the address, or NULL. */
const struct fw_elf_symbol *fw_elf_function_at(struct fw_elf *file, uint64_t address);
const struct fw_elf_symbol *fw_elf_object_at(struct fw_elf *file, uint64_t address);
const struct fw_elf_symbols *fw_elf_functions(struct fw_elf *file);
const struct fw_elf_symbols *fw_elf_objects(struct fw_elf *file);
/* The one of these that covers the address, or NULL. */
const struct fw_elf_symbol *fw_elf_symbol_at(const struct fw_elf_symbols *symbols,
                                             uint64_t address);

/* The name of the symbol whose address stands at this address, or NULL. */
const char *fw_elf_slot_name(struct fw_elf *file, uint64_t address);

#endif
