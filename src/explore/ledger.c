/* ledger.c - see ledger.h. */
#include "explore/ledger.h"

#include "explore/campaign.h"

int fw_ledger_add(const struct fw_ledger *ledger, const struct fw_ledger_entry *entry,
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

    if (!ledger->memo || (entry->drawn && !entry->fresh && !trial->failure))
        return 0;
    names = fw_coverage_names(ledger->coverage);
    return fw_memo_record(ledger->memo, &names, &run, NULL, err) < 0 ? -1 : 0;
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
