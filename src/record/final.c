/* final.c - see final.h: the two passes. */
#include "record/final.h"

#include "record/final_state.h"

#define MOST_VARIABLES 20000000u
#define AHEAD          12u /* units */

/* Keeps where the recording is damaged; what comes before is as good as ever. */
static void note_damage(struct fw_final_result *result, const struct fw_error *err)
{
    result->cut = true;
    snprintf(result->damage, sizeof result->damage, "%.255s", err->message);
}

/* The first pass; -1: the memory it may use is spent. */
static int survey(const struct fw_final_setup *setup, struct fw_kept_list *kept,
                  struct fw_error *err)
{
    struct fw_survey *survey = fw_survey_create(setup->limit);
    struct fw_spool_reader spool;
    int status = fw_spool_open(&spool, setup->spool, err);

    if (status == 0) {
        /* Damage is told of in the second pass, which stops at the same place. */
        while (status == 0 && fw_spool_next(&spool, err) > 0)
            status = fw_survey_feed(survey, spool.units.at, spool.units.len);
        if (status < 0)
            fw_error_set(err, "'%s' touches more memory than can be kept track of here",
                         setup->spool->name);
        else
            fw_survey_finish(survey, kept);
    }
    fw_spool_close(&spool);
    fw_survey_destroy(survey);
    return status < 0 ? -1 : fw_input_rewind(setup->spool, err);
}

/* Memory is slow and the program's accesses jump about: what soon is needed is fetched ahead.  (A
 * unit that is not a record's first is fetched for nothing.) */
static void feed(struct fw_final *f, const struct fw_units *units)
{
    for (size_t at = 0; at < units->len && !f->failed;
         at += 1 + (size_t)fw_wire_more(&units->at[at])) {
        if (at + AHEAD < units->len)
            fw_final_fetch(f, &units->at[at + AHEAD]);
        fw_final_record(f, &units->at[at]);
    }
}

/* Readers keep a name for each variable; a trace that nobody could read is cut instead. */
static bool is_full(const struct fw_final *f)
{
    return fw_symbols_count(f->symbols, FW_SPACE_VARIABLE) > MOST_VARIABLES;
}

static void go_through(struct fw_final *f, struct fw_spool_reader *spool)
{
    struct fw_error why;
    int got = 1;

    fw_final_load(f, 0);
    f->thread = fw_final_thread(f, 0);
    while (!f->failed && !is_full(f) && (got = fw_spool_next(spool, &why)) > 0) {
        fw_final_pairs(f, spool);
        feed(f, &spool->units);
    }
    f->result->cut = !spool->ended;
    if (is_full(f))
        snprintf(f->result->off, sizeof f->result->off,
                 "the run has more than %u million variables", MOST_VARIABLES / 1000000);
    if (got < 0)
        note_damage(f->result, &why);
    fw_final_requests(f);
    fw_final_flush(f);
    fw_final_marks_out(f);
    fw_final_metadata(f, spool);
    if (f->result->cut && !f->failed)
        fw_writer_leave_cut(f->writer);
    f->result->events = f->writer ? fw_writer_count(f->writer) : 0;
    f->result->threads = fw_symbols_count(f->symbols, FW_SPACE_THREAD);
    f->result->records = f->record;
    f->result->dropped = f->status.dropped;
    memcpy(f->result->first_drop, f->status.first_drop, sizeof f->result->first_drop);
}

static void release_threads(struct fw_final *f)
{
    for (size_t i = 0; i < f->threads.len; i++) {
        if (!f->threads.at[i])
            continue;
        fw_vec_release(&f->threads.at[i]->calls);
        fw_vec_release(&f->threads.at[i]->blocks);
        free(f->threads.at[i]);
    }
    fw_vec_release(&f->threads);
}

static void release(struct fw_final *f)
{
    release_threads(f);
    fw_lives_release(&f->lives);
    fw_vec_release(&f->posts);
    fw_vec_release(&f->notifies);
    fw_final_orders_destroy(f);
    fw_chunks_destroy(f->chunks, fw_final_chunk_destroy);
    fw_addrmap_release(&f->odd);
    fw_vec_release(&f->stacks);
    fw_vec_release(&f->large);
    fw_vec_release(&f->expected);
    fw_vec_release(&f->unseen);
    fw_wellformed_destroy(f->wellformed);
    fw_symbols_destroy(f->symbols);
    fw_modules_release(&f->modules);
    fw_operands_destroy(f->operands);
    fw_addrmap_release(&f->sites);
    fw_addrmap_release(&f->functions);
    fw_addrmap_release(&f->labels);
    fw_addrmap_release(&f->reused);
    fw_final_texts_release(&f->unmodelled);
    fw_final_texts_release(&f->inexact);
    fw_final_texts_release(&f->partial);
    fw_final_texts_release(&f->shared);
    fw_final_texts_release(&f->off);
    fw_final_texts_release(&f->notes);
    fw_final_texts_release(&f->names);
    fw_final_texts_release(&f->waits);
    free(f->exec);
    fw_vec_release(&f->events);
    fw_vec_release(&f->attrs);
    fw_vec_release(&f->marks);
}

/* The second pass. */
static int write_trace(const struct fw_final_setup *setup, const struct fw_kept_list *kept,
                       struct fw_final_result *result, struct fw_error *err)
{
    struct fw_final f = { .setup = setup,
                          .result = result,
                          .err = err,
                          .kept = kept->at,
                          .kept_end = kept->at + kept->len,
                          .exit_status = -1,
                          .signal = -1 };
    struct fw_spool_reader spool;
    int status;

    f.chunks = fw_chunks_create();
    f.operands = fw_operands_create();
    fw_final_open(&f);
    if (f.failed)
        fw_output_abandon(setup->out);
    else if (fw_spool_open(&spool, setup->spool, err) < 0)
        fw_final_fail(&f);
    if (f.writer && !f.failed) {
        go_through(&f, &spool);
        fw_spool_close(&spool);
    }
    status = f.failed ? -1 : 0;
    if (f.writer && f.failed)
        fw_writer_abandon(f.writer);
    else if (f.writer)
        status = fw_writer_close(f.writer, err);
    release(&f);
    return status;
}

int fw_finalise(const struct fw_final_setup *setup, struct fw_final_result *result,
                struct fw_error *err)
{
    struct fw_kept_list kept = { 0 };
    int status;

    memset(result, 0, sizeof *result);
    if (!setup->kept && survey(setup, &kept, err) < 0) {
        fw_output_abandon(setup->out);
        return -1;
    }
    status = write_trace(setup, setup->kept ? setup->kept : &kept, result, err);
    fw_vec_release(&kept);
    return status;
}
