/* sidetrack_report.c - BEFORE-, IN- and AFTER-errors, and who is to blame. */
#include "analysis/sidetrack_state.h"

enum error {
    BEFORE,
    IN,
    AFTER,
};

static const char *const labels[] = {
    [BEFORE] = "before-error",
    [IN] = "in-error",
    [AFTER] = "after-error",
};

static const char *const stories[] = {
    [BEFORE] = "came before the two acquires and may come between them",
    [IN] = "came between the two acquires",
    [AFTER] = "came after the two acquires and may come between them",
};

/* Which of the blocks around a window are split, from the outermost one, 1, inwards. */
struct levels {
    uint32_t low, high;
};

static const struct levels all_levels = { 1, UINT32_MAX };

/* The path of its outermost `level` blocks. */
static uint32_t cut_path(const struct fw_block_paths *paths, uint32_t path, uint32_t level)
{
    while (paths->steps.at[path].level > level)
        path = paths->steps.at[path].outer;
    return path;
}

/* Blame: the common prefix of both acquires' stacks (chapter 21). */
static char *describe(const struct sidetrack *st, enum error error, const struct window *window,
                      struct levels levels, const struct fw_mark *culprit)
{
    uint32_t path = cut_path(&st->paths, window->path, levels.high);
    char *blame = fw_block_blame(&st->paths, st->symbols, path, levels.low);
    char *text = fw_xasprintf("%s\nthe acquire of '%s' by %s %s%s", blame,
                              fw_symbols_name(st->symbols, FW_SPACE_LOCK, culprit->target),
                              fw_thread_name(st->symbols, culprit->thread), stories[error],
                              window->waited ? "\nthe second acquire ends a condition wait" : "");

    free(blame);
    return text;
}

static void report(struct sidetrack *st, enum error error, const struct window *window,
                   struct levels levels, const struct fw_mark *culprit)
{
    struct fw_mark events[] = { window->first, window->second, *culprit };
    struct fw_occurrence occurrence = {
        .kind = FW_FINDING_ATOMICITY,
        .events = events,
        .event_count = 3,
        .variable = FW_NO_VARIABLE,
        .observed = error == IN,
        .label = labels[error],
    };
    char *detail = NULL;

    if (!fw_findings_known(st->findings, &occurrence))
        occurrence.detail = detail = describe(st, error, window, levels, culprit);
    fw_findings_add(st->findings, &occurrence);
    free(detail);
}

/* Only these blocks have the culprit before their first acquire. */
void sidetrack_before_error(struct sidetrack *st, const struct window *window,
                            const struct suspect *suspect)
{
    report(st, BEFORE, window, (struct levels) { suspect->low, suspect->high }, &suspect->culprit);
}

void sidetrack_in_error(struct sidetrack *st, const struct window *window,
                        const struct fw_mark *culprit)
{
    report(st, IN, window, all_levels, culprit);
}

void sidetrack_after_error(struct sidetrack *st, const struct window *window,
                           const struct fw_mark *culprit)
{
    report(st, AFTER, window, all_levels, culprit);
}
