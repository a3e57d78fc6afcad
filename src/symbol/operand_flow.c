/* operand_flow.c - see operand_flow.h. */
#include "symbol/operand_flow.h"

#include "base/bug.h"
#include "symbol/operand_callee.h"

#include <stdlib.h>
#include <string.h>

#define MAX_STEPS 400000u /* of one function; larger ones are not looked into */
#define MAX_TABLE 65536u  /* entries */
#define NO_STEP   UINT32_MAX

enum kind {
    UNKNOWN,
    NUMBER,   /* offset */
    STACK,    /* the stack pointer at the entry (base 0) or what an instruction at `base` rounded */
    THREAD,   /* the thread's block + offset (+ what a slot or a variable at `base` stands for) */
    SLOT,     /* what the constant memory at `base` holds, + offset */
    TABLE,    /* an entry of the table of 4-byte numbers at `base` */
    PLACES,   /* such an entry + offset */
    POINTERS, /* an entry of the table of addresses at `base` */
};

struct value {
    uint64_t base;
    int64_t offset;
    enum kind kind;
};

struct state {
    bool reached;
    struct value registers[FW_REGISTERS];
};

struct flow {
    struct fw_elf *file;
    const struct fw_ranges *ranges;
    struct fw_steps steps;
    uint32_t *block;              /* step → its block + 1 if it begins one, else 0 */
    bool *seen;                   /* steps that were played */
    FW_VEC(struct state) entries; /* of blocks */
    FW_VEC(uint32_t) work;        /* steps that begin blocks */
    uint64_t from;                /* the instruction that is played; 0: none */
    struct fw_flow_edges *edges;  /* NULL: not wanted */
    bool hopeless;
    bool all; /* calls of all ranges are wanted */
};

static const struct value unknown = { .kind = UNKNOWN };

/* --- values ------------------------------------------------------------------------------ */

static bool same(const struct value *a, const struct value *b)
{
    return a->kind == b->kind && a->base == b->base && a->offset == b->offset;
}

static struct value joined(struct value a, struct value b)
{
    return same(&a, &b) ? a : unknown;
}

static int64_t plus(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static struct value value_at(const struct state *state, uint8_t reg)
{
    return reg < FW_REGISTERS ? state->registers[reg] : unknown;
}

static struct value moved(struct value value, int64_t by)
{
    if (by && (value.kind == TABLE || value.kind == POINTERS || value.kind == PLACES))
        return unknown;
    value.offset = plus(value.offset, by);
    return value.kind == UNKNOWN ? unknown : value;
}

static struct value sum(struct value a, struct value b)
{
    if (b.kind != NUMBER) {
        struct value other = a;

        a = b;
        b = other;
    }
    if (b.kind != NUMBER)
        return unknown;
    if (a.kind == TABLE)
        return (struct value) { a.base, b.offset, PLACES };
    return moved(a, b.offset);
}

static struct value plus_thread(struct value value)
{
    if (value.kind == NUMBER)
        return (struct value) { 0, value.offset, THREAD };
    if (value.kind == SLOT)
        return (struct value) { value.base, value.offset, THREAD };
    return unknown;
}

/* Where a memory operand points: base + index * scale + number. */
struct place {
    bool known;   /* address is all of it */
    bool indexed; /* address, and an unknown index beyond it */
    uint64_t address;
};

static struct place place_of(const struct state *state, const struct fw_step *step)
{
    struct value base = value_at(state, step->src), index = value_at(state, step->index);
    bool has_base = step->src != FW_NO_REGISTER, has_index = step->index != FW_NO_REGISTER;
    struct place place = { .address = (uint64_t)step->number };
    unsigned strange = 0;

    if (has_base && base.kind == NUMBER)
        place.address += (uint64_t)base.offset;
    else
        strange += has_base;
    if (has_index && index.kind == NUMBER)
        place.address += (uint64_t)index.offset * step->scale;
    else
        strange += has_index;
    place.known = strange == 0;
    place.indexed = strange == 1;
    return place;
}

static struct value loaded(const struct flow *flow, const struct state *state,
                           const struct fw_step *step)
{
    bool wide = step->what == FW_STEP_LOAD;
    struct place place = place_of(state, step);

    if (!fw_elf_is_constant(flow->file, place.address, wide ? 8 : 4))
        return unknown;
    if (place.known && wide)
        return (struct value) { place.address, 0, SLOT };
    if (place.indexed)
        return (struct value) { place.address, 0, wide ? POINTERS : TABLE };
    return unknown;
}

/* --- steps ------------------------------------------------------------------------------- */

static struct value extended(struct value value)
{
    if (value.kind == TABLE)
        return value;
    if (value.kind == NUMBER && value.offset >= 0 && value.offset <= INT32_MAX)
        return value;
    return unknown;
}

/* The address of a thread-local variable, of which the argument says which one it is. */
static struct value called(const struct state *state, const struct fw_step *step)
{
    struct value which = state->registers[FW_RDI];

    if (which.kind != NUMBER || !step->callee || strcmp(step->callee, "__tls_get_addr") != 0)
        return unknown;
    return (struct value) { (uint64_t)which.offset, 0, THREAD };
}

static struct value outcome(const struct flow *flow, const struct state *state,
                            const struct fw_step *step)
{
    struct value src = value_at(state, step->src), dst = value_at(state, step->dst);

    switch ((enum fw_step_what)step->what) {
    case FW_STEP_CONST:
        return (struct value) { 0, step->number, NUMBER };
    case FW_STEP_COPY:
        return moved(src, step->number);
    case FW_STEP_ADD:
        return sum(dst, src);
    case FW_STEP_MAYBE:
        return joined(dst, src);
    case FW_STEP_ALIGN:
        if (dst.kind == STACK)
            return (struct value) { step->address, 0, STACK };
        return unknown;
    case FW_STEP_LOAD:
    case FW_STEP_LOAD4:
        return loaded(flow, state, step);
    case FW_STEP_NARROW:
        if (src.kind == NUMBER)
            return (struct value) { 0, (int64_t)(uint32_t)src.offset, NUMBER };
        return unknown;
    case FW_STEP_EXTEND:
        return extended(src);
    case FW_STEP_TLS:
        return (struct value) { 0, 0, THREAD };
    case FW_STEP_ADD_TLS:
        return plus_thread(dst);
    case FW_STEP_CALL:
        return called(state, step);
    default:
        return unknown;
    }
}

static void play(const struct flow *flow, struct state *state, const struct fw_step *step)
{
    struct value *regs = state->registers, result = outcome(flow, state, step);
    struct value frame = regs[FW_RBP];

    for (unsigned i = 0; i < FW_REGISTERS; i++)
        if (step->lost & 1u << i)
            regs[i] = unknown;
    if (step->what == FW_STEP_PUSH)
        regs[FW_RSP] = moved(regs[FW_RSP], -8);
    else if (step->what == FW_STEP_POP && step->dst != FW_RSP)
        regs[FW_RSP] = moved(regs[FW_RSP], 8);
    else if (step->what == FW_STEP_LEAVE)
        regs[FW_RSP] = moved(frame, 8);
    else if (step->dst < FW_REGISTERS)
        regs[step->dst] = result;
}

/* --- blocks ------------------------------------------------------------------------------ */

static uint32_t step_at(const struct flow *flow, uint64_t address)
{
    size_t low = 0, high = flow->steps.len;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (flow->steps.at[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < flow->steps.len && flow->steps.at[low].address == address ? (uint32_t)low
                                                                           : NO_STEP;
}

static bool is_inside(const struct flow *flow, uint64_t address)
{
    for (size_t i = 0; i < flow->ranges->len; i++)
        if (address >= flow->ranges->at[i].start && address < flow->ranges->at[i].end)
            return true;
    return false;
}

static void begin_block(struct flow *flow, uint32_t at)
{
    if (flow->block[at])
        return;
    fw_vec_push(&flow->entries, (struct state) { 0 });
    flow->block[at] = (uint32_t)flow->entries.len;
    if (!flow->seen[at])
        return;
    /* A block was played across this step: it has to end here from now on. */
    while (at > 0 && !flow->block[--at])
        ;
    if (flow->block[at])
        fw_vec_push(&flow->work, at);
}

/* Control comes to the step with this state: it begins a block. */
static void arrive(struct flow *flow, uint32_t at, const struct state *state)
{
    struct state *entry;
    bool changed = false;

    begin_block(flow, at);
    if (flow->edges)
        fw_vec_push(flow->edges,
                    ((struct fw_flow_edge) { flow->from, flow->steps.at[at].address }));
    entry = &flow->entries.at[flow->block[at] - 1];
    if (!entry->reached) {
        *entry = *state;
        entry->reached = changed = true;
    }
    for (unsigned i = 0; i < FW_REGISTERS; i++) {
        struct value now = joined(entry->registers[i], state->registers[i]);

        changed |= !same(&now, &entry->registers[i]);
        entry->registers[i] = now;
    }
    if (changed)
        fw_vec_push(&flow->work, at);
}

/* A jump out of the function ends in another one, unless that is not how it looks. */
static void go(struct flow *flow, uint64_t target, const struct state *state)
{
    uint32_t at = step_at(flow, target);
    const struct fw_elf_symbol *function;

    if (at != NO_STEP) {
        arrive(flow, at, state);
        return;
    }
    function = fw_elf_function_at(flow->file, target);
    /* Outlying parts that lead back are ours; others never come back. */
    if (is_inside(flow, target) ||
        (function && function->start != target && !fw_is_outlying(function->name)))
        flow->hopeless = true;
}

/* Every entry that leads into the function, up to the first that does not. */
static void go_by_table(struct flow *flow, const struct value *by, const struct state *state)
{
    size_t size = 0, width = by->kind == PLACES ? 4 : 8, i = 0;
    const unsigned char *table = fw_elf_bytes(flow->file, by->base, &size);

    /* Tables of addresses are filled in by the dynamic linker unless the program never moves. */
    if (by->kind == POINTERS && flow->file->type != ET_EXEC)
        table = NULL;
    for (; table && i < size / width && i < MAX_TABLE; i++) {
        uint64_t target;
        int32_t narrow;

        if (width == 4) {
            memcpy(&narrow, table + i * 4, 4);
            target = (uint64_t)plus(by->offset, narrow);
        } else {
            memcpy(&target, table + i * 8, 8);
        }
        if (step_at(flow, target) == NO_STEP)
            break;
        go(flow, target, state);
    }
    if (!table || i == 0 || i == MAX_TABLE)
        flow->hopeless = true;
}

static void go_anywhere(struct flow *flow, const struct fw_step *step, const struct state *state)
{
    struct value by = value_at(state, step->src);

    if (step->slot) {
        /* Another function's entry in the offset table. */
        if (!fw_elf_slot_name(flow->file, step->slot))
            flow->hopeless = true;
        return;
    }
    if (step->what == FW_STEP_LOAD)
        by = loaded(flow, state, step);
    if (by.kind == PLACES || by.kind == POINTERS)
        go_by_table(flow, &by, state);
    else
        flow->hopeless = true;
}

static bool is_fixed(const struct value *value)
{
    return value->kind == NUMBER || value->kind == STACK || value->kind == THREAD ||
           value->kind == SLOT;
}

static void note_call(const struct flow *flow, const struct state *state,
                      const struct fw_step *step, struct fw_calls *calls)
{
    static const uint8_t arguments[] = { FW_RDI, FW_RSI, FW_RDX, FW_RCX };
    struct fw_call call = { step->address, .returns = step->end, .callee = step->callee };
    struct value through = value_at(state, step->src);

    if (through.kind == SLOT && through.offset == 0)
        call.callee = fw_elf_slot_name(flow->file, through.base);
    call.direct = step->direct || call.callee;

    for (unsigned i = 0; i < sizeof arguments; i++)
        if (is_fixed(&state->registers[arguments[i]]))
            call.fixed |= (uint8_t)(1u << i);
    call.constant =
        state->registers[FW_RDI].kind == NUMBER || state->registers[FW_RDI].kind == SLOT;
    call.slot = state->registers[FW_RDI].kind == SLOT ? state->registers[FW_RDI].base : 0;
    call.first = (uint64_t)state->registers[FW_RDI].offset;
    fw_vec_push(calls, call);
}

/* Where control goes from here, other than on. */
static void part(struct flow *flow, const struct fw_step *step, const struct state *state)
{
    if (step->goes == FW_GOES_TO || step->goes == FW_GOES_EITHER)
        go(flow, step->target, state);
    else if (step->goes == FW_GOES_ANYWHERE)
        go_anywhere(flow, step, state);
}

/* From the beginning of a block to where control parts or the next block begins. */
static void run_block(struct flow *flow, uint32_t at)
{
    struct state state = flow->entries.at[flow->block[at] - 1];

    while (!flow->hopeless) {
        const struct fw_step *step = &flow->steps.at[at];

        flow->seen[at] = true;
        flow->from = step->address;
        play(flow, &state, step);
        part(flow, step, &state);
        if (step->goes != FW_GOES_ON && step->goes != FW_GOES_EITHER)
            return;
        if (++at >= flow->steps.len || flow->steps.at[at].address != step->end)
            return;
        if (flow->block[at]) {
            arrive(flow, at, &state);
            return;
        }
    }
}

static void settle(struct flow *flow)
{
    while (flow->work.len && !flow->hopeless) {
        uint32_t at = fw_vec_pop(&flow->work);

        if (flow->entries.at[flow->block[at] - 1].reached)
            run_block(flow, at);
    }
    flow->from = 0;
}

static void collect(const struct flow *flow, struct fw_calls *calls)
{
    const struct fw_ranges_item *main_range = &flow->ranges->at[0];
    struct state state = { 0 };

    for (uint32_t at = 0; at < flow->steps.len; at++) {
        const struct fw_step *step = &flow->steps.at[at];

        if (!flow->seen[at])
            continue;
        if (flow->block[at])
            state = flow->entries.at[flow->block[at] - 1];
        if (step->what == FW_STEP_CALL &&
            (flow->all || (step->address >= main_range->start && step->address < main_range->end)))
            note_call(flow, &state, step, calls);
        play(flow, &state, step);
    }
}

/* --- the whole --------------------------------------------------------------------------- */

static int by_address(const void *a, const void *b)
{
    const struct fw_step *x = a, *y = b;

    return x->address < y->address ? -1 : x->address > y->address;
}

/* The goals of plain jumps begin blocks, as does what stands behind a jump. */
static void mark_blocks(struct flow *flow)
{
    for (uint32_t i = 0; i < flow->steps.len; i++) {
        const struct fw_step *step = &flow->steps.at[i];
        uint32_t target = NO_STEP;

        if (step->goes == FW_GOES_TO || step->goes == FW_GOES_EITHER)
            target = step_at(flow, step->target);
        if (target != NO_STEP)
            begin_block(flow, target);
        if (step->goes != FW_GOES_ON && i + 1 < flow->steps.len)
            begin_block(flow, i + 1);
    }
}

static bool decode(struct flow *flow, csh handle)
{
    for (size_t i = 0; i < flow->ranges->len; i++) {
        const struct fw_ranges_item *range = &flow->ranges->at[i];

        if (range->end - range->start > 16ull * MAX_STEPS ||
            !fw_code_decode(handle, flow->file, range->start, range->end, &flow->steps))
            return false;
    }
    if (!flow->steps.len || flow->steps.len > MAX_STEPS)
        return false;
    qsort(flow->steps.at, flow->steps.len, sizeof *flow->steps.at, by_address);
    for (size_t i = 0; i < flow->steps.len; i++)
        if (flow->steps.at[i].what == FW_STEP_CALL)
            flow->steps.at[i].callee = fw_callee_name(handle, flow->file, &flow->steps.at[i]);
    flow->block = fw_xcalloc(flow->steps.len, sizeof *flow->block);
    flow->seen = fw_xcalloc(flow->steps.len, sizeof *flow->seen);
    return true;
}

static void run(struct flow *flow)
{
    struct state entry = { .reached = true }, nothing = { .reached = true };
    uint32_t first = step_at(flow, flow->ranges->at[0].start);

    FW_ASSERT(first != NO_STEP);
    mark_blocks(flow);
    entry.registers[FW_RSP] = (struct value) { .kind = STACK };
    arrive(flow, first, &entry);
    settle(flow);
    for (uint32_t i = 0; i < flow->steps.len && !flow->hopeless; i++)
        if (!flow->seen[i] && !flow->steps.at[i].padding) {
            arrive(flow, i, &nothing);
            settle(flow);
        }
}

static bool find_calls(csh handle, struct fw_elf *file, const struct fw_ranges *ranges, bool all,
                       struct fw_calls *calls, struct fw_flow_edges *edges)
{
    struct flow flow = { .file = file, .ranges = ranges, .all = all, .edges = edges };
    bool known = false;

    if (decode(&flow, handle)) {
        run(&flow);
        known = !flow.hopeless;
    }
    if (known)
        collect(&flow, calls);
    fw_vec_release(&flow.steps);
    fw_vec_release(&flow.entries);
    fw_vec_release(&flow.work);
    free(flow.block);
    free(flow.seen);
    return known;
}

bool fw_flow_calls(csh handle, struct fw_elf *file, const struct fw_ranges *ranges,
                   struct fw_calls *calls)
{
    return find_calls(handle, file, ranges, false, calls, NULL);
}

bool fw_flow_all_calls(csh handle, struct fw_elf *file, const struct fw_ranges *ranges,
                       struct fw_calls *calls)
{
    return find_calls(handle, file, ranges, true, calls, NULL);
}

bool fw_flow_graph(csh handle, struct fw_elf *file, const struct fw_ranges *ranges,
                   struct fw_calls *calls, struct fw_flow_edges *edges)
{
    return find_calls(handle, file, ranges, true, calls, edges);
}

/* --- outlying parts ---------------------------------------------------------------------- */

/* Finds out which functions the code of an outlying part leads into. */
static void read_outlier(csh handle, struct fw_elf *file, const struct fw_elf_symbols *functions,
                         const struct fw_elf_symbol *cold, struct fw_outliers *outliers)
{
    struct fw_steps steps = { 0 };

    fw_code_decode(handle, file, cold->start, cold->end, &steps);
    for (size_t i = 0; i < steps.len; i++) {
        const struct fw_step *step = &steps.at[i];
        const struct fw_elf_symbol *to;

        if (step->goes != FW_GOES_TO && step->goes != FW_GOES_EITHER)
            continue;
        to = fw_elf_symbol_at(functions, step->target);
        if (to && to->start != cold->start)
            fw_vec_push(outliers,
                        ((struct fw_outlier) { to->start, { cold->start, cold->end } }));
    }
    fw_vec_release(&steps);
}

void fw_flow_outliers(csh handle, struct fw_elf *file, const struct fw_elf_symbols *functions,
                      struct fw_outliers *outliers)
{
    for (size_t i = 0; i < functions->len; i++)
        if (fw_is_outlying(functions->at[i].name))
            read_outlier(handle, file, functions, &functions->at[i], outliers);
}
