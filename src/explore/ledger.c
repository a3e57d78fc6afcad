/* ledger.c - see ledger.h. */
#include "explore/ledger.h"

#include "explore/campaign.h"

#define BATCH  100u /* runs that are counted at a time, at most */
#define SECOND 1.0

/* Would its row tell anything that the others do not? */
static bool is_plain(const struct fw_ledger *ledger, const struct fw_ledger_entry *entry)
{
    const struct fw_iroot_vec *exposed = &entry->trial->exposed;

    if (!entry->drawn || entry->trial->failure || !ledger->written)
        return false;
    for (size_t i = 0; i < exposed->len; i++)
        if (!fw_iroot_set_has(ledger->written, &exposed->at[i]))
            return false;
    return true;
}

static int count(struct fw_ledger *ledger, const struct fw_iroot_vec *exposed, struct fw_error *err)
{
    double now = fw_session_now();

    for (size_t i = 0; i < exposed->len; i++)
        ledger->times.at[fw_iroot_set_find(ledger->written, &exposed->at[i])]++;
    if (ledger->plain++ == ledger->counted)
        ledger->since = now;
    return ledger->plain - ledger->counted < BATCH && now - ledger->since < SECOND
               ? 0
               : fw_ledger_flush(ledger, err);
}

int fw_ledger_flush(struct fw_ledger *ledger, struct fw_error *err)
{
    FW_VEC(struct fw_iroot) exposed = { 0 };
    FW_VEC(uint64_t) times = { 0 };
    struct fw_memo_plain plain = { .runs = ledger->plain };
    struct fw_memo_names names;
    int status;

    if (ledger->plain == ledger->counted)
        return 0;
    for (uint32_t i = 0; i < ledger->times.len; i++)
        if (ledger->times.at[i]) {
            fw_vec_push(&exposed, *fw_iroot_set_get(ledger->written, i));
            fw_vec_push(&times, ledger->times.at[i]);
            ledger->times.at[i] = 0;
        }
    plain.exposed = exposed.at;
    plain.times = times.at;
    plain.count = times.len;
    names = fw_coverage_names(ledger->coverage);
    status = fw_memo_count_plain(ledger->memo, &names, &plain, err);
    ledger->counted = ledger->plain;
    fw_vec_release(&exposed);
    fw_vec_release(&times);
    return status;
}

static void note(struct fw_ledger *ledger, const struct fw_iroot_vec *exposed)
{
    if (!ledger->written)
        ledger->written = fw_iroot_set_create();
    for (size_t i = 0; i < exposed->len; i++)
        if (fw_iroot_set_add(ledger->written, &exposed->at[i]))
            fw_vec_push(&ledger->times, 0);
}

int fw_ledger_add(struct fw_ledger *ledger, const struct fw_ledger_entry *entry,
                  struct fw_error *err)
{
    const struct fw_trial *trial = entry->trial;
    struct fw_memo_names names;
    char outcome[64];
    struct fw_memo_failure failure = { .kind = fw_run_text(&trial->result, outcome),
                                       .message = trial->message,
                                       .schedule = entry->schedule };
    struct fw_memo_run run = { .number = trial->number,
                               .strategy = ledger->strategy,
                               .outcome = outcome,
                               .took = (uint64_t)(trial->result.seconds * 1000),
                               .exposed = trial->exposed.at,
                               .exposed_count = trial->exposed.len,
                               .failure = trial->failure ? &failure : NULL,
                               .claim = entry->claim };

    if (!ledger->memo)
        return 0;
    if (is_plain(ledger, entry))
        return count(ledger, &trial->exposed, err);
    if (fw_ledger_flush(ledger, err) < 0)
        return -1;
    note(ledger, &trial->exposed);
    names = fw_coverage_names(ledger->coverage);
    return fw_memo_record(ledger->memo, &names, &run, NULL, err) < 0 ? -1 : 0;
}

void fw_ledger_release(struct fw_ledger *ledger)
{
    fw_iroot_set_destroy(ledger->written);
    fw_vec_release(&ledger->times);
}

int fw_ledger_keep(const struct fw_ledger *ledger, const struct fw_failure *failure,
                   struct fw_error *err)
{
    char kind[64];
    struct fw_memo_failure kept = { .kind = fw_run_text(&failure->result, kind),
                                    .message = failure->message,
                                    .schedule = failure->schedule };

    return ledger->memo ? fw_memo_keep(ledger->memo, &kept, err) : 0;
}
