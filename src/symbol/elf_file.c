/* elf_file.c - see elf_file.h. */
#include "symbol/elf_file.h"

#include "base/alloc.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_SYMBOLS (1u << 24) /* of one table; more is not believed */

/* --- opening ----------------------------------------------------------------------------- */

static int compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int by_address(const void *a, const void *b)
{
    return compare(((const struct fw_elf_section *)a)->address,
                   ((const struct fw_elf_section *)b)->address);
}

static void read_sections(struct fw_elf *file)
{
    size_t names;
    Elf_Scn *scn = NULL;

    if (elf_getshdrstrndx(file->elf, &names) < 0)
        return;
    while ((scn = elf_nextscn(file->elf, scn))) {
        GElf_Shdr head;
        const char *name;

        if (!gelf_getshdr(scn, &head) || !(head.sh_flags & SHF_ALLOC) || head.sh_flags & SHF_TLS ||
            head.sh_size > UINT64_MAX - head.sh_addr)
            continue;
        name = elf_strptr(file->elf, names, head.sh_name);
        fw_vec_push(&file->sections, ((struct fw_elf_section) {
                                         .address = head.sh_addr,
                                         .size = head.sh_size,
                                         .flags = head.sh_flags,
                                         .type = head.sh_type,
                                         .scn = scn,
                                         .name = name ? name : "",
                                     }));
    }
    if (file->sections.len)
        qsort(file->sections.at, file->sections.len, sizeof *file->sections.at, by_address);
}

static void read_segments(struct fw_elf *file)
{
    size_t count;

    if (elf_getphdrnum(file->elf, &count) < 0)
        return;
    for (size_t i = 0; i < count && i < 65536; i++) {
        GElf_Phdr head;

        if (!gelf_getphdr(file->elf, (int)i, &head))
            return;
        if (head.p_type == PT_GNU_RELRO && head.p_memsz <= UINT64_MAX - head.p_vaddr) {
            file->relro_start = head.p_vaddr;
            file->relro_end = head.p_vaddr + head.p_memsz;
        }
    }
}

static void read_build_id(struct fw_elf *file)
{
    const void *id;
    ssize_t size = dwelf_elf_gnu_build_id(file->elf, &id);

    if (size <= 0 || (size_t)size > sizeof file->build_id)
        return;
    memcpy(file->build_id, id, (size_t)size);
    file->build_id_size = (uint32_t)size;
}

/* Takes the descriptor over. */
static struct fw_elf *open_elf(Elf *elf, int fd, struct fw_error *err)
{
    struct fw_elf *file;
    GElf_Ehdr head;

    if (!elf || elf_kind(elf) != ELF_K_ELF || gelf_getclass(elf) != ELFCLASS64 ||
        !gelf_getehdr(elf, &head) || head.e_ident[EI_DATA] != ELFDATA2LSB) {
        fw_error_set(err, "no ELF file of 64 bits");
        elf_end(elf);
        if (fd >= 0)
            close(fd);
        return NULL;
    }
    file = fw_xcalloc(1, sizeof *file);
    file->fd = fd;
    file->elf = elf;
    file->machine = head.e_machine;
    file->type = head.e_type;
    read_sections(file);
    read_segments(file);
    read_build_id(file);
    return file;
}

struct fw_elf *fw_elf_open(const char *path, struct fw_error *err)
{
    struct stat status;
    /* What a trace names may be a pipe or a terminal by now: do not wait for it. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

    if (fd < 0 || fstat(fd, &status) < 0) {
        fw_error_errno(err, "cannot open '%s'", path);
        if (fd >= 0)
            close(fd);
        return NULL;
    }
    if (!S_ISREG(status.st_mode)) {
        fw_error_set(err, "'%s' is no regular file", path);
        close(fd);
        return NULL;
    }
    elf_version(EV_CURRENT);
    return open_elf(elf_begin(fd, ELF_C_READ_MMAP_PRIVATE, NULL), fd, err);
}

struct fw_elf *fw_elf_open_memory(void *image, size_t size, struct fw_error *err)
{
    elf_version(EV_CURRENT);
    return open_elf(elf_memory(image, size), -1, err);
}

void fw_elf_close(struct fw_elf *file)
{
    if (!file)
        return;
    fw_vec_release(&file->sections);
    fw_vec_release(&file->functions);
    fw_vec_release(&file->objects);
    fw_vec_release(&file->slots);
    elf_end(file->elf);
    if (file->fd >= 0)
        close(file->fd);
    free(file);
}

/* --- memory ------------------------------------------------------------------------------ */

const struct fw_elf_section *fw_elf_section_at(const struct fw_elf *file, uint64_t address)
{
    size_t low = 0, high = file->sections.len;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (file->sections.at[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    /* Empty sections may share the address of the one that is meant. */
    while (low-- > 0) {
        const struct fw_elf_section *section = &file->sections.at[low];

        if (section->size)
            return address - section->address < section->size ? section : NULL;
    }
    return NULL;
}

const unsigned char *fw_elf_bytes(const struct fw_elf *file, uint64_t address, size_t *count)
{
    const struct fw_elf_section *section = fw_elf_section_at(file, address);
    Elf_Data *data;
    uint64_t offset;

    if (!section || section->type == SHT_NOBITS || section->flags & SHF_COMPRESSED)
        return NULL;
    data = elf_rawdata(section->scn, NULL);
    offset = address - section->address;
    if (!data || !data->d_buf || offset >= data->d_size)
        return NULL;
    *count = data->d_size - offset;
    return (const unsigned char *)data->d_buf + offset;
}

bool fw_elf_is_constant(const struct fw_elf *file, uint64_t address, size_t size)
{
    const struct fw_elf_section *section = fw_elf_section_at(file, address);

    if (!section || size > section->size || address - section->address > section->size - size)
        return false;
    if (!(section->flags & SHF_WRITE) || strcmp(section->name, ".got") == 0)
        return true;
    return address >= file->relro_start && address < file->relro_end &&
           size <= file->relro_end - address;
}

/* --- symbols ----------------------------------------------------------------------------- */

static int by_start(const void *a, const void *b)
{
    const struct fw_elf_symbol *x = a, *y = b;
    int order = compare(x->start, y->start);

    if (order == 0)
        order = compare(y->end, x->end);
    return order ? order : strcmp(x->name, y->name);
}

/* Of several that start together the longest, and the first by name, stays. */
static void settle(struct fw_elf_symbols *symbols)
{
    size_t kept = 0;

    if (symbols->len)
        qsort(symbols->at, symbols->len, sizeof *symbols->at, by_start);
    for (size_t i = 0; i < symbols->len; i++)
        if (kept == 0 || symbols->at[kept - 1].start != symbols->at[i].start)
            symbols->at[kept++] = symbols->at[i];
    symbols->len = kept;
}

static void read_table(struct fw_elf *file, Elf_Scn *scn, const GElf_Shdr *head)
{
    Elf_Data *data = elf_getdata(scn, NULL);
    size_t count = data && head->sh_entsize ? data->d_size / sizeof(Elf64_Sym) : 0;

    for (size_t i = 0; i < count && i < MAX_SYMBOLS; i++) {
        GElf_Sym symbol;
        const char *name;
        unsigned type;

        if (!gelf_getsym(data, (int)i, &symbol))
            return;
        type = GELF_ST_TYPE(symbol.st_info);
        if (symbol.st_shndx == SHN_UNDEF || !symbol.st_size ||
            symbol.st_size > UINT64_MAX - symbol.st_value ||
            (type != STT_FUNC && type != STT_OBJECT))
            continue;
        name = elf_strptr(file->elf, head->sh_link, symbol.st_name);
        if (!name || !*name)
            continue;
        fw_vec_push(
            type == STT_FUNC ? &file->functions : &file->objects,
            ((struct fw_elf_symbol) { symbol.st_value, symbol.st_value + symbol.st_size, name }));
    }
}

/* The full table where there is one; stripped files have only what they export. */
static void read_symbols(struct fw_elf *file)
{
    static const uint32_t types[] = { SHT_SYMTAB, SHT_DYNSYM };

    file->symbols_read = true;
    for (size_t i = 0; i < 2 && !file->functions.len && !file->objects.len; i++) {
        Elf_Scn *scn = NULL;

        while ((scn = elf_nextscn(file->elf, scn))) {
            GElf_Shdr head;

            if (gelf_getshdr(scn, &head) && head.sh_type == types[i])
                read_table(file, scn, &head);
        }
    }
    settle(&file->functions);
    settle(&file->objects);
}

const struct fw_elf_symbol *fw_elf_symbol_at(const struct fw_elf_symbols *symbols,
                                             uint64_t address)
{
    size_t low = 0, high = symbols->len;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (symbols->at[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low && address < symbols->at[low - 1].end ? &symbols->at[low - 1] : NULL;
}

const struct fw_elf_symbols *fw_elf_functions(struct fw_elf *file)
{
    if (!file->symbols_read)
        read_symbols(file);
    return &file->functions;
}

const struct fw_elf_symbol *fw_elf_function_at(struct fw_elf *file, uint64_t address)
{
    return fw_elf_symbol_at(fw_elf_functions(file), address);
}

const struct fw_elf_symbols *fw_elf_objects(struct fw_elf *file)
{
    if (!file->symbols_read)
        read_symbols(file);
    return &file->objects;
}

const struct fw_elf_symbol *fw_elf_object_at(struct fw_elf *file, uint64_t address)
{
    return fw_elf_symbol_at(fw_elf_objects(file), address);
}

/* --- slots ------------------------------------------------------------------------------- */

static int by_slot(const void *a, const void *b)
{
    return compare(((const struct fw_elf_slot *)a)->address,
                   ((const struct fw_elf_slot *)b)->address);
}

/* Relocations name symbols of the table that their section links to. */
static void read_relocations(struct fw_elf *file, Elf_Scn *scn, const GElf_Shdr *head)
{
    Elf_Data *data = elf_getdata(scn, NULL), *table = NULL;
    Elf_Scn *linked = elf_getscn(file->elf, head->sh_link);
    size_t count = data ? data->d_size / sizeof(Elf64_Rela) : 0;
    GElf_Shdr linked_head;

    if (!linked || !gelf_getshdr(linked, &linked_head) || linked_head.sh_type != SHT_DYNSYM)
        return;
    table = elf_getdata(linked, NULL);
    for (size_t i = 0; table && i < count && i < MAX_SYMBOLS; i++) {
        GElf_Rela relocation;
        GElf_Sym symbol;
        const char *name;

        if (!gelf_getrela(data, (int)i, &relocation))
            return;
        if (GELF_R_TYPE(relocation.r_info) != R_X86_64_GLOB_DAT &&
            GELF_R_TYPE(relocation.r_info) != R_X86_64_JUMP_SLOT)
            continue;
        if (!gelf_getsym(table, (int)GELF_R_SYM(relocation.r_info), &symbol))
            continue;
        name = elf_strptr(file->elf, linked_head.sh_link, symbol.st_name);
        if (name && *name)
            fw_vec_push(&file->slots, ((struct fw_elf_slot) { relocation.r_offset, name }));
    }
}

static void read_slots(struct fw_elf *file)
{
    Elf_Scn *scn = NULL;

    file->slots_read = true;
    while (file->machine == EM_X86_64 && (scn = elf_nextscn(file->elf, scn))) {
        GElf_Shdr head;

        if (gelf_getshdr(scn, &head) && head.sh_type == SHT_RELA && head.sh_flags & SHF_ALLOC)
            read_relocations(file, scn, &head);
    }
    if (file->slots.len)
        qsort(file->slots.at, file->slots.len, sizeof *file->slots.at, by_slot);
}

const char *fw_elf_slot_name(struct fw_elf *file, uint64_t address)
{
    struct fw_elf_slot key = { .address = address };
    const struct fw_elf_slot *slot;

    if (!file->slots_read)
        read_slots(file);
    slot = file->slots.len
               ? bsearch(&key, file->slots.at, file->slots.len, sizeof *file->slots.at, by_slot)
               : NULL;
    return slot ? slot->name : NULL;
}
