/* unhooked.c - see unhooked.h. */
#include "symbol/unhooked.h"

#include "base/alloc.h"
#include "symbol/debug_file.h"
#include "symbol/demangle.h"
#include "symbol/unhooked_code.h"

#include <dwarf.h>
#include <inttypes.h>
#include <string.h>

struct look {
    struct fw_debug_files files;
    struct fw_dwarf dwarf;
    struct fw_strtab names;
    FW_VEC(unsigned) versions; /* of clang, by unit; 0: another compiler */
    struct fw_unhooked_texts *texts;
    size_t most;
    const char *module; /* its name without folder */
};

/* --- clang or not ------------------------------------------------------------------------ */

/* What the compilers left in the file: 1: clang was one of them; 0: it was not; -1: nothing. */
static int comment_names_clang(const struct fw_elf *file)
{
    Elf_Scn *scn = NULL;
    size_t names;

    if (elf_getshdrstrndx(file->elf, &names) != 0)
        return -1;
    while ((scn = elf_nextscn(file->elf, scn))) {
        GElf_Shdr head;
        const char *name =
            gelf_getshdr(scn, &head) ? elf_strptr(file->elf, names, head.sh_name) : NULL;
        Elf_Data *data;

        if (!name || strcmp(name, ".comment") != 0)
            continue;
        data = elf_rawdata(scn, NULL);
        return data && data->d_buf && memmem(data->d_buf, data->d_size, "clang", 5) != NULL;
    }
    return -1;
}

static unsigned clang_version(const struct fw_dwarf_unit *unit)
{
    Dwarf_Die skeleton = unit->die, content = unit->content;
    Dwarf_Attribute attribute;
    const char *text = dwarf_formstring(dwarf_attr(&content, DW_AT_producer, &attribute));
    unsigned version;

    if (!text)
        text = dwarf_formstring(dwarf_attr(&skeleton, DW_AT_producer, &attribute));
    text = text ? strstr(text, "clang") : NULL;
    if (!text)
        return 0;
    text += strcspn(text, "0123456789");
    version = (unsigned)strtoul(text, NULL, 10);
    return version ? version : 1;
}

/* --- code -------------------------------------------------------------------------------- */

static void add_place(struct look *look, const struct fw_unhooked_place *place,
                      const struct fw_elf_symbol *symbol)
{
    static const char *const words[] = {
        [FW_UNHOOKED_NONE] = "",
        [FW_UNHOOKED_LONG_DOUBLE] = "long double",
        [FW_UNHOOKED_VECTOR] = "a wide or masked vector",
        [FW_UNHOOKED_BYTES] = "a value of unusual size",
    };
    struct fw_source at = { 0 };
    struct fw_source_function function = { 0 };
    char *plain, *text;
    const char *name;

    fw_dwarf_line(&look->dwarf, place->address, &at);
    plain = fw_demangle(symbol->name);
    name = plain ? plain : symbol->name;
    if (fw_dwarf_function(&look->dwarf, place->address, &function))
        name = function.name;
    if (at.file)
        text = fw_xasprintf("%s at %s:%u in %s", words[place->kind], at.file, at.line, name);
    else
        text = fw_xasprintf("%s at %s+0x%" PRIx64 " in %s", words[place->kind], look->module,
                            place->address, name);
    fw_vec_push(look->texts, text);
    free(plain);
}

/* Without debug information all of it may be clang's. */
static bool is_clangs(const struct look *look, uint64_t address)
{
    size_t low = 0, high = look->dwarf.spans.len;

    if (!look->dwarf.units.len)
        return true;
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (look->dwarf.spans.at[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low && address < look->dwarf.spans.at[low - 1].end &&
           look->versions.at[look->dwarf.spans.at[low - 1].unit];
}

/* One of each function is enough. */
static void look_at_code(struct look *look)
{
    struct fw_unhooked_code *code = fw_unhooked_code_create(look->files.file);
    const struct fw_elf_symbols *functions = fw_elf_functions(look->files.file);
    struct fw_unhooked_places places = { 0 };

    if (look->files.debug && look->files.debug != look->files.file)
        functions = fw_elf_functions(look->files.debug);
    for (size_t i = 0; code && i < functions->len && look->texts->len < look->most; i++) {
        const struct fw_elf_symbol *symbol = &functions->at[i];

        fw_vec_clear(&places);
        if (is_clangs(look, symbol->start))
            fw_unhooked_code_find(code, symbol->start, symbol->end, &places);
        if (places.len) /* one of each function */
            add_place(look, &places.at[0], symbol);
    }
    fw_vec_release(&places);
    fw_unhooked_code_destroy(code);
}

/* --- the whole --------------------------------------------------------------------------- */

/* False: clang had no part in it. */
static bool read_units(struct look *look, int commented)
{
    bool any = false;

    if (look->files.debug)
        fw_dwarf_init(&look->dwarf, look->files.debug->elf, &look->names);
    for (size_t i = 0; i < look->dwarf.units.len; i++) {
        unsigned version = clang_version(&look->dwarf.units.at[i]);

        fw_vec_push(&look->versions, version);
        any |= version != 0;
    }
    return look->dwarf.units.len ? any : commented > 0;
}

static void look_at_types(struct look *look)
{
    for (size_t i = 0; i < look->dwarf.units.len && look->texts->len < look->most; i++)
        if (look->versions.at[i])
            fw_unhooked_fields(&look->dwarf, &look->dwarf.units.at[i], look->versions.at[i],
                               look->texts, look->most);
}

void fw_unhooked_look(struct fw_unhooked_texts *texts, const char *path,
                      const unsigned char *build_id, uint32_t build_id_size, size_t most)
{
    struct look look = { .texts = texts, .most = most };
    const char *slash = strrchr(path, '/');
    int commented;

    look.module = slash ? slash + 1 : path;
    fw_debug_files_open(&look.files, path, build_id, build_id_size);
    commented = look.files.file ? comment_names_clang(look.files.file) : 0;
    if (commented != 0) {
        fw_strtab_init(&look.names);
        if (read_units(&look, commented)) {
            look_at_types(&look);
            look_at_code(&look);
        }
        fw_dwarf_release(&look.dwarf);
        fw_strtab_release(&look.names);
        fw_vec_release(&look.versions);
    }
    fw_debug_files_close(&look.files);
}
