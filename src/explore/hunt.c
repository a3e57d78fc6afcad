/* hunt.c - see hunt.h. */
#include "explore/hunt.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

#define ATTEMPTS 2u
#define INPUTS   3u   /* with so many an iRoot is tried in vain, and then no more */
#define LEASE    60u  /* seconds, and what the runs of a round may take */
#define LONG     (UINT64_C(1) << 20) /* blocks of a run, from which on attempts are thin */

struct known {
    const struct fw_moments *moments;
    struct fw_shown witness;
    bool astray;      /* the first attempt went otherwise ... */
    uint32_t matched; /* ... after so many steps that it has followed */
};

struct fw_hunt {
    struct fw_hunt_setup setup;
    struct fw_coverage *coverage;
    struct fw_iroot_set *witnessed; /* numbers are those of ... */
    FW_VEC(struct known) known;
    FW_VEC(struct known) repeated; /* runs */
    size_t next;         /* of these */
    size_t first, again; /* a round of them: its first one, and how many; 0: of claims */
    struct fw_memo_claims claims; /* by slot */
    struct fw_hunt_counts counts;
};

struct fw_hunt *fw_hunt_create(const struct fw_hunt_setup *setup, struct fw_coverage *coverage)
{
    struct fw_hunt *hunt = fw_xcalloc(1, sizeof *hunt);

    hunt->setup = *setup;
    if (!hunt->setup.attempts)
        hunt->setup.attempts = ATTEMPTS;
    hunt->coverage = coverage;
    hunt->witnessed = fw_iroot_set_create();
    return hunt;
}

static void drop_claims(struct fw_hunt *hunt)
{
    for (size_t i = 0; i < hunt->claims.len; i++)
        fw_memo_claim_release(&hunt->claims.at[i]);
    fw_vec_clear(&hunt->claims);
}

void fw_hunt_destroy(struct fw_hunt *hunt)
{
    if (!hunt)
        return;
    drop_claims(hunt);
    fw_vec_release(&hunt->claims);
    fw_vec_release(&hunt->known);
    fw_vec_release(&hunt->repeated);
    fw_iroot_set_destroy(hunt->witnessed);
    free(hunt);
}

void fw_hunt_add(struct fw_hunt *hunt, const struct fw_iroot *iroot,
                 const struct fw_moments *moments, const struct fw_shown *witness)
{
    struct known known = { .moments = moments, .witness = *witness };

    if (!fw_iroot_set_add(hunt->witnessed, iroot))
        return;
    fw_vec_push(&hunt->known, known);
    hunt->counts.witnessed[iroot->idiom]++;
}

void fw_hunt_repeat(struct fw_hunt *hunt, const struct fw_moments *moments,
                    const struct fw_shown *run)
{
    struct known known = { .moments = moments, .witness = *run };

    fw_vec_push(&hunt->repeated, known);
}

/* The witness of the iRoot; NULL: none. */
static struct known *known_of(const struct fw_hunt *hunt, const struct fw_iroot *iroot)
{
    uint32_t number = fw_iroot_set_find(hunt->witnessed, iroot);

    return number == FW_IROOT_NONE ? NULL : &hunt->known.at[number];
}

/* --- rounds ---------------------------------------------------------------------------------- */

int fw_hunt_plan(struct fw_hunt *hunt, size_t most, bool sure, size_t *count,
                 struct fw_error *err)
{
    struct fw_memo_wish wish = { .count = most,
                                 .idioms = hunt->setup.idioms,
                                 .most = hunt->setup.attempts * INPUTS,
                                 .most_here = hunt->setup.attempts,
                                 .infeasible = hunt->setup.infeasible,
                                 .own_only = hunt->setup.own_only,
                                 .proved = true,
                                 .lease = LEASE + (uint64_t)(hunt->setup.limit * (double)most) };
    uint64_t busy;

    drop_claims(hunt);
    hunt->first = hunt->next;
    hunt->again = hunt->repeated.len - hunt->next < most ? hunt->repeated.len - hunt->next : most;
    hunt->next += hunt->again;
    *count = hunt->again;
    if (hunt->again)
        return 0;
    while (!hunt->claims.len) {
        if (fw_memo_claim(hunt->setup.memo, &wish, fw_coverage_accesses(hunt->coverage),
                          &hunt->claims, &busy, err) < 0)
            return -1;
        if (sure || !wish.proved)
            break;
        wish.proved = false;
    }
    *count = hunt->claims.len;
    return 0;
}

const struct fw_memo_claim *fw_hunt_claim(const struct fw_hunt *hunt, size_t slot)
{
    return slot < hunt->claims.len ? &hunt->claims.at[slot] : NULL; /* repeated runs have none */
}

int fw_hunt_give_back(struct fw_hunt *hunt, struct fw_error *err)
{
    drop_claims(hunt);
    return fw_memo_unclaim(hunt->setup.memo, NULL, err);
}

/* --- one run --------------------------------------------------------------------------------- */

/* Which accesses of the iRoot a site is, as flags. */
static uint32_t roles_of(struct fw_watcher *watcher, uint32_t site, const struct fw_iroot *iroot)
{
    uint32_t roles = 0;

    for (unsigned does = 0; does < FW_DOES_COUNT; does++) {
        uint32_t access = fw_watcher_access(watcher, site, (enum fw_iroot_does)does);

        for (unsigned i = 0; i < fw_idiom_accesses(iroot->idiom); i++)
            if (access == iroot->access[i])
                roles |= FW_SITE_ROLE(i);
    }
    return roles;
}

/* Module and function of an access, as its text has them; *length: of that. */
static const char *function_of(const struct fw_hunt *hunt, uint32_t access, size_t *length)
{
    const char *text = fw_strtab_text(fw_coverage_accesses(hunt->coverage), access);
    const char *begin = strchr(text, ' '), *end = strrchr(text, '+');

    begin = begin ? begin : text;
    *length = end > begin ? (size_t)(end - begin) : strlen(begin);
    return begin;
}

/* Is the site in a function of one of the iRoot's accesses? */
static bool is_near(const struct fw_hunt *hunt, struct fw_watcher *watcher, uint32_t site,
                    const struct fw_iroot *iroot)
{
    for (unsigned does = 0; does <= FW_DOES_WRITE; does++) {
        uint32_t access = fw_watcher_access(watcher, site, (enum fw_iroot_does)does);

        for (unsigned i = 0; access != FW_STRTAB_NONE && i < fw_idiom_accesses(iroot->idiom); i++) {
            size_t length, other_length;
            const char *function = function_of(hunt, access, &length);
            const char *other = function_of(hunt, iroot->access[i], &other_length);

            if (length == other_length && memcmp(function, other, length) == 0)
                return true;
        }
    }
    return false;
}

static bool is_watched(const struct fw_hunt *hunt, struct fw_watcher *watcher,
                       const struct fw_control_site *site, uint32_t number,
                       const struct fw_iroot *iroot)
{
    return site->flags & FW_SITE_ACCESS &&
           (site->flags & (FW_SITE_ROLES | FW_SITE_SPINS) ||
            (site->flags & FW_SITE_SHARED && is_near(hunt, watcher, number, iroot)));
}

static bool is_thin(const struct fw_hunt *hunt, uint64_t blocks, const struct fw_run_order *order)
{
    const uint32_t chosen = FW_CONTROL_ALL_POINTS | FW_CONTROL_SYNC_ONLY | FW_CONTROL_NAMED_ONLY;

    return hunt->setup.thin != FW_THIN_NEVER && !(order->flags & chosen) &&
           (hunt->setup.thin == FW_THIN_ALWAYS || blocks >= LONG);
}

static void make_thin(const struct fw_hunt *hunt, struct fw_session *session,
                      struct fw_watcher *watcher, const struct fw_iroot *iroot,
                      struct fw_run_order *order)
{
    for (uint32_t i = 0; i < fw_session_head(session)->site_count; i++) {
        struct fw_control_site *site = fw_session_site(session, i);

        site->flags &= ~(uint32_t)FW_SITE_WATCHED;
        if (is_watched(hunt, watcher, site, i, iroot))
            site->flags |= FW_SITE_WATCHED;
    }
    order->flags = (order->flags & ~(uint32_t)FW_CONTROL_OBSERVE) | FW_CONTROL_THIN;
}

static void seek(const struct fw_hunt *hunt, struct fw_session *session,
                 struct fw_watcher *watcher, const struct fw_memo_claim *claim, uint32_t attempt,
                 struct fw_run_order *order)
{
    uint32_t count = fw_session_head(session)->site_count;

    for (uint32_t i = 0; i < count; i++) {
        struct fw_control_site *site = fw_session_site(session, i);
        uint32_t roles = roles_of(watcher, i, &claim->iroot);

        site->flags = (site->flags & ~FW_SITE_ROLES) | roles;
        if (roles && site->flags & FW_SITE_ACCESS)
            site->flags |= FW_SITE_SHARED;
    }
    order->strategy = FW_STRATEGY_IROOT;
    order->idiom = claim->iroot.idiom;
    order->attempt = attempt;
    order->delay = hunt->setup.delay;
}

/* Servers' threads wait in the kernel for requests; those of this run may come in another order. */
static bool follow(const struct fw_hunt *hunt, const struct known *known, uint32_t attempt,
                   struct fw_session *session, struct fw_steps *steps, struct fw_paths *paths,
                   struct fw_run_order *order)
{
    struct fw_way way = { .variant = attempt / 2,
                          .loosely = attempt % 2,
                          .exactly = attempt == 1 ? known->matched : 0 };
    struct fw_error ignored;

    if (fw_witness_steps(known->moments, &known->witness, way, session, steps, paths, &ignored) < 0)
        return false;
    order->strategy = FW_STRATEGY_STEPS;
    order->patience = hunt->setup.delay ? hunt->setup.delay : 1;
    order->steps = steps->at;
    order->step_count = (uint32_t)steps->len;
    order->paths = paths->at;
    order->path_count = (uint32_t)paths->len;
    return true;
}

void fw_hunt_order(struct fw_hunt *hunt, size_t slot, struct fw_session *session,
                   struct fw_watcher *watcher, struct fw_steps *steps, struct fw_paths *paths,
                   uint64_t blocks, struct fw_run_order *order)
{
    const struct fw_memo_claim *claim = fw_hunt_claim(hunt, slot);
    uint32_t attempt = claim ? (uint32_t)claim->tried : 0;
    const struct known *known = claim ? known_of(hunt, &claim->iroot)
                                      : &hunt->repeated.at[hunt->first + slot];

    if (known && follow(hunt, known, attempt, session, steps, paths, order))
        return;
    if (!claim)
        return;
    seek(hunt, session, watcher, claim, attempt, order);
    if (is_thin(hunt, blocks, order))
        make_thin(hunt, session, watcher, &claim->iroot, order);
}

bool fw_hunt_learn(struct fw_hunt *hunt, size_t slot, const struct fw_trial *trial)
{
    const struct fw_memo_claim *claim = fw_hunt_claim(hunt, slot);
    struct known *known = claim ? known_of(hunt, &claim->iroot) : NULL;
    bool exposed = false;

    if (!claim)
        return false;
    for (size_t i = 0; i < trial->exposed.len; i++)
        exposed |= fw_iroot_compare(&trial->exposed.at[i], &claim->iroot) == 0;
    hunt->counts.attempts++;
    hunt->counts.exposed += exposed;
    hunt->counts.thin += trial->thin || trial->again;
    hunt->counts.again += trial->again;
    if (known && known->astray && claim->tried == 1) {
        hunt->counts.repairs++;
        hunt->counts.repaired += exposed;
    }
    if (known && claim->tried == 0 && trial->astray) {
        known->astray = true;
        known->matched = trial->astray - 1;
    }
    return exposed;
}

struct fw_hunt_counts fw_hunt_counts(const struct fw_hunt *hunt)
{
    struct fw_hunt_counts counts = hunt->counts;

    for (uint32_t i = 0; i < fw_iroot_set_count(hunt->witnessed); i++) {
        const struct fw_iroot *iroot = fw_iroot_set_get(hunt->witnessed, i);

        counts.reached[iroot->idiom] +=
            fw_iroot_set_has(fw_coverage_set(hunt->coverage), iroot);
    }
    return counts;
}
