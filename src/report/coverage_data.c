/* coverage_data.c - see coverage.h: for programs. */
#include "report/coverage.h"
#include "report/words.h"

#include <inttypes.h>
#include <string.h>

/* --- JSON ------------------------------------------------------------------------------------- */

static void json_counts(struct fw_json *json, const struct fw_memo_counts *n)
{
    for (unsigned i = 0; i < FW_MEMO_STATES; i++)
        fw_json_number(json, fw_memo_states[i], n->state[i]);
    fw_json_number(json, "predicted", n->predicted);
    fw_json_number(json, "predicted_by_profile", n->by[FW_MEMO_PROFILE]);
    fw_json_number(json, "predicted_by_proof", n->by[FW_MEMO_PROOF]);
    fw_json_number(json, "witness", n->witness);
    fw_json_number(json, "claimed", n->claimed);
}

static void json_table(struct fw_json *json, const struct fw_coverage *c)
{
    fw_json_array(json, "idioms");
    for (unsigned i = 1; i <= FW_IDIOMS; i++) {
        if (c->idiom && c->idiom != i)
            continue;
        fw_json_object(json, NULL);
        fw_json_number(json, "idiom", i);
        json_counts(json, &c->counts[i]);
        fw_json_end(json);
    }
    fw_json_end(json);
    fw_json_object(json, "all");
    json_counts(json, &c->counts[c->idiom]);
    fw_json_end(json);
}

static void json_iroot(struct fw_json *json, const struct fw_memo_row *row)
{
    char when[32];

    fw_json_object(json, NULL);
    fw_words_json(json, &row->iroot);
    fw_json_text(json, "state", fw_memo_states[row->state]);
    fw_json_bool(json, "own", row->own);
    fw_json_number(json, "seen", row->seen);
    fw_json_number(json, "tried", row->tried);
    fw_json_number(json, "failed", row->failed);
    fw_json_array(json, "predicted_by");
    for (unsigned i = 0; i < FW_MEMO_PREDICTORS; i++)
        if (row->by[i])
            fw_json_text(json, NULL, fw_memo_predictors[i]);
    fw_json_end(json);
    fw_json_text(json, "verdict", fw_memo_verdicts[row->verdict]);
    if (row->campaign) {
        fw_coverage_time(when, row->when);
        fw_json_object(json, "first");
        fw_json_text(json, "campaign", row->campaign);
        fw_json_number(json, "run", row->number);
        fw_json_text(json, "input", row->input);
        fw_json_text(json, "strategy", row->strategy);
        fw_json_text(json, "time", when);
        fw_json_end(json);
    }
    fw_json_end(json);
}

static void json_iroots(struct fw_json *json, const struct fw_coverage *c, bool untested)
{
    fw_json_array(json, untested ? "untested" : "iroots");
    for (size_t i = 0; i < c->iroots.len; i++)
        if (!untested || c->iroots.at[i].state == FW_MEMO_FAILED ||
            c->iroots.at[i].state == FW_MEMO_LEFT)
            json_iroot(json, &c->iroots.at[i]);
    fw_json_end(json);
}

static void json_failure(struct fw_json *json, const struct fw_memo_past *run)
{
    fw_json_object(json, "failure");
    fw_json_text(json, "kind", run->failure);
    if (*run->message)
        fw_json_text(json, "message", run->message);
    if (run->sought.idiom) {
        fw_json_object(json, "sought");
        fw_words_json(json, &run->sought);
        fw_json_end(json);
    }
    if (*run->schedule)
        fw_json_text(json, "schedule", run->schedule);
    fw_json_end(json);
}

static void json_run(struct fw_json *json, const struct fw_coverage *c,
                     const struct fw_memo_past *run, uint64_t total)
{
    char when[32];

    fw_coverage_time(when, run->began);
    fw_json_object(json, NULL);
    fw_json_text(json, "campaign", run->campaign);
    fw_json_number(json, "run", run->number);
    fw_json_text(json, "input", run->input);
    fw_json_text(json, "strategy", run->strategy);
    fw_json_text(json, "outcome", run->outcome);
    fw_json_text(json, "time", when);
    fw_json_number(json, "took_ms", run->took);
    fw_json_number(json, "plain_before", run->before);
    fw_json_number(json, "exposed", run->exposed);
    fw_json_number(json, "new", fw_coverage_fresh(c, run));
    fw_json_array(json, "new_by_idiom");
    for (unsigned i = 1; i <= FW_IDIOMS; i++)
        fw_json_next_number(json, run->fresh[i]);
    fw_json_end(json);
    fw_json_number(json, "total", total);
    if (*run->failure)
        json_failure(json, run);
    fw_json_end(json);
}

static void json_growth(struct fw_json *json, const struct fw_coverage *c)
{
    uint64_t total = 0;

    fw_json_array(json, "growth");
    for (size_t i = 0; i < c->runs.len; i++) {
        total += fw_coverage_fresh(c, &c->runs.at[i]);
        json_run(json, c, &c->runs.at[i], total);
    }
    fw_json_end(json);
}

void fw_coverage_json(struct fw_json *json, const struct fw_coverage *c, bool untested,
                      bool everything)
{
    const struct fw_saturation *s = &c->saturation;

    fw_json_object(json, NULL);
    fw_json_text(json, "program", c->program.name);
    if (c->build && *c->build)
        fw_json_text(json, "build", c->build);
    fw_json_number(json, "runs", c->all_runs);
    fw_json_number(json, "inputs", c->program.inputs);
    fw_json_number(json, "builds", c->builds);
    fw_json_number(json, "failures", c->failures);
    json_table(json, c);
    if (s->known) {
        fw_json_object(json, "saturation");
        fw_json_text(json, "estimator", "chao2");
        fw_json_number(json, "seen", s->seen);
        fw_json_number(json, "once", s->once);
        fw_json_number(json, "twice", s->twice);
        fw_json_real(json, "all", s->all);
        fw_json_real(json, "next", s->next);
        fw_json_end(json);
    }
    json_growth(json, c);
    if (untested)
        json_iroots(json, c, true);
    if (everything)
        json_iroots(json, c, false);
    fw_json_end(json);
}

/* --- CSV (RFC 4180) --------------------------------------------------------------------------- */

static void csv_text(struct fw_output *out, const char *text)
{
    if (!text[strcspn(text, ",\"\r\n")]) {
        fw_output_printf(out, ",%s", text);
        return;
    }
    fw_output_text(out, ",\"");
    for (; *text; text++)
        fw_output_printf(out, *text == '"' ? "\"\"" : "%c", *text);
    fw_output_text(out, "\"");
}

static void csv_number(struct fw_output *out, uint64_t number)
{
    fw_output_printf(out, ",%" PRIu64, number);
}

/* The first cell of a row, which has no comma before it. */
static void csv_program(struct fw_output *out, const struct fw_coverage *c)
{
    struct fw_output cell;

    fw_output_open_memory(&cell);
    csv_text(&cell, c->program.name);
    fw_output_bytes(out, cell.buffer + 1, cell.used - 1);
    fw_output_abandon(&cell);
}

void fw_coverage_iroots_csv(struct fw_output *out, const struct fw_coverage *c, bool head)
{
    char when[32];

    if (head)
        fw_output_text(out, "program,idiom,waits,state,own,seen,tried,failed,profile,proof,verdict,"
                            "a,a_place,b,b_place,c,c_place,d,d_place,"
                            "first_campaign,first_run,first_input,first_strategy,first_time\n");
    for (size_t i = 0; i < c->iroots.len; i++) {
        const struct fw_memo_row *row = &c->iroots.at[i];

        csv_program(out, c);
        fw_output_printf(out, ",%u,%d,%s,%d", row->iroot.idiom, row->iroot.waits,
                         fw_memo_states[row->state], row->own);
        csv_number(out, row->seen);
        csv_number(out, row->tried);
        csv_number(out, row->failed);
        fw_output_printf(out, ",%d,%d,%s", row->by[FW_MEMO_PROFILE], row->by[FW_MEMO_PROOF],
                         fw_memo_verdicts[row->verdict]);
        for (unsigned k = 0; k < FW_IROOT_MOST; k++) {
            csv_text(out, k < row->iroot.count ? row->iroot.access[k] : "");
            csv_text(out, k < row->iroot.count ? row->iroot.place[k] : "");
        }
        if (row->campaign) {
            fw_coverage_time(when, row->when);
            csv_text(out, row->campaign);
            csv_number(out, row->number);
            csv_text(out, row->input);
            csv_text(out, row->strategy);
            csv_text(out, when);
        } else {
            fw_output_text(out, ",,,,,");
        }
        fw_output_text(out, "\n");
    }
}

/* As one text; empty if there is none. */
static void csv_iroot(struct fw_output *out, const struct fw_memo_iroot *iroot)
{
    struct fw_output cell;

    fw_output_open_memory(&cell);
    if (iroot->idiom)
        fw_words_exactly(&cell, iroot);
    fw_output_bytes(&cell, "", 1);
    csv_text(out, cell.buffer);
    fw_output_abandon(&cell);
}

void fw_coverage_growth_csv(struct fw_output *out, const struct fw_coverage *c, bool head)
{
    uint64_t total = 0;
    char when[32];

    if (head)
        fw_output_text(out, "program,order,campaign,run,input,strategy,outcome,time,took_ms,"
                            "exposed,new,new1,new2,new3,new4,new5,new6,total,"
                            "failure,message,schedule,sought\n");
    for (size_t i = 0; i < c->runs.len; i++) {
        const struct fw_memo_past *run = &c->runs.at[i];

        total += fw_coverage_fresh(c, run);
        fw_coverage_time(when, run->began);
        csv_program(out, c);
        csv_number(out, i + 1);
        csv_text(out, run->campaign);
        csv_number(out, run->number);
        csv_text(out, run->input);
        csv_text(out, run->strategy);
        csv_text(out, run->outcome);
        csv_text(out, when);
        csv_number(out, run->took);
        csv_number(out, run->exposed);
        csv_number(out, fw_coverage_fresh(c, run));
        for (unsigned k = 1; k <= FW_IDIOMS; k++)
            csv_number(out, run->fresh[k]);
        csv_number(out, total);
        csv_text(out, run->failure);
        csv_text(out, run->message);
        csv_text(out, run->schedule);
        csv_iroot(out, &run->sought);
        fw_output_text(out, "\n");
    }
}

/* --- plain text ------------------------------------------------------------------------------- */

void fw_coverage_iroots_text(struct fw_output *out, const struct fw_coverage *c)
{
    for (size_t i = 0; i < c->iroots.len; i++) {
        const struct fw_memo_row *row = &c->iroots.at[i];

        fw_words_plain(out, c->program.name);
        fw_output_printf(
            out, " %s seen=%" PRIu64 " tried=%" PRIu64 " verdict=%s: ", fw_memo_states[row->state],
            row->seen, row->tried, fw_memo_verdicts[row->verdict]);
        fw_words_exactly(out, &row->iroot);
        fw_output_text(out, "\n");
    }
}

void fw_coverage_growth_text(struct fw_output *out, const struct fw_coverage *c)
{
    uint64_t total = 0;

    for (size_t i = 0; i < c->runs.len; i++) {
        const struct fw_memo_past *run = &c->runs.at[i];

        total += fw_coverage_fresh(c, run);
        fw_words_plain(out, c->program.name);
        fw_output_printf(out, " %zu: new=%" PRIu64 " total=%" PRIu64 ": run %" PRIu64 " of ", i + 1,
                         fw_coverage_fresh(c, run), total, run->number);
        fw_words_plain(out, run->campaign);
        fw_output_text(out, ", ");
        fw_words_plain(out, run->strategy);
        fw_output_text(out, ", ");
        fw_words_plain(out, run->outcome);
        fw_output_text(out, *run->failure ? ", " : "");
        fw_words_plain(out, run->failure);
        fw_output_text(out, "\n");
    }
}
