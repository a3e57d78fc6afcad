/*
 * rerun.c - see rerun.h: a forward analysis to a fixed point.
 *
 * What is known before an instruction is the worst of all ways that lead there.  Where exceptions
 * land nothing is known of the stack pointer, and no stretch goes on behind it.
 */
#include "symbol/rerun.h"

#include "symbol/hooks.h"
#include "symbol/operand_flow.h"
#include "symbol/rerun_code.h"

#include <stdlib.h>
#include <string.h>

#define UNKNOWN UINT32_MAX
#define NO_STEP SIZE_MAX
#define FRAME   16u /* rbp lies so far below the frame's end, if it is the frame's */

struct state {
    bool reached;
    bool dirty;     /* something may have been done that cannot be undone, since the last place */
    bool framed;    /* rbp is the frame's */
    uint32_t depth; /* of the stack pointer below the frame's end; UNKNOWN: not known */
    uint32_t cover; /* bytes that may still be stored behind the last hook */
};

struct work {
    struct fw_elf *file;
    const struct fw_ranges *ranges;
    struct fw_rerun_steps steps; /* by address */
    struct fw_calls calls;       /* the same */
    struct fw_flow_edges edges;
    struct state *before; /* by step */
    FW_VEC(size_t) todo;
    bool (*kept)(uint64_t returns, void *context);
    void *context;
    bool exposed; /* others may know addresses of the frame */
    bool bare;    /* so what is done to it cannot be undone */
    bool hopeless;
};

struct fw_rerun {
    csh handle;
    struct fw_elf *file;
    struct fw_outliers outliers;
};

struct fw_rerun *fw_rerun_create(struct fw_elf *file)
{
    struct fw_rerun *rerun;
    csh handle;

    if (file->machine != EM_X86_64 || cs_open(CS_ARCH_X86, CS_MODE_64, &handle) != CS_ERR_OK)
        return NULL;
    cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
    rerun = fw_xcalloc(1, sizeof *rerun);
    rerun->handle = handle;
    rerun->file = file;
    fw_flow_outliers(handle, file, fw_elf_functions(file), &rerun->outliers);
    return rerun;
}

void fw_rerun_destroy(struct fw_rerun *rerun)
{
    if (!rerun)
        return;
    cs_close(&rerun->handle);
    fw_vec_release(&rerun->outliers);
    free(rerun);
}

/* --- calls ----------------------------------------------------------------------------------- */

enum callee { ALIEN, TELLS, HOOK, LOCK };

/* So many bytes the hook of a write is for; 0: of a read, or of any number. */
static uint32_t bytes_of(const char *hook)
{
    size_t len = strlen(hook);

    if (strcmp(hook, "__tsan_vptr_update") == 0)
        return 8;
    return len > 2 && strcmp(hook + len - 2, "16") == 0 ? 16
           : hook[len - 1] >= '1' && hook[len - 1] <= '8' ? (uint32_t)(hook[len - 1] - '0')
                                                          : 0;
}

static const struct fw_call *call_at(const struct work *work, uint64_t address)
{
    size_t low = 0, high = work->calls.len;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (work->calls.at[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < work->calls.len && work->calls.at[low].address == address ? &work->calls.at[low]
                                                                           : NULL;
}

/* Hooks that tell of functions and blocks touch nothing; what a call of an access hook that is not
 * kept does is nothing at all. */
static enum callee callee_of(const struct work *work, uint64_t address, uint32_t *cover)
{
    const struct fw_call *call = call_at(work, address);
    const char *name = call ? call->callee : NULL;
    bool write;

    *cover = 0;
    if (!name)
        return ALIEN;
    if (strcmp(name, "pthread_mutex_lock") == 0)
        return LOCK;
    if (strcmp(name, "__tsan_func_entry") == 0 || strcmp(name, "__tsan_func_exit") == 0 ||
        strcmp(name, "__sanitizer_cov_trace_pc") == 0 ||
        strcmp(name, "__sanitizer_cov_trace_pc_guard") == 0)
        return TELLS;
    if (!fw_hook_is_access(name, &write))
        return ALIEN;
    if (!work->kept(call->returns, work->context))
        return TELLS;
    *cover = write ? bytes_of(name) : 0;
    return HOOK;
}

/* --- steps ----------------------------------------------------------------------------------- */

static bool can_stretch(const struct state *state)
{
    return state->depth != UNKNOWN && state->depth <= FW_RERUN_FRAME;
}

static void play_call(const struct work *work, const struct fw_rerun_step *step,
                      struct state *state)
{
    enum callee callee = callee_of(work, step->address, &state->cover);

    if (callee == ALIEN)
        state->dirty = true;
    else if (callee != TELLS)
        state->dirty = !can_stretch(state);
}

static void play_store(const struct fw_rerun_step *step, struct state *state)
{
    if (state->cover >= step->size && step->size)
        state->cover -= step->size;
    else
        state->dirty = true;
}

/* Is what it stores certainly between the stack pointer and the return address, which lies at the
 * frame's very end?  Behind that are arguments that the caller has put there, and structs that were
 * passed by value: they are the function's to change, but not saved.  An index may lead anywhere,
 * in front of what the displacement names as well as behind it. */
static bool is_in_frame(const struct fw_rerun_step *step, const struct state *state)
{
    int64_t start = step->number, end;

    if (step->indexed || !step->size || state->depth == UNKNOWN)
        return false;
    if (step->by_frame)
        start += (int64_t)state->depth - FRAME;
    end = start + step->size;
    return start >= 0 && end <= (int64_t)state->depth - (step->by_frame ? FRAME : 8);
}

static void play_local(const struct work *work, const struct fw_rerun_step *step,
                       struct state *state)
{
    if (step->by_frame && !state->framed)
        play_store(step, state);
    else if (work->bare || !is_in_frame(step, state))
        state->dirty = true;
}

static void move_pointer(struct state *state, int64_t depth)
{
    state->depth = depth < 0 || depth > INT32_MAX ? UNKNOWN : (uint32_t)depth;
}

static bool moves_pointer(const struct fw_rerun_step *step)
{
    return step->what == FW_RERUN_GROW || step->what == FW_RERUN_BACK ||
           step->what == FW_RERUN_LEAVE || step->what == FW_RERUN_POP_BP;
}

/* What lies below the stack pointer may be overwritten, so a bare stretch does not move it. */
static void play(struct work *work, const struct fw_rerun_step *step, struct state *state)
{
    work->exposed |= step->what == FW_RERUN_EXPOSE || (state->framed && step->copies_bp);
    work->hopeless |= step->what == FW_RERUN_LOSE ||
                      (state->framed && step->names_bp && !step->copies_bp);
    state->dirty |= work->bare && moves_pointer(step);
    switch ((enum fw_rerun_what)step->what) {
    case FW_RERUN_ALIEN:
        state->dirty = true;
        break;
    case FW_RERUN_STORE:
        play_store(step, state);
        break;
    case FW_RERUN_LOCAL:
        play_local(work, step, state);
        break;
    case FW_RERUN_CALL:
        play_call(work, step, state);
        break;
    case FW_RERUN_GROW:
        if (state->depth != UNKNOWN)
            move_pointer(state, state->depth + step->number);
        break;
    case FW_RERUN_ENTER:
        state->framed = state->depth == FRAME;
        work->exposed |= !state->framed; /* it holds the address of a local */
        break;
    case FW_RERUN_BACK:
    case FW_RERUN_LEAVE:
        move_pointer(state, state->framed ? FRAME - step->number : -1);
        work->hopeless |= !state->framed;
        if (step->what == FW_RERUN_BACK)
            break;
        move_pointer(state, 8);
        state->framed = false;
        break;
    case FW_RERUN_POP_BP:
        if (state->depth != UNKNOWN)
            move_pointer(state, (int64_t)state->depth - 8);
        state->framed = false;
        break;
    default:
        break;
    }
}

/* --- the flow -------------------------------------------------------------------------------- */

static size_t step_at(const struct work *work, uint64_t address)
{
    size_t low = 0, high = work->steps.len;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (work->steps.at[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < work->steps.len && work->steps.at[low].address == address ? low : NO_STEP;
}

/* Control comes to the step like this: the worst counts. */
static void arrive(struct work *work, size_t at, const struct state *state)
{
    struct state *known = &work->before[at], now = *state;

    now.reached = true;
    if (known->reached) {
        now.dirty |= known->dirty;
        now.framed &= known->framed;
        now.cover = known->cover < now.cover ? known->cover : now.cover;
        now.depth = known->depth == now.depth ? now.depth : UNKNOWN;
        now.dirty |= now.depth == UNKNOWN;
        if (now.dirty == known->dirty && now.framed == known->framed &&
            now.cover == known->cover && now.depth == known->depth)
            return;
    }
    *known = now;
    fw_vec_push(&work->todo, at);
}

static int by_source(const void *a, const void *b)
{
    const struct fw_flow_edge *x = a, *y = b;

    return x->from < y->from ? -1 : x->from > y->from;
}

/* All ways on from a step: edges between blocks, or else the next one of the block. */
static void go_on(struct work *work, size_t at, const struct state *state)
{
    uint64_t address = work->steps.at[at].address;
    size_t low = 0, high = work->edges.len;
    bool parts = false;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (work->edges.at[middle].from < address)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < work->edges.len && work->edges.at[low].from == address; low++) {
        size_t to = step_at(work, work->edges.at[low].to);

        parts = true;
        if (to == NO_STEP)
            work->hopeless = true;
        else
            arrive(work, to, state);
    }
    if (!parts && !work->steps.at[at].ends && at + 1 < work->steps.len &&
        work->steps.at[at].end == work->steps.at[at + 1].address)
        arrive(work, at + 1, state);
}

/* Where it is entered: by its callers, or by exceptions that land. */
static void enter(struct work *work)
{
    const struct state called = { .dirty = true, .depth = 8 };
    const struct state landed = { .dirty = true, .depth = UNKNOWN };

    for (size_t i = 0; i < work->edges.len; i++) {
        size_t at = step_at(work, work->edges.at[i].to);

        if (work->edges.at[i].from)
            continue;
        if (at == NO_STEP)
            work->hopeless = true;
        else
            arrive(work, at,
                   work->edges.at[i].to == work->ranges->at[0].start ? &called : &landed);
    }
}

static void settle(struct work *work)
{
    memset(work->before, 0, work->steps.len * sizeof *work->before);
    enter(work);
    while (work->todo.len && !work->hopeless) {
        size_t at = fw_vec_pop(&work->todo);
        struct state state = work->before[at];

        play(work, &work->steps.at[at], &state);
        go_on(work, at, &state);
    }
}

static int by_address(const void *a, const void *b)
{
    const struct fw_rerun_step *x = a, *y = b;

    return x->address < y->address ? -1 : x->address > y->address;
}

static bool decode(struct work *work, csh handle)
{
    for (size_t i = 0; i < work->ranges->len; i++)
        if (!fw_rerun_decode(handle, work->file, work->ranges->at[i].start,
                             work->ranges->at[i].end, &work->steps))
            return false;
    if (!work->steps.len ||
        !fw_flow_graph(handle, work->file, work->ranges, &work->calls, &work->edges))
        return false;
    qsort(work->steps.at, work->steps.len, sizeof *work->steps.at, by_address);
    if (work->edges.len)
        qsort(work->edges.at, work->edges.len, sizeof *work->edges.at, by_source);
    work->before = fw_xcalloc(work->steps.len, sizeof *work->before);
    return true;
}

static void collect(const struct work *work, struct fw_rerun_places *places)
{
    for (size_t i = 0; i < work->steps.len; i++) {
        const struct fw_rerun_step *step = &work->steps.at[i];
        const struct state *state = &work->before[i];
        enum callee callee;
        uint32_t cover;

        if (step->what != FW_RERUN_CALL || !state->reached || !can_stretch(state))
            continue;
        callee = callee_of(work, step->address, &cover);
        if (callee == HOOK || callee == LOCK)
            fw_vec_push(places, ((struct fw_rerun_place) { .function = work->ranges->at[0].start,
                                                           .returns = step->end,
                                                           .frame = state->depth,
                                                           .begins = state->dirty,
                                                           .locks = callee == LOCK,
                                                           .bare = work->bare }));
    }
}

void fw_rerun_find(struct fw_rerun *rerun, uint64_t address,
                   bool (*kept)(uint64_t returns, void *context), void *context,
                   struct fw_rerun_places *places)
{
    const struct fw_elf_symbol *symbol = fw_elf_function_at(rerun->file, address);
    struct fw_ranges ranges = { 0 };
    struct work work = {
        .file = rerun->file, .ranges = &ranges, .kept = kept, .context = context
    };

    if (!symbol || fw_is_outlying(symbol->name))
        return;
    fw_vec_push(&ranges, ((struct fw_ranges_item) { symbol->start, symbol->end }));
    for (size_t i = 0; i < rerun->outliers.len; i++)
        if (rerun->outliers.at[i].function == symbol->start &&
            rerun->outliers.at[i].part.start != fw_vec_last(&ranges).start)
            fw_vec_push(&ranges, rerun->outliers.at[i].part);
    if (decode(&work, rerun->handle)) {
        settle(&work);
        if (!work.hopeless && work.exposed) {
            work.bare = true;
            settle(&work);
        }
        if (!work.hopeless)
            collect(&work, places);
    }
    fw_vec_release(&ranges);
    fw_vec_release(&work.steps);
    fw_vec_release(&work.calls);
    fw_vec_release(&work.edges);
    fw_vec_release(&work.todo);
    free(work.before);
}
