/* scopes.c - see scopes.h. */
#include "predict/scopes.h"

/* An open call; the outermost one stands for what was called before the trace. */
struct frame {
    uint32_t activation, function;
};

struct walk {
    FW_VEC(struct frame) frames;
    uint32_t depth, block; /* open blocks; number of the outermost, 0: none */
    uint32_t *next;        /* numbers blocks and activations over the whole trace */
};

static void leave(struct walk *walk, uint32_t function)
{
    for (size_t i = walk->frames.len; i-- > 1;)
        if (walk->frames.at[i].function == function) {
            walk->frames.len = i;
            return;
        }
    walk->frames.len = 1;
    walk->frames.at[0].activation = ++*walk->next;
}

static void visit(struct fw_scopes *scopes, struct walk *walk, uint32_t at)
{
    const struct fw_event *event = &scopes->index->trace->events[at];

    if (event->kind == FW_BEGIN && walk->depth++ == 0)
        walk->block = ++*walk->next;
    if (event->kind == FW_CALL)
        fw_vec_push(&walk->frames, ((struct frame) { ++*walk->next, event->target }));
    scopes->scope[at] = scopes->has_blocks ? walk->block : fw_vec_last(&walk->frames).activation;
    if (event->kind == FW_END && walk->depth > 0 && --walk->depth == 0)
        walk->block = 0;
    if (event->kind == FW_RETURN)
        leave(walk, event->target);
}

static bool has_blocks(const struct fw_trace *trace)
{
    for (uint32_t i = 0; i < trace->count; i++)
        if (trace->events[i].kind == FW_BEGIN || trace->events[i].kind == FW_END)
            return true;
    return false;
}

void fw_scopes_init(struct fw_scopes *scopes, const struct fw_index *index,
                    const struct fw_predict_options *options)
{
    const struct fw_rows *rows = &index->by_thread;
    uint32_t next = 0;

    *scopes = (struct fw_scopes) { .index = index, .has_blocks = has_blocks(index->trace) };
    scopes->window = options->window ? options->window : FW_SCOPE_WINDOW;
    scopes->any = options->pairs_all && !scopes->has_blocks;
    if (scopes->any)
        return;
    scopes->scope = fw_xcalloc((size_t)index->trace->count + 1, sizeof *scopes->scope);
    for (uint32_t t = 0; t < rows->rows; t++) {
        struct walk walk = { .next = &next };

        fw_vec_push(&walk.frames, ((struct frame) { ++next, 0 }));
        for (uint32_t i = rows->start[t]; i < rows->start[t + 1]; i++)
            visit(scopes, &walk, rows->items[i]);
        fw_vec_release(&walk.frames);
    }
}

void fw_scopes_release(struct fw_scopes *scopes)
{
    free(scopes->scope);
    scopes->scope = NULL;
}

bool fw_scopes_together(const struct fw_scopes *scopes, uint32_t first, uint32_t last)
{
    const uint32_t *place = scopes->index->in_thread;

    if (scopes->any)
        return true;
    if (scopes->scope[first] == 0 || scopes->scope[first] != scopes->scope[last])
        return false;
    return scopes->has_blocks || place[last] - place[first] <= scopes->window;
}
