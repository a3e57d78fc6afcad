/*
 * prop_repeats.c - leaving out repeated accesses, as the recorder does, makes no finding that the
 * whole run would not have: for every witness that does not lean (repeats.h) the repeats can be put
 * back, and the verifier of the whole trace accepts the result.
 *
 * A write that was repeated is said again when its thread's segment ends or somebody else accesses
 * the variable: such an event of the thinned trace stands for the last repeat.  The result is
 * judged with the repeats in their places, so it is skipped there; a race of it is judged as the
 * last repeat's; an atomicity violation of it is not judged (both accesses are in one segment, so
 * the other thread's access races with each of them).
 */
#include "predict/predict.h"
#include "predict/repeats.h"
#include "support/property.h"

#include <stdio.h>
#include <string.h>

/* A trace, and what the recorder would have made of it. */
struct thinned {
    struct fw_trace *whole, *thin;
    bool *is_kept;   /* by position in whole */
    uint32_t *kept;  /* position in thin → position in whole */
    bool *is_again;  /* by position in thin: a write that is said again; kept: its last repeat */
    uint32_t count;  /* of thin */
    char *text;      /* of thin */
    size_t size;
};

/* --- leaving out ------------------------------------------------------------------------- */

/* What a thread did to a variable in its present segment, with nobody else at it since. */
struct recent {
    uint32_t segment;
    bool read, wrote;
    uint32_t repeat; /* position of the last repeated write + 1; 0: none */
};

struct thinner {
    const struct fw_trace *trace;
    struct thinned *to;
    const char *const *lines; /* by position */
    uint32_t threads, variables;
    uint32_t *segment;
    uint32_t *left; /* events of each thread still to come */
    bool *has_read;
    struct recent *recent; /* by variable, then thread */
};

static bool ends_segment(unsigned kind)
{
    return kind != FW_READ && kind != FW_WRITE && kind != FW_BRANCH && kind != FW_CALL &&
           kind != FW_RETURN && kind != FW_ALLOC && kind != FW_FREE;
}

/* A line of the thinned trace: an event of the whole one, or a write that is said again. */
static void emit(struct thinner *thinner, uint32_t position, bool again)
{
    const char *line = thinner->lines[position];
    size_t length = strcspn(line, "\n") + 1;
    struct thinned *to = thinner->to;

    memcpy(to->text + to->size, line, length);
    to->size += length;
    to->kept[to->count] = position;
    to->is_again[to->count++] = again;
}

static void say_again(struct thinner *thinner, struct recent *recent)
{
    if (recent->repeat)
        emit(thinner, recent->repeat - 1, true);
    recent->repeat = 0;
}

/* Somebody accesses the variable: of the others, nothing repeats what was before. */
static void disturb(struct thinner *thinner, const struct fw_event *event)
{
    struct recent *row = &thinner->recent[(size_t)event->target * thinner->threads];

    for (uint32_t t = 0; t < thinner->threads; t++) {
        if (t == event->thread && event->kind != FW_FREE && !ends_segment(event->kind))
            continue;
        say_again(thinner, &row[t]);
        row[t] = (struct recent) { 0 };
    }
}

static void close_segment(struct thinner *thinner, uint32_t thread)
{
    for (uint32_t v = 0; v < thinner->variables; v++)
        say_again(thinner, &thinner->recent[(size_t)v * thinner->threads + thread]);
    thinner->segment[thread]++;
}

/* Is it new, or does it repeat? */
static bool is_news(struct thinner *thinner, uint32_t position)
{
    const struct fw_event *event = &thinner->trace->events[position];
    struct recent *recent =
        &thinner->recent[(size_t)event->target * thinner->threads + event->thread];
    bool *done = event->kind == FW_READ ? &recent->read : &recent->wrote;

    if (recent->segment != thinner->segment[event->thread])
        *recent = (struct recent) { .segment = thinner->segment[event->thread] };
    if (!*done)
        return *done = true;
    if (event->kind == FW_WRITE)
        recent->repeat = position + 1;
    return false;
}

static bool keeps(struct thinner *thinner, uint32_t position)
{
    const struct fw_event *event = &thinner->trace->events[position];
    bool *has_read = &thinner->has_read[event->thread];
    bool kept = true;

    if (event->kind == FW_BRANCH) {
        kept = *has_read;
        *has_read = false;
        return kept;
    }
    if (fw_is_class(event->kind, FW_CLASS_CONFLICT))
        disturb(thinner, event);
    if (ends_segment(event->kind))
        close_segment(thinner, event->thread);
    else if (event->kind == FW_READ || event->kind == FW_WRITE)
        kept = is_news(thinner, position);
    if ((kept && fw_is_read(event->kind)) || event->kind == FW_JOIN)
        *has_read = true;
    return kept;
}

static void thin(struct thinner *thinner)
{
    const struct fw_trace *trace = thinner->trace;

    for (uint32_t i = 0; i < trace->count; i++)
        thinner->left[trace->events[i].thread]++;
    for (uint32_t i = 0; i < trace->count; i++) {
        uint32_t thread = trace->events[i].thread;

        thinner->to->is_kept[i] = keeps(thinner, i);
        if (thinner->to->is_kept[i])
            emit(thinner, i, false);
        if (--thinner->left[thread] == 0)
            close_segment(thinner, thread);
    }
}

static void thin_trace(struct thinned *to, const char *const *lines)
{
    struct thinner thinner = { .trace = to->whole, .to = to, .lines = lines };

    thinner.threads = fw_trace_thread_count(to->whole);
    thinner.variables = fw_symbols_count(to->whole->symbols, FW_SPACE_VARIABLE);
    thinner.segment = fw_xcalloc(thinner.threads, sizeof *thinner.segment);
    thinner.left = fw_xcalloc(thinner.threads, sizeof *thinner.left);
    thinner.has_read = fw_xcalloc(thinner.threads, sizeof *thinner.has_read);
    thinner.recent = fw_xcalloc((size_t)thinner.threads * thinner.variables + 1,
                                sizeof *thinner.recent);
    for (uint32_t t = 0; t < thinner.threads; t++) {
        thinner.segment[t] = 1;
        thinner.has_read[t] = true;
    }
    thin(&thinner);
    free(thinner.recent);
    free(thinner.has_read);
    free(thinner.left);
    free(thinner.segment);
}

/* --- traces ------------------------------------------------------------------------------ */

/* The sample without rf, which would have to be renumbered; the default answers are the same in
 * both traces, since only accesses and branches are left out. */
static char *strip_answers(const struct fw_sample *sample, size_t *size)
{
    char *text = fw_xcalloc(sample->size + 2, 1), *out = text;
    const char *in = sample->text, *end = in + sample->size;

    while (in < end) {
        if ((in[0] == '|' || in[0] == ',') && end - in > 4 && memcmp(in + 1, "rf=", 3) == 0) {
            bool first = *in == '|';

            for (in += 4; in < end && *in >= '0' && *in <= '9'; in++)
                ;
            if (first && in < end && *in == ',')
                *out++ = '|', in++;
            continue;
        }
        *out++ = *in++;
    }
    *size = (size_t)(out - text);
    return text;
}

/* Where the events' lines begin. */
static const char **split(const char *text, uint32_t count)
{
    const char **lines = fw_xcalloc(count + 1, sizeof *lines);
    uint32_t event = 0;

    for (; *text && event < count; text += strcspn(text, "\n") + 1)
        if (*text != '#')
            lines[event++] = text;
    return lines;
}

static void thinned_release(struct thinned *thinned)
{
    fw_trace_destroy(thinned->whole);
    fw_trace_destroy(thinned->thin);
    free(thinned->kept);
    free(thinned->is_kept);
    free(thinned->is_again);
    free(thinned->text);
}

/* Names that are used again would have to be told apart in the thinned text. */
static bool has_alloc(const struct fw_trace *trace)
{
    for (uint32_t i = 0; i < trace->count; i++)
        if (trace->events[i].kind == FW_ALLOC)
            return true;
    return false;
}

/* False: this sample has nothing to say (no branches, or an answer that must be told). */
static bool thinned_load(struct thinned *thinned, const struct fw_sample *sample)
{
    static const char head[] = "# branches: yes\n";
    const char **lines;
    char why[256], *text;
    size_t size, room;

    *thinned = (struct thinned) { 0 };
    text = strip_answers(sample, &size);
    thinned->whole = fw_load_text(text, size, "w.std", false, why, sizeof why);
    if (!thinned->whole || !thinned->whole->has_branches || thinned->whole->index ||
        has_alloc(thinned->whole)) {
        free(text);
        return false;
    }
    room = 2 * (size_t)thinned->whole->count + 1;
    thinned->is_kept = fw_xcalloc(room, sizeof *thinned->is_kept);
    thinned->kept = fw_xcalloc(room, sizeof *thinned->kept);
    thinned->is_again = fw_xcalloc(room, sizeof *thinned->is_again);
    thinned->text = fw_xcalloc(2 * size + sizeof head, 1);
    memcpy(thinned->text, head, sizeof head - 1);
    thinned->size = sizeof head - 1;
    lines = split(text, thinned->whole->count);
    thin_trace(thinned, lines);
    thinned->thin = fw_load_text(thinned->text, thinned->size, "t.std", false, why, sizeof why);
    free(lines);
    free(text);
    return thinned->thin && thinned->thin->count == thinned->count;
}

/* --- putting back ------------------------------------------------------------------------ */

/*
 * A repeat goes right behind what came before it in its thread, as long as the witness goes on
 * there; but the last repeat of a write that is said again goes where it is said.
 */
struct restorer {
    const struct thinned *thinned;
    struct fw_witness *witness;
    uint32_t *order;
    uint32_t *last; /* by thread: how far the witness goes, a position of the whole trace */
    uint32_t *done; /* by thread: events of the whole trace before this position are there */
};

static void find_last(struct restorer *restorer, const struct fw_index *index,
                      const struct fw_prediction *prediction)
{
    const struct thinned *thinned = restorer->thinned;
    struct fw_schedule_walk walk;
    uint32_t position;

    fw_schedule_walk_init(&walk, &prediction->witness, index);
    while (fw_schedule_next(&walk, &position)) {
        const struct fw_event *event = &thinned->thin->events[position];
        uint32_t end = thinned->kept[position] + thinned->is_again[position];

        if (restorer->last[event->thread] < end)
            restorer->last[event->thread] = end;
        if (event->kind == FW_JOIN) /* it has come to its end */
            restorer->last[event->target] = thinned->whole->count;
    }
    fw_schedule_walk_release(&walk);
    for (uint32_t i = 0; i < prediction->event_count; i++) {
        position = prediction->events[i]; /* of a deadlock: waited for, behind the witness */
        if (restorer->last[thinned->thin->events[position].thread] < thinned->kept[position])
            restorer->last[thinned->thin->events[position].thread] = thinned->kept[position];
    }
}

/* The first repeat that waits to be said again right after this step of the thinned trace. */
static uint32_t next_again(const struct thinned *thinned, uint32_t position)
{
    const struct fw_event *events = thinned->thin->events;
    uint32_t thread = events[position].thread, first = UINT32_MAX;

    for (uint32_t i = position + 1; i < thinned->count; i++) {
        if (events[i].thread != thread)
            continue;
        if (!thinned->is_again[i])
            break;
        if (thinned->kept[i] < first)
            first = thinned->kept[i];
    }
    return first;
}

/* What the thread does in the whole trace before `end`, then what was left out before `stop`. */
static void put_until(struct restorer *restorer, uint32_t thread, uint32_t end, uint32_t stop)
{
    const struct thinned *thinned = restorer->thinned;
    uint32_t i = restorer->done[thread];

    if (stop > restorer->last[thread])
        stop = restorer->last[thread];
    for (; i < end || (i < stop && i < thinned->whole->count); i++) {
        if (thinned->whole->events[i].thread != thread)
            continue;
        if (i >= end && thinned->is_kept[i])
            break;
        restorer->order[restorer->witness->order_count++] = i;
    }
    if (i > restorer->done[thread])
        restorer->done[thread] = i;
}

static void put_back(struct restorer *restorer, uint32_t position)
{
    put_until(restorer, restorer->thinned->thin->events[position].thread,
              restorer->thinned->kept[position] + 1, next_again(restorer->thinned, position));
}

static bool is_claimed(const struct fw_prediction *prediction, uint32_t position)
{
    for (uint32_t i = 0; i < prediction->event_count; i++)
        if (prediction->events[i] == position)
            return true;
    return false;
}

/* Does the claim speak of a write that is said again? */
static bool speaks_of_again(const struct thinned *thinned, const struct fw_prediction *prediction)
{
    for (uint32_t i = 0; i < prediction->event_count; i++)
        if (thinned->is_again[prediction->events[i]])
            return true;
    return false;
}

/* The read, which comes last, may see a repeat of the write that the thinned trace names. */
static void name_the_repeat(const struct fw_trace *whole, const struct fw_witness *witness,
                            uint32_t *events)
{
    for (uint32_t i = 0; witness->event_count == 2 && i + 1 < witness->order_count; i++) {
        const struct fw_event *event = &whole->events[witness->order[i]];

        if (fw_is_write(event->kind) && event->target == whole->events[events[0]].target)
            events[1] = witness->order[i];
    }
}

/* A race ends with its pair.  What a thread did from there on, to say its write again, goes. */
static void end_with_pair(const struct fw_trace *whole, struct fw_witness *witness, uint32_t *order)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < witness->order_count; i++) {
        const struct fw_event *event = &whole->events[order[i]];
        bool undone = false;

        for (uint32_t k = 0; k < 2; k++)
            undone |= event->thread == whole->events[witness->events[k]].thread &&
                      order[i] >= witness->events[k];
        if (!undone)
            order[count++] = order[i];
    }
    order[count++] = witness->events[0];
    order[count++] = witness->events[1];
    witness->order_count = count;
}

static void restore(struct restorer *restorer, const struct fw_index *index,
                    const struct fw_prediction *prediction)
{
    uint32_t threads = fw_trace_thread_count(restorer->thinned->whole), position;
    struct fw_schedule_walk walk;

    restorer->last = fw_xcalloc(threads, sizeof *restorer->last);
    restorer->done = fw_xcalloc(threads, sizeof *restorer->done);
    find_last(restorer, index, prediction);
    fw_schedule_walk_init(&walk, &prediction->witness, index);
    while (fw_schedule_next(&walk, &position))
        if (prediction->claim != FW_CLAIM_RACE || !is_claimed(prediction, position))
            put_back(restorer, position);
        else /* it will come last: what stands before it in its thread */
            put_until(restorer, restorer->thinned->thin->events[position].thread,
                      restorer->thinned->kept[position], 0);
    fw_schedule_walk_release(&walk);
    free(restorer->done);
    free(restorer->last);
}

static bool judge(const struct thinned *thinned, struct fw_verifier *verifier,
                  const struct fw_index *index, const struct fw_prediction *prediction, char *why,
                  size_t size)
{
    uint32_t *events = fw_xcalloc(prediction->event_count + 1, sizeof *events);
    uint32_t *order = fw_xcalloc(thinned->whole->count + 2, sizeof *order);
    struct fw_witness witness = { prediction->claim, events, prediction->event_count, order, 0 };
    struct restorer restorer = { .thinned = thinned, .witness = &witness, .order = order };
    struct fw_verdict verdict;

    if (witness.claim == FW_CLAIM_ATOMICITY)
        witness.claim = FW_CLAIM_ORDER; /* a repeat may stand between the two accesses */
    for (uint32_t i = 0; i < prediction->event_count; i++)
        events[i] = thinned->kept[prediction->events[i]];
    restore(&restorer, index, prediction);
    if (witness.claim == FW_CLAIM_NONDETERMINISM)
        name_the_repeat(thinned->whole, &witness, events);
    if (witness.claim == FW_CLAIM_RACE)
        end_with_pair(thinned->whole, &witness, order);
    verdict = fw_verify(verifier, &witness);
    if (!verdict.accepted)
        snprintf(why, size, "claim %d on event %u of the thinned trace (%u of %u events): %s",
                 (int)prediction->claim, prediction->events[0], thinned->thin->count,
                 thinned->whole->count, verdict.reason);
    free(order);
    free(events);
    return verdict.accepted;
}

/* --- the property ------------------------------------------------------------------------ */

static bool all_true(const struct thinned *thinned, struct fw_team *team,
                     const struct fw_predictor *predictor, const struct fw_index *index,
                     struct fw_verifier *verifier, char *why, size_t size)
{
    struct fw_predictions *predictions = fw_predictions_create();
    struct fw_prediction **list;
    size_t count;
    bool ok = true;

    fw_team_run(team, predictor, predictions);
    count = fw_predictions_get(predictions, &list, NULL);
    for (size_t i = 0; ok && i < count; i++)
        ok = (list[i]->claim == FW_CLAIM_ATOMICITY && speaks_of_again(thinned, list[i])) ||
             fw_witness_leans(&list[i]->witness, list[i]->claim, index) ||
             judge(thinned, verifier, index, list[i], why, size);
    free(list);
    fw_predictions_destroy(predictions);
    return ok;
}

static bool holds(const struct fw_sample *sample, char *why, size_t size)
{
    static const struct fw_predictor *const predictors[] = {
        &fw_predictor_race, &fw_predictor_deadlock, &fw_predictor_atomicity, &fw_predictor_nondet
    };
    struct fw_predict_options options = { .pairs_all = true };
    struct fw_core_options how = { .values = false };
    struct thinned thinned;
    bool ok = true;

    if (thinned_load(&thinned, sample)) {
        struct fw_index *index = fw_index_create(thinned.thin);
        struct fw_core *core = fw_core_create(index, &how);
        struct fw_team_setup setup = { .core = core, .options = &options, .jobs = 1 };
        struct fw_team *team = fw_team_create(&setup);
        struct fw_verifier *verifier = fw_verifier_create(thinned.whole);

        for (size_t i = 0; ok && i < sizeof predictors / sizeof *predictors; i++)
            ok = all_true(&thinned, team, predictors[i], index, verifier, why, size);
        fw_verifier_destroy(verifier);
        fw_team_destroy(team);
        fw_core_destroy(core);
        fw_index_destroy(index);
    }
    thinned_release(&thinned);
    return ok;
}

int main(void)
{
    static const char *const profiles[] = { "branches", "two", "forks", "everything", "atomics",
                                            "waits", "values", NULL };

    return fw_property_run("prop_repeats", profiles, 20000, holds);
}
