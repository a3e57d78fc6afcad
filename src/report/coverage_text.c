/* coverage_text.c - see coverage.h: for people. */
#include "report/coverage.h"
#include "report/words.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- the table ------------------------------------------------------------------------------- */

static void counts_line(struct fw_output *out, const char *label, const struct fw_memo_counts *n)
{
    fw_output_printf(out, "%-6s%9" PRIu64 "%11" PRIu64 "%12" PRIu64 "%8" PRIu64 "%8" PRIu64 "\n",
                     label, n->state[FW_MEMO_EXPOSED], n->predicted, n->state[FW_MEMO_IMPOSSIBLE],
                     n->state[FW_MEMO_FAILED], n->state[FW_MEMO_LEFT]);
}

static void table(struct fw_output *out, const struct fw_coverage *c)
{
    char label[8] = "";

    fw_output_printf(out, "idiom   exposed  predicted  infeasible  failed    left\n");
    for (unsigned i = 1; i <= FW_IDIOMS; i++) {
        label[0] = (char)('0' + i);
        if (!c->idiom || c->idiom == i)
            counts_line(out, label, &c->counts[i]);
    }
    if (!c->idiom)
        counts_line(out, "all", &c->counts[0]);
    if (c->counts[c->idiom].claimed) {
        fw_coverage_many(out, c->counts[c->idiom].claimed, "candidate");
        fw_output_printf(out, " being tried now\n");
    }
}

/* --- growth ---------------------------------------------------------------------------------- */

#define GROUPS 10u

/* Plain runs behind the last run that is told have shown nothing new. */
static void growth(struct fw_output *out, const struct fw_coverage *c)
{
    uint64_t each = (c->all_runs + GROUPS - 1) / GROUPS, total = 0, at = 0;
    size_t next = 0;

    if (!c->all_runs)
        return;
    fw_output_printf(out, "\n%-15s%9s%11s\n", "runs", "new", "exposed");
    for (uint64_t i = 0; i < c->all_runs; i += each) {
        uint64_t end = i + each < c->all_runs ? i + each : c->all_runs, fresh = 0;
        char label[48];

        for (; next < c->runs.len && at + c->runs.at[next].before + 1 <= end; next++) {
            at += c->runs.at[next].before + 1;
            fresh += fw_coverage_fresh(c, &c->runs.at[next]);
        }
        total += fresh;
        if (end - i > 1)
            snprintf(label, sizeof label, "%" PRIu64 "-%" PRIu64, i + 1, end);
        else
            snprintf(label, sizeof label, "%" PRIu64, end);
        fw_output_printf(out, "%-15s%9" PRIu64 "%11" PRIu64 "\n", label, fresh, total);
    }
}

static void saturation(struct fw_output *out, const struct fw_coverage *c)
{
    const struct fw_saturation *s = &c->saturation;

    if (!s->known)
        return;
    fw_output_printf(out, "\nSaturation: runs like these can expose about %.1f iRoots or more "
                          "(Chao2); %.0f%% of that is done,\nand the next run will expose %.2f "
                          "new ones (%" PRIu64 " were seen once, %" PRIu64 " twice).\n",
                     s->all, 100 * (double)s->seen / s->all, s->next, s->once, s->twice);
}

/* A way in which the program fails. */
struct failed {
    const struct fw_memo_past *first, *sought, *kept; /* runs; NULL: none sought, none is kept */
    uint64_t runs;
};
FW_VEC_TYPE(all_failed, struct failed);

static bool is_alike(const struct fw_memo_past *a, const struct fw_memo_past *b)
{
    if (*a->way || *b->way)
        return strcmp(a->way, b->way) == 0;
    return strcmp(a->failure, b->failure) == 0 && strcmp(a->message, b->message) == 0;
}

static void add_failed(struct all_failed *all, const struct fw_memo_past *run)
{
    struct failed *failed;
    size_t i = 0;

    while (i < all->len && !is_alike(all->at[i].first, run))
        i++;
    if (i == all->len)
        fw_vec_push(all, (struct failed) { .first = run });
    failed = &all->at[i];
    failed->runs++;
    if (!failed->sought && run->sought.idiom)
        failed->sought = run;
    if (!failed->kept && *run->schedule)
        failed->kept = run;
}

static void one_failed(struct fw_output *out, const struct failed *failed)
{
    const struct fw_memo_past *run = failed->first;

    fw_output_printf(out, "  run %" PRIu64 " of ", run->number);
    fw_words_plain(out, run->campaign);
    fw_output_text(out, ": ");
    fw_words_plain(out, run->failure);
    fw_output_text(out, *run->message ? ": " : "");
    fw_words_plain(out, run->message);
    if (failed->runs > 1) {
        fw_output_text(out, "\n    and ");
        fw_coverage_many(out, failed->runs - 1, "other run");
        fw_output_text(out, " that failed alike");
    }
    if (failed->sought) {
        fw_output_printf(out, "\n    sought idiom %u: ", failed->sought->sought.idiom);
        fw_words_iroot(out, &failed->sought->sought);
    }
    if (failed->kept) {
        fw_output_printf(out, "\n    foreweave replay ");
        fw_output_word(out, failed->kept->schedule);
        if (access(failed->kept->schedule, R_OK) < 0)
            fw_output_text(out, "\n    (that file is not here: it was removed, or is on "
                                "another machine)");
    }
    fw_output_printf(out, "\n");
}

/* Runs that failed alike are told once. */
static void failures(struct fw_output *out, const struct fw_coverage *c)
{
    struct all_failed all = { 0 };

    for (size_t i = 0; i < c->runs.len; i++)
        if (*c->runs.at[i].failure)
            add_failed(&all, &c->runs.at[i]);
    if (all.len)
        fw_output_printf(out, "\nFailures\n");
    for (size_t i = 0; i < all.len; i++)
        one_failed(out, &all.at[i]);
    fw_vec_release(&all);
}

#define DIGITS 12 /* of a build id: enough to tell, and to name one */

static void build(struct fw_output *out, const struct fw_coverage *c)
{
    if (!c->build) {
        fw_coverage_many(out, c->builds, "build");
        fw_output_text(out, " together");
    } else if (*c->build) {
        fw_output_printf(out, "build %.*s", DIGITS, c->build);
    } else {
        fw_output_text(out, "of a build that is not known");
    }
    if (c->build && c->builds > 1)
        fw_output_printf(out, ", one of %zu: --build=all counts all", c->builds);
    fw_output_text(out, "\n");
}

void fw_coverage_show(struct fw_output *out, const struct fw_coverage *c)
{
    fw_words_plain(out, c->program.name);
    fw_output_text(out, ": ");
    fw_coverage_many(out, c->counts[c->idiom].state[FW_MEMO_EXPOSED], "iRoot");
    fw_output_printf(out, " exposed by ");
    fw_coverage_many(out, c->all_runs, "run");
    fw_output_printf(out, " with ");
    fw_coverage_many(out, c->program.inputs, "input");
    fw_output_printf(out, ", ");
    fw_coverage_many(out, c->failures, "failure");
    fw_output_printf(out, "\n");
    build(out, c);
    table(out, c);
    growth(out, c);
    saturation(out, c);
    failures(out, c);
}

/* --- what is untested ------------------------------------------------------------------------ */

/* Numbers in a name by their value: a.c:9 comes before a.c:10. */
static int compare_places(const char *a, const char *b)
{
    while (*a && *b) {
        if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
            unsigned long long left = strtoull(a, (char **)&a, 10);
            unsigned long long right = strtoull(b, (char **)&b, 10);

            if (left != right)
                return left < right ? -1 : 1;
        } else if (*a != *b) {
            return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
        } else {
            a++, b++;
        }
    }
    return (*a != 0) - (*b != 0);
}

static const char *place_of(const struct fw_memo_row *row)
{
    return *row->iroot.place[0] ? row->iroot.place[0] : row->iroot.access[0];
}

/* By place; of one place in the order of the database. */
static int compare_rows(const void *a, const void *b)
{
    const struct fw_memo_row *left = *(const struct fw_memo_row *const *)a;
    const struct fw_memo_row *right = *(const struct fw_memo_row *const *)b;
    int order = compare_places(place_of(left), place_of(right));

    return order ? order : (left > right) - (left < right);
}

/* Which rows have the same words: accesses of one line look alike. */
struct likeness {
    struct fw_strtab said;
    FW_VEC(uint32_t) times;
};

static uint32_t words_of(struct likeness *alike, const struct fw_memo_row *row)
{
    struct fw_output out;
    uint32_t number;

    fw_output_open_memory(&out);
    fw_output_printf(&out, "%u ", row->iroot.idiom);
    fw_words_iroot(&out, &row->iroot);
    number = fw_strtab_intern(&alike->said, out.buffer, out.used);
    fw_output_abandon(&out);
    fw_vec_extend(&alike->times, number + 1);
    return number;
}

static void untested_line(struct fw_output *out, const struct fw_memo_row *row, bool alike)
{
    fw_output_printf(out, "  %u  ", row->iroot.idiom);
    fw_words_iroot(out, &row->iroot);
    if (alike) {
        fw_output_text(out, " (");
        fw_words_exactly(out, &row->iroot);
        fw_output_text(out, ")");
    }
    if (row->tried) {
        fw_output_printf(out, "; tried ");
        fw_coverage_many(out, row->tried, "time");
    } else {
        fw_output_printf(out, "; never tried");
    }
    if (row->verdict != FW_MEMO_UNKNOWN)
        fw_output_printf(out, ", %s", fw_memo_verdicts[row->verdict]);
    fw_output_printf(out, "\n");
}

void fw_coverage_untested(struct fw_output *out, const struct fw_coverage *c)
{
    FW_VEC(const struct fw_memo_row *) rows = { 0 };
    struct likeness alike = { 0 };
    const char *place = "";

    fw_strtab_init(&alike.said);
    for (size_t i = 0; i < c->iroots.len; i++)
        if (c->iroots.at[i].state == FW_MEMO_FAILED || c->iroots.at[i].state == FW_MEMO_LEFT)
            fw_vec_push(&rows, &c->iroots.at[i]);
    if (rows.len)
        qsort(rows.at, rows.len, sizeof *rows.at, compare_rows);
    for (size_t i = 0; i < rows.len; i++) {
        uint32_t words = words_of(&alike, rows.at[i]);

        alike.times.at[words]++;
    }
    fw_words_plain(out, c->program.name);
    fw_output_text(out, ": ");
    fw_coverage_many(out, rows.len, "iRoot");
    fw_output_printf(out, " untested");
    if (c->build && c->builds > 1)
        fw_output_printf(out, " in build %.*s", DIGITS, *c->build ? c->build : "unknown");
    fw_output_text(out, "\n");
    for (size_t i = 0; i < rows.len; i++) {
        uint32_t words = words_of(&alike, rows.at[i]);

        if (strcmp(place, place_of(rows.at[i])) != 0) {
            place = place_of(rows.at[i]);
            fw_words_plain(out, place);
            fw_output_text(out, "\n");
        }
        untested_line(out, rows.at[i], alike.times.at[words] > 1);
    }
    fw_vec_release(&rows);
    fw_vec_release(&alike.times);
    fw_strtab_release(&alike.said);
}
