/*
 * test_memo.c - the memo database: every test with SQLite, and again with PostgreSQL where a server
 * is installed.
 *
 * Its tests are in memo_*.c beside it; one program, so that one server does.
 */
#include "memo_check.h"

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

struct store *store;

/* --- places ----------------------------------------------------------------------------------- */

const char *new_place(void)
{
    static char place[8][256];
    static unsigned next;
    char *at = place[next++ % 8];

    if (store->server)
        fw_postgres_database(store->server, at, sizeof place[0]);
    else
        snprintf(at, sizeof place[0], "%s/%u.db", store->folder, ++store->count);
    return at;
}

/* --- worlds ----------------------------------------------------------------------------------- */

static struct fw_strtab texts;
static char *places[ACCESSES];
static bool owns[ACCESSES];
struct fw_memo_names names = { &texts, (const char *const *)places, owns };
const struct fw_memo_who somebody = { "prog", "b1", "small", "./prog 1", "c1", NULL };

static void make_names(void)
{
    fw_strtab_init(&texts);
    for (unsigned i = 0; i < ACCESSES; i++) {
        char *text = fw_xasprintf("%s %s f%u+%u#1", i % 2 ? "r" : "w", i < 40 ? "prog" : "libx.so",
                                  i % 5, i);

        fw_strtab_intern(&texts, text, strlen(text));
        free(text);
        places[i] = fw_xasprintf("f.c:%u", 10 + i);
        owns[i] = i < 40;
    }
}

struct fw_iroot iroot(unsigned number)
{
    struct fw_iroot made = { .idiom = (uint8_t)(number % FW_IDIOMS + 1) };
    unsigned k = number / FW_IDIOMS;

    made.access[0] = k % ACCESSES;
    made.access[1] = (k + 1 + k / ACCESSES) % ACCESSES;
    for (unsigned i = 2; i < fw_idiom_accesses(made.idiom); i++)
        made.access[i] = (k + 7 * i) % ACCESSES;
    return made;
}

struct fw_memo *open_memo(const char *where)
{
    struct fw_memo *memo;

    OK(fw_memo_open(&memo, where, FW_MEMO_WRITE, 0, &err));
    return memo;
}

struct fw_memo *enter_memo(const char *where, const char *campaign, const char *input)
{
    struct fw_memo *memo = open_memo(where);
    struct fw_memo_who who = somebody;

    who.campaign = campaign;
    who.input = input;
    OK(fw_memo_enter(memo, &who, &err));
    return memo;
}

uint64_t expose(struct fw_memo *memo, uint64_t number, unsigned from, unsigned to)
{
    struct fw_iroot exposed[to - from + 1];
    struct fw_memo_run run = { .number = number, .strategy = "pct", .outcome = "exit 0",
                               .began = (int64_t)number * 1000, .took = 5, .exposed = exposed,
                               .exposed_count = to - from };
    uint64_t fresh = 0;

    for (unsigned i = from; i < to; i++)
        exposed[i - from] = iroot(i);
    OK(fw_memo_record(memo, &names, &run, &fresh, &err));
    return fresh;
}

uint64_t predict(struct fw_memo *memo, unsigned from, unsigned to, enum fw_memo_predictor by,
                 enum fw_memo_verdict verdict)
{
    struct fw_memo_prediction said[to - from + 1];
    uint64_t fresh = 0;

    for (unsigned i = from; i < to; i++)
        said[i - from] = (struct fw_memo_prediction) {
            iroot(i), by, verdict, verdict == FW_MEMO_WITNESS ? "foreweave schedule 1\n" : NULL
        };
    OK(fw_memo_predict(memo, &names, said, to - from, &fresh, &err));
    return fresh;
}

struct fw_memo_claims claim(struct fw_memo *memo, const struct fw_memo_wish *wish)
{
    struct fw_memo_claims claims = { 0 };

    OK(fw_memo_claim(memo, wish, &texts, &claims, NULL, &err));
    return claims;
}

void release_claims(struct fw_memo_claims *claims)
{
    for (size_t i = 0; i < claims->len; i++)
        fw_memo_claim_release(&claims->at[i]);
    fw_vec_release(claims);
}

void finish(struct fw_memo *memo, uint64_t number, const struct fw_memo_claim *claimed,
            bool exposed, bool failed)
{
    const struct fw_memo_failure failure = { "signal 11", "crash", "x.sched", NULL };
    struct fw_memo_run run = { .number = number, .strategy = "iroot", .outcome = "exit 0",
                               .began = (int64_t)number * 1000, .took = 5,
                               .exposed = &claimed->iroot, .exposed_count = exposed,
                               .failure = failed ? &failure : NULL, .claim = claimed };

    OK(fw_memo_record(memo, &names, &run, NULL, &err));
}

pid_t fork_child(void)
{
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0)
        setenv("CMOCKA_TEST_ABORT", "1", 1);
    return pid;
}

/* --- looking behind the interface ------------------------------------------------------------- */

static struct fw_sql *connect_to(const char *where)
{
    const struct fw_sql_way way = { .write = true };
    struct fw_sql *sql;

    OK(fw_sql_open(&sql, where, &way, &err));
    return sql;
}

int64_t ask(const char *where, const char *text)
{
    struct fw_sql *sql = connect_to(where);
    int64_t number = -1;

    OK(sql->kind->run(sql, text, NULL, 0, fw_sql_take_number, &number, &err));
    fw_sql_close(sql);
    return number;
}

void tell(const char *where, const char *text)
{
    struct fw_sql *sql = connect_to(where);

    OK(fw_sql_do(sql, text, &err));
    fw_sql_close(sql);
}

static int dump_iroot(void *context, const struct fw_memo_row *row)
{
    struct fw_output *out = context;

    fw_output_printf(out, "%u%s", row->iroot.idiom, row->iroot.waits ? "w" : "");
    for (unsigned i = 0; i < row->iroot.count; i++)
        fw_output_printf(out, " | %s @ %s", row->iroot.access[i], row->iroot.place[i]);
    fw_output_printf(out, ": %s own=%d seen=%d by=%d%d verdict=%s tried=%d failed=%d "
                          "first=%s,%s,%s,%d\n",
                     fw_memo_states[row->state], row->own, (int)row->seen, row->by[0],
                     row->by[1], fw_memo_verdicts[row->verdict], (int)row->tried, (int)row->failed,
                     row->campaign ? row->campaign : "-", row->input ? row->input : "-",
                     row->strategy ? row->strategy : "-", (int)row->number);
    return 0;
}

static int dump_run(void *context, const struct fw_memo_past *run)
{
    struct fw_output *out = context;

    fw_output_printf(out, "%s %d %s %s %s began=%d took=%d exposed=%d %s %s %s", run->campaign,
                     (int)run->number, run->input, run->strategy, run->outcome, (int)run->began,
                     (int)run->took, (int)run->exposed, run->failure, run->message, run->schedule);
    for (unsigned i = 0; i <= FW_IDIOMS; i++)
        fw_output_printf(out, " %d", (int)run->fresh[i]);
    for (unsigned i = 0; i < run->sought.count; i++)
        fw_output_printf(out, " %s @ %s", run->sought.access[i], run->sought.place[i]);
    fw_output_printf(out, "\n");
    return 0;
}

struct dumping {
    struct fw_memo *memo;
    struct fw_output out;
    FW_VEC(char *) programs;
};

static int dump_program(void *context, const struct fw_memo_program *program)
{
    struct dumping *d = context;

    fw_output_printf(&d->out, "%s: iroots=%d runs=%d inputs=%d builds=%d failures=%d\n",
                     program->name, (int)program->iroots, (int)program->runs, (int)program->inputs,
                     (int)program->builds, (int)program->failures);
    fw_vec_push(&d->programs, fw_xstrdup(program->name));
    return 0;
}

char *dump(const char *where)
{
    struct dumping d = { 0 };
    char *text;

    OK(fw_memo_open(&d.memo, where, FW_MEMO_READ, 0, &err));
    OK(fw_memo_check(d.memo, &err));
    fw_output_open_memory(&d.out);
    OK(fw_memo_each_program(d.memo, dump_program, &d, &err));
    for (size_t i = 0; i < d.programs.len; i++) {
        OK(fw_memo_each_iroot(d.memo, d.programs.at[i], dump_iroot, &d.out, &err));
        OK(fw_memo_each_run(d.memo, d.programs.at[i], dump_run, &d.out, &err));
        free(d.programs.at[i]);
    }
    fw_vec_release(&d.programs);
    text = fw_xstrndup(d.out.buffer, d.out.used);
    fw_output_abandon(&d.out);
    fw_memo_close(d.memo);
    return text;
}

/* --- all of it -------------------------------------------------------------------------------- */

static int remove_one(const char *path, const struct stat *file, int kind, struct FTW *place)
{
    (void)file, (void)kind, (void)place;
    return remove(path);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(memo_records),
    cmocka_unit_test(memo_counts_a_run_once),
    cmocka_unit_test(memo_predicts),
    cmocka_unit_test(memo_tells_builds_apart),
    cmocka_unit_test(memo_tells_judges_apart),
    cmocka_unit_test(memo_knows_failures),
    cmocka_unit_test(memo_knows_what_failures_sought),
    cmocka_unit_test(memo_counts_plain_runs),
    cmocka_unit_test(memo_records_many_runs_at_once),
    cmocka_unit_test(memo_takes_any_text),
    cmocka_unit_test(memo_follows_a_model),
    cmocka_unit_test(memo_claims_in_order),
    cmocka_unit_test(memo_claims_ruled_out_last),
    cmocka_unit_test(memo_claims_within_limits),
    cmocka_unit_test(memo_claims_one_at_a_time),
    cmocka_unit_test(memo_leases_end),
    cmocka_unit_test(memo_many_claim),
    cmocka_unit_test(memo_many_write),
    cmocka_unit_test(memo_of_the_dead),
    cmocka_unit_test(memo_survives_kill),
    cmocka_unit_test(memo_connects_again),
    cmocka_unit_test(memo_loses_an_answer),
    cmocka_unit_test(memo_merges),
    cmocka_unit_test(memo_merges_copies),
    cmocka_unit_test(memo_merges_kinds),
    cmocka_unit_test(memo_check_finds_damage),
    cmocka_unit_test(memo_believes_no_nonsense),
    cmocka_unit_test(memo_climbs_versions),
    cmocka_unit_test(memo_climbs_from_the_first),
    cmocka_unit_test(memo_refuses_strangers),
    cmocka_unit_test(memo_waits_for_writers),
};

int main(void)
{
    struct store files = { .folder = "/tmp/foreweave-memo.XXXXXX" }, server = { 0 };
    struct fw_postgres pg;
    char why[256];
    int failed;

    if (!mkdtemp(files.folder))
        return 1;
    make_names();
    store = &files;
    failed = cmocka_run_group_tests_name("memo, SQLite", tests, NULL, NULL);
    if (fw_postgres_start(&pg, why, sizeof why) < 0) {
        printf("memo, PostgreSQL: skipped: %s\n", why);
    } else {
        server.server = &pg;
        snprintf(server.folder, sizeof server.folder, "%s", files.folder);
        store = &server;
        failed += cmocka_run_group_tests_name("memo, PostgreSQL", tests, NULL, NULL);
        fw_postgres_stop(&pg);
    }
    nftw(files.folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    for (unsigned i = 0; i < ACCESSES; i++)
        free(places[i]);
    fw_strtab_release(&texts);
    return failed;
}
