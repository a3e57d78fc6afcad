/* ledger.c - see ledger.h. */
#include "explore/ledger.h"

#include "base/alloc.h"
#include "explore/campaign.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BATCH  1000u /* runs that are counted at a time, at most */
#define SECOND 1.0
#define REST   20 /* times as long as it took to write nothing is written that is not asked for */

/* A run, until it is written. */
struct fw_ledger_row {
    struct fw_memo_run run;
    struct fw_memo_failure failure;
    struct fw_memo_claim claim; /* with nothing that has to be released */
    char outcome[64];
    struct fw_iroot_vec fresh; /* of its iRoots: what no run before it has exposed */
    char *message, *schedule, *way;
};

static void destroy_row(struct fw_ledger_row *row)
{
    fw_vec_release(&row->fresh);
    free(row->message);
    free(row->schedule);
    free(row->way);
    free(row);
}

/* One that is right wherever the database is asked for it. */
static char *whole_path(const char *path)
{
    char *whole = realpath(path, NULL);

    return whole ? whole : fw_xstrdup(path);
}

/* --- taking ---------------------------------------------------------------------------------- */

/* Counts what the run has exposed; those that are new are added to `fresh`. */
static void count(struct fw_ledger *ledger, const struct fw_iroot_vec *exposed,
                  struct fw_iroot_vec *fresh)
{
    if (!ledger->known)
        ledger->known = fw_iroot_set_create();
    for (size_t i = 0; i < exposed->len; i++) {
        if (fw_iroot_set_add(ledger->known, &exposed->at[i])) {
            fw_vec_push(&ledger->times, 0);
            fw_vec_push(fresh, exposed->at[i]);
        }
        ledger->times.at[fw_iroot_set_find(ledger->known, &exposed->at[i])]++;
    }
}

static bool has(const struct fw_iroot_vec *exposed, const struct fw_iroot *iroot)
{
    for (size_t i = 0; i < exposed->len; i++)
        if (fw_iroot_compare(&exposed->at[i], iroot) == 0)
            return true;
    return false;
}

/* The trial and the claim are gone when the row is written. */
static struct fw_ledger_row *make_row(const struct fw_ledger *ledger,
                                      const struct fw_ledger_entry *entry)
{
    const struct fw_trial *trial = entry->trial;
    struct fw_ledger_row *row = fw_xcalloc(1, sizeof *row);
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    row->message = trial->message ? fw_xstrdup(trial->message) : NULL;
    row->schedule = entry->schedule ? whole_path(entry->schedule) : NULL;
    row->way = trial->failure ? fw_xstrdup(trial->failure) : NULL;
    row->failure = (struct fw_memo_failure) { .kind = fw_run_text(&trial->result, row->outcome),
                                              .message = row->message,
                                              .schedule = row->schedule,
                                              .way = row->way };
    row->run = (struct fw_memo_run) { .number = trial->number,
                                      .strategy = ledger->strategy,
                                      .outcome = row->outcome,
                                      .began = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000,
                                      .took = (uint64_t)(trial->result.seconds * 1000),
                                      .failure = trial->failure ? &row->failure : NULL,
                                      .exposed_all = trial->exposed.len,
                                      .plain_before = ledger->plain };
    if (entry->claim) {
        row->claim = *entry->claim;
        row->claim.schedule = NULL;
        row->run.claim = &row->claim;
        row->run.reached = has(&trial->exposed, &row->claim.iroot);
    }
    return row;
}

void fw_ledger_add(struct fw_ledger *ledger, const struct fw_ledger_entry *entry)
{
    const struct fw_trial *trial = entry->trial;
    struct fw_iroot_vec fresh = { 0 };

    if (!ledger->memo)
        return;
    if (!ledger->runs++)
        ledger->since = fw_session_now();
    ledger->urgent |= trial->failure && !entry->schedule;
    count(ledger, &trial->exposed, &fresh);
    if (fresh.len || !entry->drawn || trial->failure) {
        struct fw_ledger_row *row = make_row(ledger, entry);

        row->fresh = fresh;
        row->run.exposed = fresh.at;
        row->run.exposed_count = fresh.len;
        fw_vec_push(&ledger->rows, row);
    } else {
        ledger->plain++;
    }
}

/* --- writing --------------------------------------------------------------------------------- */

static void drop_rows(struct fw_ledger *ledger)
{
    for (size_t i = 0; i < ledger->rows.len; i++)
        destroy_row(ledger->rows.at[i]);
    fw_vec_clear(&ledger->rows);
}

int fw_ledger_flush(struct fw_ledger *ledger, struct fw_error *err)
{
    FW_VEC(struct fw_iroot) exposed = { 0 };
    FW_VEC(uint64_t) times = { 0 };
    FW_VEC(struct fw_memo_run) rows = { 0 };
    struct fw_memo_batch batch = { .plain = ledger->plain };
    struct fw_memo_names names;
    double start = fw_session_now();
    int status;

    if (!ledger->runs)
        return 0;
    for (uint32_t i = 0; i < ledger->times.len; i++)
        if (ledger->times.at[i]) {
            fw_vec_push(&exposed, *fw_iroot_set_get(ledger->known, i));
            fw_vec_push(&times, ledger->times.at[i]);
            ledger->times.at[i] = 0;
        }
    for (size_t i = 0; i < ledger->rows.len; i++)
        fw_vec_push(&rows, ledger->rows.at[i]->run);
    batch.rows = rows.at;
    batch.row_count = rows.len;
    batch.exposed = exposed.at;
    batch.times = times.at;
    batch.count = times.len;
    names = fw_coverage_names(ledger->coverage);
    status = fw_memo_record_batch(ledger->memo, &names, &batch, err);
    ledger->took = fw_session_now() - start;
    ledger->runs = 0;
    ledger->urgent = false;
    drop_rows(ledger);
    fw_vec_release(&exposed);
    fw_vec_release(&times);
    fw_vec_release(&rows);
    return status;
}

int fw_ledger_settle(struct fw_ledger *ledger, struct fw_error *err)
{
    double gone = fw_session_now() - ledger->since;

    if (!ledger->urgent &&
        ((ledger->runs < BATCH && gone < SECOND) || gone < REST * ledger->took))
        return 0;
    return fw_ledger_flush(ledger, err);
}

void fw_ledger_release(struct fw_ledger *ledger)
{
    drop_rows(ledger);
    fw_vec_release(&ledger->rows);
    fw_iroot_set_destroy(ledger->known);
    fw_vec_release(&ledger->times);
}

int fw_ledger_keep(struct fw_ledger *ledger, const struct fw_failure *failure,
                   struct fw_error *err)
{
    char *path = whole_path(failure->schedule);
    struct fw_memo_failure kept = { .way = failure->text, .schedule = path };
    int status;

    for (size_t i = 0; i < ledger->rows.len; i++) {
        struct fw_ledger_row *row = ledger->rows.at[i];

        if (!row->way || row->schedule || strcmp(row->way, failure->text) != 0)
            continue;
        row->schedule = fw_xstrdup(path);
        row->failure.schedule = row->schedule;
    }
    status = ledger->memo ? fw_memo_keep(ledger->memo, &kept, err) : 0;
    free(path);
    return status;
}
