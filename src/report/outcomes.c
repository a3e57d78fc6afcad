/* outcomes.c - see outcomes.h. */
#include "report/outcomes.h"

#include <inttypes.h>
#include <stdio.h>

#define MAX_ROWS   20u
#define MAX_WRITES 4u

/* Findings about reads of one site and one variable stand side by side. */
FW_VEC_TYPE(sorted, const struct fw_finding *);

static const struct fw_mark *read_of(const struct fw_finding *finding)
{
    return &finding->events.at[0];
}

static int compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

/* By place, then in the order of the report. */
static int by_place(const void *a, const void *b)
{
    const struct fw_finding *x = *(const struct fw_finding *const *)a;
    const struct fw_finding *y = *(const struct fw_finding *const *)b;
    int order = compare(read_of(x)->site, read_of(y)->site);

    if (order == 0)
        order = compare(read_of(x)->target, read_of(y)->target);
    return order ? order : compare((uintptr_t)x, (uintptr_t)y);
}

static bool same_place(const struct fw_finding *a, const struct fw_finding *b)
{
    return read_of(a)->site == read_of(b)->site && read_of(a)->target == read_of(b)->target;
}

/* Letters that could disturb a terminal become '?'. */
static void put_name(struct fw_output *out, const char *name)
{
    for (; *name; name++)
        fw_output_bytes(out, (unsigned char)*name < ' ' || *name == 0x7f ? "?" : name, 1);
}

static void put_write(struct fw_output *out, const struct fw_symbols *symbols,
                      const struct fw_finding *finding)
{
    const struct fw_mark *write = finding->events.len > 1 ? &finding->events.at[1] : NULL;

    fw_output_text(out, ", ");
    if (!write)
        fw_output_text(out, "no write");
    else if (write->site)
        put_name(out, fw_symbols_name(symbols, FW_SPACE_SITE, write->site));
    else
        fw_output_printf(out, "event %" PRIu64, write->index);
}

/* The row of the findings [from, to). */
static void put_row(struct fw_output *out, const struct fw_symbols *symbols,
                    const struct sorted *sorted, size_t from, size_t to)
{
    const struct fw_mark *read = read_of(sorted->at[from]);

    fw_output_text(out, "  ");
    if (read->site)
        put_name(out, fw_symbols_name(symbols, FW_SPACE_SITE, read->site));
    else
        fw_output_printf(out, "event %" PRIu64, read->index);
    fw_output_text(out, " of '");
    put_name(out, fw_symbols_name(symbols, FW_SPACE_VARIABLE, read->target));
    fw_output_printf(out, "': %zu outcomes: as in this run", to - from + 1);
    for (size_t i = from; i < to && i < from + MAX_WRITES; i++)
        put_write(out, symbols, sorted->at[i]);
    fw_output_text(out, to - from > MAX_WRITES ? " ...\n" : "\n");
}

void fw_report_outcomes(struct fw_output *out, const struct fw_symbols *symbols,
                        const struct fw_findings *findings)
{
    struct sorted sorted = { 0 };
    size_t rows = 0, end;

    for (uint64_t i = 0; i < fw_findings_count(findings); i++)
        if (fw_findings_get(findings, i)->claim == FW_CLAIM_NONDETERMINISM)
            fw_vec_push(&sorted, fw_findings_get(findings, i));
    if (!sorted.len)
        return;
    qsort(sorted.at, sorted.len, sizeof *sorted.at, by_place);
    fw_output_text(out, "Reads that are not determined:\n");
    for (size_t start = 0; start < sorted.len; start = end, rows++) {
        for (end = start + 1; end < sorted.len && same_place(sorted.at[start], sorted.at[end]);)
            end++;
        if (rows < MAX_ROWS)
            put_row(out, symbols, &sorted, start, end);
    }
    if (rows > MAX_ROWS)
        fw_output_printf(out, "  ... and at %zu other places\n", rows - MAX_ROWS);
    fw_vec_release(&sorted);
}
