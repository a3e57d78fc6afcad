/*
 * replay_twice.c - see replay.h: what a schedule does not decide.
 *
 * Two runs of one schedule must come by the same points in the same order, and each thread must go
 * through as many blocks of code between them.  Where they do not, something else has a say: time,
 * random numbers, addresses, input.
 */
#include "base/alloc.h"
#include "explore/replay.h"

#include <stdlib.h>
#include <string.h>

struct trail {
    struct fw_control_trail *points;
    uint32_t count;
    bool is_cut;
    struct fw_run_result result;
    uint64_t output;
};

static int run(struct fw_replayer *replay, struct trail *trail, struct fw_error *err)
{
    const struct fw_control_head *head = fw_session_head(replay->session);

    if (fw_replay_run(replay, FW_CONTROL_TRAIL, &trail->result, err) < 0)
        return -1;
    trail->count = head->trail_count;
    trail->is_cut = head->trail_lost != 0;
    trail->points = fw_xmalloc((trail->count + 1) * sizeof *trail->points);
    memcpy(trail->points, fw_session_trail(replay->session), trail->count * sizeof *trail->points);
    trail->output = fw_session_output_hash(replay->session);
    return 0;
}

/* The thread's path in the session's latest run. */
static char *thread_text(const struct fw_replayer *replay, uint32_t thread)
{
    const struct fw_control_head *head = fw_session_head(replay->session);
    const struct fw_control_thread *threads = fw_session_threads(replay->session);
    char *text, *longer;

    if (thread >= head->thread_count || thread >= head->threads_room)
        return fw_xasprintf("number %u", thread);
    if (!thread)
        return fw_xstrdup("0");
    text = thread_text(replay, threads[thread].parent);
    longer = fw_xasprintf("%s.%u", text, threads[thread].ordinal);
    free(text);
    return longer;
}

static char *point_text(const struct fw_replayer *replay, const struct trail *trail, uint32_t at)
{
    char *thread, *place, *text;

    if (at >= trail->count)
        return fw_xstrdup("nothing more");
    thread = thread_text(replay, trail->points[at].thread);
    place = fw_replay_place(replay, trail->points[at].site);
    text = fw_xasprintf("thread %s, %s", thread, place);
    free(thread);
    free(place);
    return text;
}

/* The first point that is not the same; the shorter one's count if there is none. */
static uint32_t first_difference(const struct trail *a, const struct trail *b)
{
    uint32_t both = a->count < b->count ? a->count : b->count, i = 0;

    while (i < both && memcmp(&a->points[i], &b->points[i], sizeof *a->points) == 0)
        i++;
    return i;
}

static char *compare_ends(const struct trail *a, const struct trail *b)
{
    char first[64], second[64];

    if (a->result.end != b->result.end || a->result.code != b->result.code)
        return fw_xasprintf("all points are the same, but the first run ended with %s, the second "
                            "with %s",
                            fw_run_text(&a->result, first), fw_run_text(&b->result, second));
    if (a->output != b->output)
        return fw_xstrdup("all points are the same, but the program printed something else");
    return NULL;
}

static char *compare(const struct fw_replayer *replay, const struct trail *a, const struct trail *b)
{
    uint32_t at = first_difference(a, b);
    char *first, *second, *text;

    if (at == a->count && at == b->count)
        return compare_ends(a, b);
    if ((a->is_cut && at == a->count) || (b->is_cut && at == b->count))
        return NULL; /* the same as far as they are known */
    first = point_text(replay, a, at);
    second = point_text(replay, b, at);
    if (strcmp(first, second) == 0)
        text = fw_xasprintf("point %u: the thread took another way to it: %s", at + 1, first);
    else
        text = fw_xasprintf("point %u: first run: %s; second run: %s", at + 1, first, second);
    free(first);
    free(second);
    return text;
}

int fw_replay_twice(struct fw_replayer *replay, char **difference, struct fw_error *err)
{
    struct trail a = { 0 }, b = { 0 };
    int status = -1;

    *difference = NULL;
    if (run(replay, &a, err) == 0 && run(replay, &b, err) == 0) {
        *difference = compare(replay, &a, &b);
        status = 0;
    }
    free(a.points);
    free(b.points);
    return status;
}
