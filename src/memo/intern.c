/*
 * intern.c - see internal.h.
 *
 * Most of what a run exposes is known from the runs before it, so the numbers of rows are kept in
 * memory, and the database is asked for the others only, a hundred at a time: inserted if they are
 * not there, then looked up.
 */
#include "base/bug.h"
#include "memo/internal.h"

#include <inttypes.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

void fw_known_init(struct fw_known *known)
{
    memset(known, 0, sizeof *known);
    fw_strtab_init(&known->texts);
}

void fw_known_release(struct fw_known *known)
{
    for (size_t i = 0; i < known->accesses.len; i++)
        free(known->accesses.at[i].place);
    fw_vec_release(&known->accesses);
    fw_strtab_release(&known->texts);
    fw_vec_release(&known->iroots);
    fw_idmap_release(&known->by_key);
}

/* --- accesses --------------------------------------------------------------------------------- */

void fw_memo_digest(const char *text, char digest[FW_MEMO_DIGEST])
{
    XXH128_hash_t hash = XXH3_128bits(text, strlen(text));

    snprintf(digest, FW_MEMO_DIGEST, "%016" PRIx64 "%016" PRIx64, hash.high64, hash.low64);
}

struct interning {
    struct fw_memo *memo;
    int64_t program, now;
    const struct fw_memo_names *names;
    FW_VEC(uint32_t) local;   /* number of an access of `names` to that of its text, plus 1 */
    FW_VEC(uint32_t) missing; /* accesses of `names` that have no number yet */
    FW_VEC(uint32_t) fresh;   /* iRoots of `known` that have none */
};

static const char *place_of(const struct interning *in, uint32_t access)
{
    const char *place = in->names->places ? in->names->places[access] : NULL;

    return place ? place : "";
}

static bool own(const struct interning *in, uint32_t access)
{
    return !in->names->own || in->names->own[access];
}

/* The number of its text among those that are known; the row's own may still be 0. */
static uint32_t local_access(struct interning *in, uint32_t access)
{
    struct fw_known *known = &in->memo->known;
    char *text;
    uint32_t number;

    fw_vec_extend(&in->local, access + 1);
    if (in->local.at[access])
        return in->local.at[access] - 1;
    text = fw_sql_clean(fw_strtab_text(in->names->accesses, access));
    number = fw_strtab_intern(&known->texts, text, strlen(text));
    free(text);
    fw_vec_extend(&known->accesses, number + 1);
    if (!known->accesses.at[number].id)
        fw_vec_push(&in->missing, access);
    in->local.at[access] = number + 1;
    return number;
}

static int insert_accesses(struct interning *in, const uint32_t *accesses, size_t count,
                           struct fw_error *err)
{
    struct fw_query *q = &in->memo->q;

    fw_query_say(q, "INSERT INTO accesses (program, digest, text, own, place, placed) VALUES ");
    for (size_t i = 0; i < count; i++) {
        const char *text = fw_strtab_text(&in->memo->known.texts, in->local.at[accesses[i]] - 1);
        char digest[FW_MEMO_DIGEST];

        fw_memo_digest(text, digest);
        fw_query_say(q, "%s(%" PRId64 ", '%s', ", i ? ", " : "", in->program, digest);
        fw_query_text(q, text);
        fw_query_say(q, ", %d, ", own(in, accesses[i]));
        fw_query_text(q, place_of(in, accesses[i]));
        fw_query_say(q, ", %" PRId64 ")", *place_of(in, accesses[i]) ? in->now : 0);
    }
    fw_query_say(q, " ON CONFLICT (program, digest) DO NOTHING");
    return fw_memo_do(in->memo, err);
}

static int take_access(void *context, const struct fw_sql_row *row)
{
    struct fw_known *known = context;
    const char *text = fw_sql_text(row, 1);
    uint32_t number = fw_strtab_find(&known->texts, text, strlen(text));

    if (number == FW_STRTAB_NONE)
        return 0;
    free(known->accesses.at[number].place);
    known->accesses.at[number] =
        (struct fw_known_access) { fw_sql_number(row, 0), fw_xstrdup(fw_sql_text(row, 2)) };
    return 0;
}

static int look_up_accesses(struct interning *in, const uint32_t *accesses, size_t count,
                            struct fw_error *err)
{
    struct fw_memo *memo = in->memo;

    fw_query_say(&memo->q, "SELECT id, text, place FROM accesses WHERE program = %" PRId64
                           " AND digest IN (", in->program);
    for (size_t i = 0; i < count; i++) {
        char digest[FW_MEMO_DIGEST];

        fw_memo_digest(fw_strtab_text(&memo->known.texts, in->local.at[accesses[i]] - 1), digest);
        fw_query_say(&memo->q, "%s'%s'", i ? ", " : "", digest);
    }
    fw_query_say(&memo->q, ")");
    return fw_query_run(&memo->q, memo->sql, take_access, &memo->known, err);
}

/* Where it is now, if that is known and was another place before. */
static int move_access(struct interning *in, uint32_t access, struct fw_error *err)
{
    struct fw_known_access *known = &in->memo->known.accesses.at[in->local.at[access] - 1];
    const char *place = place_of(in, access);

    if (!*place || strcmp(place, known->place) == 0)
        return 0;
    fw_query_say(&in->memo->q, "UPDATE accesses SET place = ");
    fw_query_text(&in->memo->q, place);
    fw_query_say(&in->memo->q, ", placed = %" PRId64 " WHERE id = %" PRId64, in->now, known->id);
    free(known->place);
    known->place = fw_xstrdup(place);
    return fw_memo_do(in->memo, err);
}

int fw_memo_place(struct fw_memo *memo, const char *text, const char *place, int64_t placed,
                  struct fw_error *err)
{
    struct fw_known *known = &memo->known;
    uint32_t number = fw_strtab_find(&known->texts, text, strlen(text));

    if (number == FW_STRTAB_NONE || strcmp(known->accesses.at[number].place, place) == 0)
        return 0;
    fw_query_say(&memo->q, "UPDATE accesses SET place = ");
    fw_query_text(&memo->q, place);
    fw_query_say(&memo->q, ", placed = %" PRId64 " WHERE id = %" PRId64 " AND placed < %" PRId64,
                 placed, known->accesses.at[number].id, placed);
    return fw_memo_do(memo, err);
}

static int find_accesses(struct interning *in, struct fw_error *err)
{
    for (size_t i = 0; i < in->missing.len; i += FW_MEMO_CHUNK) {
        size_t left = in->missing.len - i, count = left < FW_MEMO_CHUNK ? left : FW_MEMO_CHUNK;

        if (insert_accesses(in, in->missing.at + i, count, err) < 0 ||
            look_up_accesses(in, in->missing.at + i, count, err) < 0)
            return -1;
    }
    for (uint32_t i = 0; i < in->local.len; i++)
        if (in->local.at[i] && move_access(in, i, err) < 0)
            return -1;
    return 0;
}

/* --- iRoots ----------------------------------------------------------------------------------- */

static uint32_t hash_key(const struct fw_known_iroot *key)
{
    int64_t words[] = { key->idiom, key->waits, key->access[0], key->access[1], key->access[2],
                        key->access[3] };

    return (uint32_t)XXH3_64bits(words, sizeof words);
}

struct search {
    const struct fw_known *known;
    const struct fw_known_iroot *key;
};

static bool equal_key(const void *context, uint32_t number)
{
    const struct search *search = context;
    const struct fw_known_iroot *a = search->key, *b = &search->known->iroots.at[number];

    return a->idiom == b->idiom && a->waits == b->waits &&
           memcmp(a->access, b->access, sizeof a->access) == 0;
}

static uint32_t find_key(const struct fw_known *known, const struct fw_known_iroot *key)
{
    const struct search search = { known, key };

    return fw_idmap_find(&known->by_key, hash_key(key), equal_key, &search);
}

/* By its accesses' rows, the two halves of idiom 5 in the order of their texts. */
static struct fw_known_iroot key_of(struct interning *in, const struct fw_iroot *iroot)
{
    const struct fw_known *known = &in->memo->known;
    struct fw_known_iroot key = { .idiom = iroot->idiom, .waits = iroot->waits };
    uint32_t local[FW_IROOT_MOST] = { 0 };
    unsigned count = fw_idiom_accesses(iroot->idiom), turn = 0;

    for (unsigned i = 0; i < count; i++)
        local[i] = in->local.at[iroot->access[i]] - 1;
    if (iroot->idiom == 5) {
        int order = strcmp(fw_strtab_text(&known->texts, local[0]),
                           fw_strtab_text(&known->texts, local[2]));

        if (!order)
            order = strcmp(fw_strtab_text(&known->texts, local[1]),
                           fw_strtab_text(&known->texts, local[3]));
        turn = order > 0 ? 2 : 0;
    }
    for (unsigned i = 0; i < count; i++)
        key.access[i ^ turn] = known->accesses.at[local[i]].id;
    return key;
}

static bool all_own(const struct interning *in, const struct fw_iroot *iroot)
{
    for (unsigned i = 0; i < fw_idiom_accesses(iroot->idiom); i++)
        if (!own(in, iroot->access[i]))
            return false;
    return true;
}

static void say_key(struct fw_query *q, const struct fw_known_iroot *key)
{
    fw_query_say(q, "%u, %u", key->idiom, key->waits);
    for (unsigned i = 0; i < FW_IROOT_MOST; i++)
        fw_query_say(q, ", %" PRId64, key->access[i]);
}

static int insert_iroots(struct interning *in, const struct fw_iroot *iroots,
                         const uint32_t *fresh, const uint32_t *from, size_t count,
                         struct fw_error *err)
{
    struct fw_query *q = &in->memo->q;

    fw_query_say(q, "INSERT INTO iroots (program, idiom, waits, a, b, c, d, own, seen, tried) "
                    "VALUES ");
    for (size_t i = 0; i < count; i++) {
        fw_query_say(q, "%s(%" PRId64 ", ", i ? ", " : "", in->program);
        say_key(q, &in->memo->known.iroots.at[fresh[i]]);
        fw_query_say(q, ", %d, 0, 0)", all_own(in, &iroots[from[i]]));
    }
    fw_query_say(q, " ON CONFLICT (program, idiom, waits, a, b, c, d) DO NOTHING");
    return fw_memo_do(in->memo, err);
}

static int take_iroot(void *context, const struct fw_sql_row *row)
{
    struct fw_known *known = context;
    struct fw_known_iroot key = { .idiom = (uint8_t)fw_sql_number(row, 1),
                                  .waits = (uint8_t)fw_sql_number(row, 2) };
    uint32_t number;

    for (unsigned i = 0; i < FW_IROOT_MOST; i++)
        key.access[i] = fw_sql_number(row, 3 + i);
    number = find_key(known, &key);
    FW_ASSERT(number != FW_IDMAP_NONE);
    known->iroots.at[number].id = fw_sql_number(row, 0);
    return 0;
}

static int look_up_iroots(struct interning *in, const uint32_t *fresh, size_t count,
                          struct fw_error *err)
{
    struct fw_memo *memo = in->memo;

    fw_query_say(&memo->q, "SELECT id, idiom, waits, a, b, c, d FROM iroots WHERE program = "
                           "%" PRId64 " AND (idiom, waits, a, b, c, d) IN (VALUES ", in->program);
    for (size_t i = 0; i < count; i++) {
        fw_query_say(&memo->q, i ? ", (" : "(");
        say_key(&memo->q, &memo->known.iroots.at[fresh[i]]);
        fw_query_say(&memo->q, ")");
    }
    fw_query_say(&memo->q, ")");
    return fw_query_run(&memo->q, memo->sql, take_iroot, &memo->known, err);
}

/* Of iRoots that are not known, ids->at[i] is found last. */
static int find_iroots(struct interning *in, const struct fw_iroot *iroots, size_t count,
                       struct fw_memo_ids *ids, struct fw_error *err)
{
    struct fw_known *known = &in->memo->known;
    FW_VEC(uint32_t) numbers = { 0 }, from = { 0 };
    int result = 0;

    for (size_t i = 0; i < count; i++) {
        struct fw_known_iroot key = key_of(in, &iroots[i]);
        uint32_t number = find_key(known, &key);

        if (number == FW_IDMAP_NONE) {
            number = (uint32_t)known->iroots.len;
            fw_vec_push(&known->iroots, key);
            fw_idmap_add(&known->by_key, hash_key(&key), number);
            fw_vec_push(&in->fresh, number);
            fw_vec_push(&from, (uint32_t)i);
        }
        fw_vec_push(&numbers, number);
    }
    for (size_t i = 0; i < in->fresh.len && result == 0; i += FW_MEMO_CHUNK) {
        size_t left = in->fresh.len - i, chunk = left < FW_MEMO_CHUNK ? left : FW_MEMO_CHUNK;

        result = insert_iroots(in, iroots, in->fresh.at + i, from.at + i, chunk, err);
        if (result == 0)
            result = look_up_iroots(in, in->fresh.at + i, chunk, err);
    }
    for (size_t i = 0; i < count && result == 0; i++)
        fw_vec_push(ids, known->iroots.at[numbers.at[i]].id);
    fw_vec_release(&numbers);
    fw_vec_release(&from);
    return result;
}

int fw_memo_intern(struct fw_memo *memo, int64_t program, const struct fw_memo_names *names,
                   const struct fw_iroot *iroots, size_t count, struct fw_memo_ids *ids,
                   struct fw_error *err)
{
    struct interning in = { .memo = memo, .program = program, .names = names };
    int result = fw_sql_now(memo->sql, &in.now, err);

    if (memo->known.program != program) {
        fw_known_release(&memo->known);
        fw_known_init(&memo->known);
        memo->known.program = program;
    }
    for (size_t i = 0; i < count && result == 0; i++)
        for (unsigned k = 0; k < fw_idiom_accesses(iroots[i].idiom); k++)
            local_access(&in, iroots[i].access[k]);
    fw_vec_clear(ids);
    if (result == 0)
        result = find_accesses(&in, err);
    if (result == 0)
        result = find_iroots(&in, iroots, count, ids, err);
    fw_vec_release(&in.local);
    fw_vec_release(&in.missing);
    fw_vec_release(&in.fresh);
    return result;
}
