/* memo_merging.c - tests of the memo: merging counts nothing twice, in whatever order. */
#include "memo_check.h"

static void fill(struct fw_memo *memo, uint64_t seed, unsigned from, unsigned to)
{
    const struct fw_memo_wish wish = { .count = 1, .lease = 9999, .most = 3 };
    struct fw_random random;

    fw_random_init(&random, seed);
    for (unsigned run = from; run < to; run++) {
        unsigned at = fw_random_below(&random, 200), many = fw_random_below(&random, 20);
        struct fw_memo_claims claims;

        predict(memo, at, at + many, run % 2 ? FW_MEMO_PROOF : FW_MEMO_PROFILE,
                (enum fw_memo_verdict)fw_random_below(&random, FW_MEMO_VERDICTS));
        claims = claim(memo, &wish);
        if (claims.len)
            finish(memo, run, &claims.at[0], run % 3 == 0, run % 5 == 0);
        else
            expose(memo, run, at, at + many);
        release_claims(&claims);
    }
}

static struct fw_memo_merged merge(const char *into, const char *from)
{
    struct fw_memo *a = open_memo(into), *b;
    struct fw_memo_merged merged;

    OK(fw_memo_open(&b, from, FW_MEMO_READ, 0, &err));
    OK(fw_memo_merge(a, b, &merged, &err));
    fw_memo_close(b);
    fw_memo_close(a);
    return merged;
}

static void same(const char *a, const char *b)
{
    char *left = dump(a), *right = dump(b);

    assert_string_equal(left, right);
    free(left);
    free(right);
}

static void fill_place(const char *where, const char *campaign, const char *input, uint64_t seed)
{
    struct fw_memo *memo = enter_memo(where, campaign, input);

    fill(memo, seed, 1, 40);
    fw_memo_close(memo);
}

void memo_merges(void **state)
{
    const char *a = new_place(), *b = new_place(), *c = new_place(), *d = new_place();
    const char **places = (const char **)names.places, *place = places[0];
    struct fw_memo_merged merged;
    char *text;

    (void)state;
    fill_place(a, "c1", "small", 1);
    fill_place(a, "c2", "large", 2);
    places[0] = "moved.c:1"; /* the later place is the one that counts */
    fill_place(b, "c1", "large", 3); /* run 1 of c1, on another machine */
    places[0] = place;
    merged = merge(c, a);
    assert_int_equal(merged.runs, 78);
    assert_int_equal(merged.iroots, ask(a, "SELECT count(*) FROM iroots"));
    assert_int_equal(merged.predictions, ask(a, "SELECT count(*) FROM predictions"));
    same(a, c);
    assert_int_equal(merge(c, b).runs, 39);
    merge(d, b);
    merge(d, a);
    same(c, d);
    merged = merge(d, a);
    assert_true(!merged.runs && !merged.iroots && !merged.predictions);
    same(c, d);
    merge(a, c);
    same(a, c);
    assert_int_equal(ask(c, "SELECT count(*) FROM runs"), 117);
    assert_int_equal(ask(c, "SELECT count(*) FROM claims"), 0);
    text = dump(c);
    assert_non_null(strstr(text, "w prog f0+0#1 @ moved.c:1"));
    assert_null(strstr(text, "w prog f0+0#1 @ f.c:10"));
    free(text);
    /* A database merged into itself stays as it is. */
    merged = merge(c, c);
    assert_true(!merged.runs && !merged.iroots && !merged.predictions);
    same(c, d);
}

void memo_merges_copies(void **state)
{
    const char *a = new_place(), *copy = new_place(), *other = new_place();
    struct fw_memo *memo = enter_memo(a, "c1", "small");
    char *text;

    (void)state;
    fill(memo, 1, 1, 20);
    merge(copy, a);
    same(copy, a);
    fill(memo, 2, 20, 40); /* the same session goes on */
    text = dump(a);
    merge(a, copy); /* an earlier state of it adds nothing */
    same(a, a);
    merge(copy, a);
    same(copy, a);
    assert_int_equal(ask(copy, "SELECT count(*) FROM sessions"), 1);
    merge(other, copy);
    same(other, a);
    fw_memo_close(memo);
    free(text);
}

void memo_merges_kinds(void **state)
{
    const char *a = new_place(), *b = new_place();
    char file[128];

    (void)state;
    if (!store->server)
        skip(); /* with the other kind */
    snprintf(file, sizeof file, "%s/of-server.db", store->folder);
    fill_place(a, "c1", "small", 1);
    fill_place(a, "c2", "large", 2);
    assert_int_equal(merge(file, a).runs, 78);
    same(file, a);
    assert_int_equal(merge(b, file).runs, 78);
    same(b, a);
    assert_int_equal(merge(b, a).runs, 0);
    same(b, a);
}
