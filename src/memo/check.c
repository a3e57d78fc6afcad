/* check.c - see memo.h: is a database whole? */
#include "memo/internal.h"

/*
 * Each asks for what must not be there.  SQLite and PostgreSQL guard references and uniqueness by
 * themselves; these are about rows that only mean something together.
 */
static const struct rule {
    const char *broken, *query;
} rules[] = {
    { "an iRoot is counted otherwise than its sessions have seen it",
      "SELECT count(*) FROM iroots i WHERE i.seen <> (SELECT coalesce(sum(t.seen), 0) FROM tallies "
      "t WHERE t.iroot = i.id)" },
    { "an iRoot is counted otherwise than its sessions have tried it",
      "SELECT count(*) FROM iroots i WHERE i.tried <> (SELECT coalesce(sum(t.tried), 0) FROM "
      "attempts t WHERE t.iroot = i.id)" },
    { "a session's runs have exposed more or less than it has counted",
      "SELECT count(*) FROM sessions s WHERE s.plain_exposed + (SELECT coalesce(sum(r.exposed), 0) "
      "FROM runs r WHERE r.session = s.id) <> (SELECT coalesce(sum(t.seen), 0) FROM tallies t "
      "WHERE t.session = s.id)" },
    { "an iRoot was first exposed by a run of another session",
      "SELECT count(*) FROM tallies t JOIN runs r ON r.id = t.first_run WHERE r.session <> "
      "t.session" },
    { "a session has written less often than it has runs",
      "SELECT count(*) FROM sessions s WHERE s.writes < (SELECT count(*) FROM runs r WHERE "
      "r.session = s.id)" },
    { "a run comes behind more plain ones than its session has",
      "SELECT count(*) FROM runs r JOIN sessions s ON s.id = r.session WHERE r.plain > s.plain" },
    { "an iRoot is neither exposed nor predicted",
      "SELECT count(*) FROM iroots i WHERE i.seen = 0 AND NOT EXISTS (SELECT 1 FROM predictions p "
      "WHERE p.iroot = i.id)" },
    { "an iRoot has an access that is not there, or of another program",
      "SELECT count(*) FROM iroots i WHERE EXISTS (SELECT 1 FROM accesses a WHERE a.id IN (i.a, "
      "i.b, i.c, i.d) AND a.program <> i.program) OR (i.c <> 0 AND NOT EXISTS (SELECT 1 FROM "
      "accesses a WHERE a.id = i.c)) OR (i.d <> 0 AND NOT EXISTS (SELECT 1 FROM accesses a WHERE "
      "a.id = i.d))" },
    { "an iRoot has more or fewer accesses than its idiom",
      "SELECT count(*) FROM iroots WHERE (c = 0) <> (idiom = 1) OR (d = 0) <> (idiom < 3)" },
};

int fw_memo_check_numbers(struct fw_memo *memo, struct fw_error *err)
{
    int64_t broken;

    fw_query_say(&memo->q, "SELECT (SELECT count(*) FROM iroots WHERE idiom NOT BETWEEN 1 AND %u) "
                           "+ (SELECT count(*) FROM predictions WHERE verdict NOT BETWEEN 0 AND "
                           "%d)", FW_IDIOMS, FW_MEMO_VERDICTS - 1);
    if (fw_memo_ask(memo, &broken, err) < 0)
        return -1;
    return broken ? fw_memo_damaged(memo, err) : 0;
}

static int check(void *context, struct fw_error *err)
{
    struct fw_memo *memo = context;

    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        int64_t broken;

        fw_query_say(&memo->q, "%s", rules[i].query);
        if (fw_memo_ask(memo, &broken, err) < 0)
            return -1;
        if (broken)
            return fw_error_set(err, "database '%s' is not whole: %s (%lld times)",
                                fw_memo_name(memo), rules[i].broken, (long long)broken);
    }
    return 0;
}

int fw_memo_check(struct fw_memo *memo, struct fw_error *err)
{
    if (memo->sql->kind->check(memo->sql, err) < 0)
        return -1;
    return fw_sql_read(memo->sql, check, memo, err);
}
