/* dwarf_code.c - see dwarf_code.h. */
#include "symbol/dwarf_code.h"

#include "base/alloc.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_RANGES 65536 /* of one entry */

const char *fw_dwarf_keep(struct fw_dwarf *dwarf, const char *text)
{
    return fw_strtab_text(dwarf->texts, fw_strtab_intern(dwarf->texts, text, strlen(text)));
}

/* --- units ------------------------------------------------------------------------------- */

static bool is_plain(Dwarf_Die *unit)
{
    switch (dwarf_srclang(unit)) {
    case DW_LANG_C:
    case DW_LANG_C89:
    case DW_LANG_C99:
    case DW_LANG_C11:
    case DW_LANG_Mips_Assembler:
        return true;
    default:
        return false;
    }
}

static void add_spans(struct fw_dwarf *dwarf, Dwarf_Die *die, uint32_t unit)
{
    Dwarf_Addr base, start, end;
    ptrdiff_t offset = 0;

    for (int i = 0; i < MAX_RANGES; i++) {
        offset = dwarf_ranges(die, offset, &base, &start, &end);
        if (offset <= 0)
            return;
        if (start < end)
            fw_vec_push(&dwarf->spans, ((struct fw_dwarf_span) { start, end, unit }));
    }
}

static void add_unit(struct fw_dwarf *dwarf, Dwarf_Die *die, Dwarf_Die *content)
{
    struct fw_dwarf_unit unit = { .die = *die, .content = *content };
    Dwarf_Attribute attribute;

    unit.directory = dwarf_formstring(dwarf_attr(die, DW_AT_comp_dir, &attribute));
    unit.plain = is_plain(content);
    add_spans(dwarf, die, (uint32_t)dwarf->units.len);
    fw_vec_push(&dwarf->units, unit);
}

static int by_span(const void *a, const void *b)
{
    const struct fw_dwarf_span *x = a, *y = b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->unit < y->unit ? -1 : x->unit > y->unit;
}

void fw_dwarf_init(struct fw_dwarf *dwarf, Elf *elf, struct fw_strtab *texts)
{
    Dwarf_CU *cu = NULL;
    Dwarf_Die die, part;
    uint8_t type;

    memset(dwarf, 0, sizeof *dwarf);
    dwarf->texts = texts;
    dwarf->dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
    for (uint32_t n = 0; dwarf->dwarf && n < FW_DWARF_STEPS; n++) {
        if (dwarf_get_units(dwarf->dwarf, cu, &cu, NULL, &type, &die, &part) != 0)
            break;
        if (type == DW_UT_compile || type == DW_UT_skeleton)
            add_unit(dwarf, &die, type == DW_UT_skeleton && part.addr ? &part : &die);
    }
    if (dwarf->spans.len)
        qsort(dwarf->spans.at, dwarf->spans.len, sizeof *dwarf->spans.at, by_span);
}

void fw_dwarf_release(struct fw_dwarf *dwarf)
{
    for (size_t i = 0; i < dwarf->units.len; i++)
        fw_vec_release(&dwarf->units.at[i].functions);
    fw_vec_release(&dwarf->units);
    fw_vec_release(&dwarf->spans);
    fw_dwarf_scopes_release(&dwarf->scopes);
    dwarf_end(dwarf->dwarf);
    memset(dwarf, 0, sizeof *dwarf);
}

static struct fw_dwarf_unit *unit_at(struct fw_dwarf *dwarf, uint64_t address)
{
    size_t low = 0, high = dwarf->spans.len;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (dwarf->spans.at[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low || address >= dwarf->spans.at[low - 1].end)
        return NULL;
    return &dwarf->units.at[dwarf->spans.at[low - 1].unit];
}

/* --- lines ------------------------------------------------------------------------------- */

/* As the compiler was given it: without the folder that it ran in. */
static const char *file_text(struct fw_dwarf *dwarf, const struct fw_dwarf_unit *unit,
                             const char *file)
{
    size_t len = unit->directory ? strlen(unit->directory) : 0;

    if (!file || !*file)
        return NULL;
    if (len && strncmp(file, unit->directory, len) == 0 && file[len] == '/')
        file += len + 1;
    while (strncmp(file, "./", 2) == 0)
        file += 2;
    return fw_dwarf_keep(dwarf, file);
}

/* The row of the table that covers the address; rows ascend. */
static size_t line_row(Dwarf_Lines *lines, size_t count, uint64_t address)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        Dwarf_Addr at = 0;

        dwarf_lineaddr(dwarf_onesrcline(lines, middle), &at);
        if (at <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool line_in_unit(struct fw_dwarf *dwarf, struct fw_dwarf_unit *unit, uint64_t address,
                         struct fw_source *source)
{
    Dwarf_Lines *lines;
    size_t count, row;

    if (dwarf_getsrclines(&unit->die, &lines, &count) != 0)
        return false;
    row = line_row(lines, count, address);
    for (unsigned i = 0; i < FW_DWARF_BACK && row-- > 0; i++) {
        Dwarf_Line *line = dwarf_onesrcline(lines, row);
        bool end = false;
        int number = 0;

        if (!line || dwarf_lineendsequence(line, &end) != 0 || end)
            return false;
        if (dwarf_lineno(line, &number) != 0 || number <= 0)
            continue;
        source->file = file_text(dwarf, unit, dwarf_linesrc(line, NULL, NULL));
        source->line = (unsigned)number;
        return source->file != NULL;
    }
    return false;
}

bool fw_dwarf_line(struct fw_dwarf *dwarf, uint64_t address, struct fw_source *source)
{
    struct fw_dwarf_unit *unit = unit_at(dwarf, address);

    return unit && line_in_unit(dwarf, unit, address, source);
}

const char *fw_dwarf_directory(struct fw_dwarf *dwarf, uint64_t address)
{
    struct fw_dwarf_unit *unit = unit_at(dwarf, address);

    return unit ? unit->directory : NULL;
}

/* A file by its number in the unit's table, and a line. */
static struct fw_source source_of(struct fw_dwarf *dwarf, const struct fw_dwarf_unit *unit,
                                  Dwarf_Die *die, unsigned file_name, unsigned line_name)
{
    Dwarf_Die whose = unit->die;
    Dwarf_Attribute attribute;
    Dwarf_Word file = 0, line = 0;
    Dwarf_Files *files;
    size_t count;
    struct fw_source source = { 0 };

    if (dwarf_formudata(dwarf_attr_integrate(die, file_name, &attribute), &file) != 0 ||
        dwarf_formudata(dwarf_attr_integrate(die, line_name, &attribute), &line) != 0 || !line ||
        line > INT32_MAX)
        return source;
    if (dwarf_getsrcfiles(&whose, &files, &count) != 0 || file >= count)
        return source;
    source.file = file_text(dwarf, unit, dwarf_filesrc(files, file, NULL, NULL));
    source.line = source.file ? (unsigned)line : 0;
    return source;
}

struct fw_source fw_dwarf_declared(struct fw_dwarf *dwarf, const struct fw_dwarf_unit *unit,
                                   Dwarf_Die *die)
{
    return source_of(dwarf, unit, die, DW_AT_decl_file, DW_AT_decl_line);
}

/* --- names ------------------------------------------------------------------------------- */

/* The entry that says where the name belongs: of an instance the abstract one, of a definition
 * outside its class the declaration. */
static Dwarf_Die declaration_of(Dwarf_Die *die)
{
    Dwarf_Die at = *die;

    for (unsigned i = 0; i < FW_DWARF_DEPTH; i++) {
        Dwarf_Attribute attribute;
        Dwarf_Die next;

        if (!dwarf_formref_die(dwarf_attr(&at, DW_AT_abstract_origin, &attribute), &next) &&
            !dwarf_formref_die(dwarf_attr(&at, DW_AT_specification, &attribute), &next))
            break;
        at = next;
    }
    return at;
}

const char *fw_dwarf_name(struct fw_dwarf *dwarf, const struct fw_dwarf_unit *unit, Dwarf_Die *die)
{
    Dwarf_Die declaration = declaration_of(die), scopes[FW_DWARF_DEPTH];
    const char *name = dwarf_diename(&declaration);
    char text[1024] = "";
    size_t len = 0, count = 0;

    if (!name)
        return NULL;
    if (!unit->plain)
        count = fw_dwarf_scopes_of(&dwarf->scopes, &declaration, scopes, FW_DWARF_DEPTH);
    while (count-- > 0) {
        const char *scope = dwarf_diename(&scopes[count]);

        if (!scope && strcmp(name, "operator()") == 0)
            scope = "{lambda}";
        if (scope && len < sizeof text)
            len += (size_t)snprintf(text + len, sizeof text - len, "%s::", scope);
    }
    if (len < sizeof text)
        snprintf(text + len, sizeof text - len, "%s", name);
    return fw_dwarf_keep(dwarf, text);
}

/* --- functions --------------------------------------------------------------------------- */

static void add_function(struct fw_dwarf_unit *unit, Dwarf_Die *die)
{
    Dwarf_Addr base, start, end;
    uint64_t first = 0;
    ptrdiff_t offset = 0;

    for (int i = 0; i < MAX_RANGES; i++) {
        offset = dwarf_ranges(die, offset, &base, &start, &end);
        if (offset <= 0)
            return;
        if (start >= end)
            continue;
        first = i == 0 ? start : first;
        fw_vec_push(&unit->functions, ((struct fw_dwarf_range) { start, end, first, *die }));
    }
}

/* Functions stand at the top, in namespaces, classes and, as lambdas, in functions. */
static void walk_functions(struct fw_dwarf_unit *unit, Dwarf_Die *parent, unsigned depth,
                           uint32_t *steps)
{
    Dwarf_Die die;

    if (depth > FW_DWARF_DEPTH || dwarf_child(parent, &die) != 0)
        return;
    do {
        if (++*steps > FW_DWARF_STEPS)
            return;
        if (dwarf_tag(&die) == DW_TAG_subprogram)
            add_function(unit, &die);
        if (fw_dwarf_is_scope(&die) || dwarf_tag(&die) == DW_TAG_module ||
            dwarf_tag(&die) == DW_TAG_lexical_block)
            walk_functions(unit, &die, depth + 1, steps);
    } while (dwarf_siblingof(&die, &die) == 0);
}

static int by_range(const void *a, const void *b)
{
    const struct fw_dwarf_range *x = a, *y = b;

    return x->start < y->start ? -1 : x->start > y->start;
}

static struct fw_dwarf_range *function_at(struct fw_dwarf_unit *unit, uint64_t address)
{
    uint32_t steps = 0;
    size_t low = 0, high;

    if (!unit->functions_read) {
        unit->functions_read = true;
        walk_functions(unit, &unit->content, 0, &steps);
        if (unit->functions.len)
            qsort(unit->functions.at, unit->functions.len, sizeof *unit->functions.at, by_range);
    }
    high = unit->functions.len;
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (unit->functions.at[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low && address < unit->functions.at[low - 1].end ? &unit->functions.at[low - 1] : NULL;
}

bool fw_dwarf_function(struct fw_dwarf *dwarf, uint64_t address,
                       struct fw_source_function *function)
{
    struct fw_dwarf_unit *unit = unit_at(dwarf, address);
    struct fw_dwarf_range *range = unit ? function_at(unit, address) : NULL;

    if (!range)
        return false;
    function->name = fw_dwarf_name(dwarf, unit, &range->die);
    function->start = range->first;
    return function->name != NULL;
}

/* --- inlining ---------------------------------------------------------------------------- */

/* The entry below `parent` whose code covers the address; false: there is none. */
static bool inner_scope(Dwarf_Die *parent, uint64_t address, Dwarf_Die *inner)
{
    Dwarf_Die die;

    if (dwarf_child(parent, &die) != 0)
        return false;
    for (uint32_t n = 0; n < FW_DWARF_STEPS; n++) {
        int tag = dwarf_tag(&die);

        if ((tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine ||
             tag == DW_TAG_try_block || tag == DW_TAG_catch_block) &&
            dwarf_haspc(&die, address) > 0) {
            *inner = die;
            return true;
        }
        if (dwarf_siblingof(&die, &die) != 0)
            return false;
    }
    return false;
}

/* The function and what is inlined into it at the address, outermost first. */
static size_t inlined_chain(Dwarf_Die *function, uint64_t address, Dwarf_Die chain[FW_DWARF_DEPTH])
{
    Dwarf_Die at = *function, inner;
    size_t count = 0;

    chain[count++] = at;
    for (unsigned i = 0; i < 4 * FW_DWARF_DEPTH && count < FW_DWARF_DEPTH; i++) {
        if (!inner_scope(&at, address, &inner))
            break;
        if (dwarf_tag(&inner) == DW_TAG_inlined_subroutine)
            chain[count++] = inner;
        at = inner;
    }
    return count;
}

size_t fw_dwarf_frames(struct fw_dwarf *dwarf, uint64_t address, struct fw_source_frame *frames,
                       size_t most)
{
    struct fw_dwarf_unit *unit = unit_at(dwarf, address);
    struct fw_dwarf_range *range = unit ? function_at(unit, address) : NULL;
    struct fw_source at = { 0 };
    Dwarf_Die chain[FW_DWARF_DEPTH];
    size_t count, made = 0;

    if (!range)
        return 0;
    line_in_unit(dwarf, unit, address, &at);
    count = inlined_chain(&range->die, address, chain);
    while (count-- > 0 && made < most) {
        frames[made++] = (struct fw_source_frame) {
            .function = fw_dwarf_name(dwarf, unit, &chain[count]),
            .at = at,
            .inlined = count > 0,
            .first_line = fw_dwarf_declared(dwarf, unit, &chain[count]).line,
            .copy = dwarf_dieoffset(&chain[count]),
        };
        if (count)
            at = source_of(dwarf, unit, &chain[count], DW_AT_call_file, DW_AT_call_line);
    }
    return made;
}
