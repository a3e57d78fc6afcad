/* symbolizer.c - see symbolizer.h. */
#include "symbol/symbolizer.h"

#include "base/alloc.h"
#include "base/bug.h"
#include "symbol/debug_file.h"
#include "symbol/demangle.h"
#include "symbol/dwarf_find.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct module {
    char *path;
    unsigned char *build_id;
    uint32_t build_id_size;
    bool opened;
    struct fw_debug_files files;
    struct fw_dwarf dwarf;
    struct fw_dwarf_data data;
};

struct fw_symbolizer {
    FW_VEC(struct module *) modules;
    struct fw_strtab texts;
};

struct fw_symbolizer *fw_symbolizer_create(void)
{
    struct fw_symbolizer *symbolizer = fw_xcalloc(1, sizeof *symbolizer);

    fw_strtab_init(&symbolizer->texts);
    return symbolizer;
}

void fw_symbolizer_destroy(struct fw_symbolizer *symbolizer)
{
    if (!symbolizer)
        return;
    for (size_t i = 0; i < symbolizer->modules.len; i++) {
        struct module *module = symbolizer->modules.at[i];

        fw_dwarf_data_release(&module->data);
        if (module->opened)
            fw_dwarf_release(&module->dwarf);
        fw_debug_files_close(&module->files);
        free(module->path);
        free(module->build_id);
        free(module);
    }
    fw_vec_release(&symbolizer->modules);
    fw_strtab_release(&symbolizer->texts);
    free(symbolizer);
}

/* --- modules ----------------------------------------------------------------------------- */

uint32_t fw_symbolizer_module(struct fw_symbolizer *symbolizer, const char *path,
                              const unsigned char *build_id, uint32_t build_id_size)
{
    struct module *module;

    for (uint32_t i = 0; i < symbolizer->modules.len; i++) {
        module = symbolizer->modules.at[i];
        if (strcmp(module->path, path) == 0 && module->build_id_size == build_id_size &&
            (!build_id_size || memcmp(module->build_id, build_id, build_id_size) == 0))
            return i;
    }
    module = fw_xcalloc(1, sizeof *module);
    module->path = fw_xstrdup(path);
    module->build_id = fw_xmalloc(build_id_size);
    if (build_id_size)
        memcpy(module->build_id, build_id, build_id_size);
    module->build_id_size = build_id_size;
    fw_vec_push(&symbolizer->modules, module);
    return (uint32_t)symbolizer->modules.len - 1;
}

const char *fw_symbolizer_complaint(const struct fw_symbolizer *symbolizer, uint32_t module)
{
    const struct fw_debug_files *files = &symbolizer->modules.at[module]->files;

    return !files->file && files->complaint[0] ? files->complaint : NULL;
}

uint32_t fw_symbolizer_count(const struct fw_symbolizer *symbolizer)
{
    return (uint32_t)symbolizer->modules.len;
}

/* The module, with its files looked at. */
static struct module *use(struct fw_symbolizer *symbolizer, uint32_t number)
{
    struct module *module;

    FW_ASSERT(number < symbolizer->modules.len);
    module = symbolizer->modules.at[number];
    if (module->opened)
        return module;
    module->opened = true;
    fw_debug_files_open(&module->files, module->path, module->build_id, module->build_id_size);
    if (module->files.debug)
        fw_dwarf_init(&module->dwarf, module->files.debug->elf, &symbolizer->texts);
    return module;
}

/* --- the symbol table -------------------------------------------------------------------- */

/* Without the types of its parameters, as debug information has it. */
static void drop_parameters(char *name)
{
    char *end = strrchr(name, ')'), *at;
    unsigned depth = 0;

    for (at = end; at && at > name; at--) {
        depth += *at == ')';
        depth -= *at == '(';
        if (!depth)
            break;
    }
    if (at && at > name)
        *at = '\0';
}

static const char *readable(struct fw_symbolizer *symbolizer, const char *name)
{
    char *plain = fw_demangle(name);
    const char *text = plain ? plain : name;

    if (plain)
        drop_parameters(plain);

    text = fw_strtab_text(&symbolizer->texts,
                          fw_strtab_intern(&symbolizer->texts, text, strlen(text)));
    free(plain);
    return text;
}

/* Of the module, or of its debug file: one of them may be stripped. */
static const struct fw_elf_symbol *symbol_at(struct module *module, uint64_t address,
                                             const struct fw_elf_symbol *(*find)(struct fw_elf *,
                                                                                 uint64_t))
{
    const struct fw_elf_symbol *symbol = NULL;

    if (module->files.debug)
        symbol = find(module->files.debug, address);
    if (!symbol && module->files.file)
        symbol = find(module->files.file, address);
    return symbol;
}

/* --- answers ----------------------------------------------------------------------------- */

bool fw_symbolizer_line(struct fw_symbolizer *symbolizer, uint32_t module, uint64_t address,
                        struct fw_source *source)
{
    struct module *used = use(symbolizer, module);

    *source = (struct fw_source) { 0 };
    return used->files.debug && fw_dwarf_line(&used->dwarf, address, source);
}

bool fw_symbolizer_function(struct fw_symbolizer *symbolizer, uint32_t module, uint64_t address,
                            struct fw_source_function *function)
{
    struct module *used = use(symbolizer, module);
    const struct fw_elf_symbol *symbol;

    if (used->files.debug && fw_dwarf_function(&used->dwarf, address, function))
        return true;
    symbol = symbol_at(used, address, fw_elf_function_at);
    if (!symbol)
        return false;
    function->name = readable(symbolizer, symbol->name);
    function->start = symbol->start;
    return true;
}

size_t fw_symbolizer_frames(struct fw_symbolizer *symbolizer, uint32_t module, uint64_t address,
                            struct fw_source_frame *frames, size_t most)
{
    struct module *used = use(symbolizer, module);
    struct fw_source_function function;
    size_t count = 0;

    if (used->files.debug)
        count = fw_dwarf_frames(&used->dwarf, address, frames, most);
    if (count || !most || !fw_symbolizer_function(symbolizer, module, address, &function))
        return count;
    frames[0] = (struct fw_source_frame) { .function = function.name };
    fw_symbolizer_line(symbolizer, module, address, &frames[0].at);
    return 1;
}

const char *fw_symbolizer_directory(struct fw_symbolizer *symbolizer, uint32_t module,
                                    uint64_t address)
{
    struct module *used = use(symbolizer, module);

    return used->files.debug ? fw_dwarf_directory(&used->dwarf, address) : NULL;
}

static bool variable_by_symbol(struct fw_symbolizer *symbolizer, struct module *module,
                               uint64_t address, struct fw_source_variable *variable)
{
    const struct fw_elf_symbol *symbol = symbol_at(module, address, fw_elf_object_at);
    char *text;

    if (!symbol)
        return false;
    *variable = (struct fw_source_variable) { .object = readable(symbolizer, symbol->name),
                                              .size = symbol->end - symbol->start };
    variable->name = variable->object;
    if (address != symbol->start) {
        text = fw_xasprintf("%s+0x%" PRIx64, variable->object, address - symbol->start);
        variable->name = fw_strtab_text(&symbolizer->texts,
                                        fw_strtab_intern(&symbolizer->texts, text, strlen(text)));
        free(text);
    }
    return true;
}

bool fw_symbolizer_variable(struct fw_symbolizer *symbolizer, uint32_t module, uint64_t address,
                            struct fw_source_variable *variable)
{
    struct module *used = use(symbolizer, module);

    if (used->files.debug && fw_dwarf_data_at(&used->data, &used->dwarf, address, variable)) {
        const struct fw_elf_symbol *symbol = NULL;

        if (!variable->size) /* described elsewhere */
            symbol = symbol_at(used, address, fw_elf_object_at);
        if (symbol)
            variable->size = symbol->end - symbol->start;
        return true;
    }
    return variable_by_symbol(symbolizer, used, address, variable);
}

bool fw_symbolizer_variable_name(struct fw_symbolizer *symbolizer, uint32_t module,
                                 uint64_t address, char name[FW_SYMBOL_NAME])
{
    struct module *used = use(symbolizer, module);
    struct fw_source_variable variable;

    if (used->files.debug &&
        fw_dwarf_data_name(&used->data, &used->dwarf, address, name, FW_SYMBOL_NAME))
        return true;
    if (!variable_by_symbol(symbolizer, used, address, &variable))
        return false;
    snprintf(name, FW_SYMBOL_NAME, "%s", variable.name);
    return true;
}

bool fw_symbolizer_has_debug(struct fw_symbolizer *symbolizer, uint32_t module)
{
    struct module *used = use(symbolizer, module);

    return used->files.debug && used->dwarf.units.len > 0;
}

/* Is it called so, or a piece of what is: the name, a dot and a word of the compiler's? */
static bool is_piece(const char *symbol, const char *name)
{
    static const char clone[] = " [clone ."; /* so say those who make C++'s names readable */
    size_t len = strlen(name);

    if (strncmp(symbol, name, len) != 0)
        return false;
    symbol += len;
    return !*symbol || *symbol == '.' || strncmp(symbol, clone, sizeof clone - 1) == 0;
}

static size_t find_pieces(struct fw_symbolizer *symbolizer, struct fw_elf *file, const char *name,
                          struct fw_symbol_ranges *ranges)
{
    const struct fw_elf_symbols *objects = fw_elf_objects(file);
    size_t before = ranges->len;

    for (size_t i = 0; i < objects->len; i++)
        if (is_piece(readable(symbolizer, objects->at[i].name), name))
            fw_vec_push(ranges, ((struct fw_symbol_range) { objects->at[i].start,
                                                            objects->at[i].end }));
    return ranges->len - before;
}

size_t fw_symbolizer_find_variable(struct fw_symbolizer *symbolizer, uint32_t module,
                                   const char *name, struct fw_symbol_ranges *ranges,
                                   struct fw_suggestion *near)
{
    struct module *used = use(symbolizer, module);
    size_t found;

    if (!used->files.debug)
        return 0;
    found = fw_dwarf_find_variable(&used->data, &used->dwarf, name, ranges, near);
    if (!found)
        found = find_pieces(symbolizer, used->files.debug, name, ranges);
    return found;
}

size_t fw_symbolizer_find_line(struct fw_symbolizer *symbolizer, uint32_t module, const char *file,
                               unsigned line, struct fw_symbol_ranges *ranges, unsigned *nearest)
{
    struct module *used = use(symbolizer, module);

    return used->files.debug ? fw_dwarf_find_line(&used->dwarf, file, line, ranges, nearest) : 0;
}
