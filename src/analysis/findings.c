/*
 * findings.c - see findings.h.
 *
 * What makes occurrences equal is a list of texts, the key's parts.  Equal
 * texts of one string table are one text in memory, so parts are compared and
 * hashed as pointers; only the ids, which must be the same in every run, look
 * at the letters.
 */
#include "analysis/findings_state.h"

#include "base/bug.h"
#include "base/idsort.h"

#include <inttypes.h>
#include <stdio.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

const char *const fw_finding_kind_names[FW_FINDING_KIND_COUNT] = {
    [FW_FINDING_RACE] = "race",           [FW_FINDING_DEADLOCK] = "deadlock",
    [FW_FINDING_ATOMICITY] = "atomicity", [FW_FINDING_NONDETERMINISM] = "nondeterminism",
    [FW_FINDING_ORDER] = "order",         [FW_FINDING_IROOT] = "iroot",
};

enum fw_finding_kind fw_finding_kind_of(enum fw_claim claim)
{
    static const enum fw_finding_kind kinds[] = {
        [FW_CLAIM_RACE] = FW_FINDING_RACE,
        [FW_CLAIM_DEADLOCK] = FW_FINDING_DEADLOCK,
        [FW_CLAIM_ORDER] = FW_FINDING_ORDER,
        [FW_CLAIM_ATOMICITY] = FW_FINDING_ATOMICITY,
        [FW_CLAIM_NONDETERMINISM] = FW_FINDING_NONDETERMINISM,
        [FW_CLAIM_FINAL] = FW_FINDING_NONDETERMINISM,
        [FW_CLAIM_IROOT] = FW_FINDING_IROOT,
    };

    return kinds[claim];
}

struct fw_findings *fw_findings_create(const struct fw_symbols *symbols, bool pairs_all)
{
    struct fw_findings *findings = fw_xcalloc(1, sizeof *findings);

    findings->symbols = symbols;
    findings->pairs_all = pairs_all;
    findings->scratch = fw_xcalloc(1, sizeof *findings->scratch);
    return findings;
}

static void release_entry(struct entry *entry)
{
    fw_vec_release(&entry->finding.events);
    fw_vec_release(&entry->finding.variables);
    free(entry->finding.detail);
    free(entry->parts);
}

void fw_findings_destroy(struct fw_findings *findings)
{
    if (!findings)
        return;
    for (size_t i = 0; i < findings->entries.len; i++)
        release_entry(&findings->entries.at[i]);
    fw_vec_release(&findings->entries);
    fw_idmap_release(&findings->by_parts);
    fw_vec_release(findings->scratch);
    free(findings->scratch);
    fw_tally_destroy(findings->tally);
    free(findings);
}

/* --- what makes occurrences equal -------------------------------------------------------- */

static const char *site_text(const struct fw_symbols *symbols, const struct fw_mark *mark)
{
    return fw_symbols_name(symbols, FW_SPACE_SITE, mark->site);
}

static const char *target_text(const struct fw_symbols *symbols, const struct fw_mark *mark)
{
    enum fw_space space = fw_kind_info[mark->kind].space;

    return space == FW_SPACE_NONE ? "" : fw_symbols_name(symbols, space, mark->target);
}

static bool any_without_site(const struct fw_mark *events, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (events[i].site == 0)
            return true;
    return false;
}

/* What stands in for a missing site: the variable, else the targets. */
static void add_stand_ins(const struct fw_symbols *symbols, const struct fw_mark *events,
                          size_t count, uint32_t variable, struct parts *parts)
{
    if (!any_without_site(events, count))
        return;
    if (variable != FW_NO_VARIABLE) {
        fw_vec_push(parts, fw_symbols_name(symbols, FW_SPACE_VARIABLE, variable));
        return;
    }
    for (size_t i = 0; i < count; i++)
        fw_vec_push(parts, target_text(symbols, &events[i]));
}

static void swap_parts(struct parts *parts)
{
    const char *first = parts->at[0];

    parts->at[0] = parts->at[1];
    parts->at[1] = first;
}

/* The parts of the key, in the findings' scratch space. */
static const struct parts *parts_of(const struct fw_findings *findings,
                                    const struct fw_occurrence *occurrence)
{
    struct parts *parts = findings->scratch;
    size_t count = occurrence->event_count;

    fw_vec_clear(parts);
    for (size_t i = 0; i < count; i++)
        fw_vec_push(parts, site_text(findings->symbols, &occurrence->events[i]));
    if (occurrence->kind == FW_FINDING_RACE && count == 2 &&
        (uintptr_t)parts->at[0] > (uintptr_t)parts->at[1])
        swap_parts(parts);
    add_stand_ins(findings->symbols, occurrence->events, count, occurrence->variable, parts);
    return parts;
}

struct key {
    const struct fw_findings *findings;
    const struct parts *parts;
    enum fw_finding_kind kind;
    char label[sizeof((struct fw_finding *)0)->label];
};

static struct key key_of(const struct fw_findings *findings, const struct fw_occurrence *occurrence)
{
    struct key key = { findings, parts_of(findings, occurrence), occurrence->kind, "" };

    if (occurrence->label)
        snprintf(key.label, sizeof key.label, "%s", occurrence->label);
    return key;
}

static uint32_t hash_key(const struct key *key)
{
    const struct parts *parts = key->parts;

    return (uint32_t)XXH3_64bits_withSeed(parts->at, parts->len * sizeof *parts->at, key->kind);
}

static bool entry_is(const void *wanted, uint32_t id)
{
    const struct key *key = wanted;
    const struct entry *entry = &key->findings->entries.at[id];

    return entry->finding.kind == key->kind && strcmp(entry->finding.label, key->label) == 0 &&
           entry->part_count == key->parts->len &&
           memcmp(entry->parts, key->parts->at, entry->part_count * sizeof *entry->parts) == 0;
}

bool fw_findings_known(const struct fw_findings *findings, const struct fw_occurrence *occurrence)
{
    struct key key;

    if (findings->pairs_all)
        return false;
    key = key_of(findings, occurrence);
    return fw_idmap_find(&findings->by_parts, hash_key(&key), entry_is, &key) != FW_IDMAP_NONE;
}

/* --- adding ------------------------------------------------------------------------------ */

static struct moment moment_of(const struct fw_mark *events, size_t count)
{
    struct moment moment = { 0, 0 };

    for (size_t i = 0; i < count; i++) {
        uint64_t index = events[i].index;

        if (index >= moment.latest)
            moment = (struct moment) { index, moment.latest };
        else if (index > moment.second)
            moment.second = index;
    }
    return moment;
}

static int compare_moments(struct moment a, struct moment b)
{
    int order = compare(a.latest, b.latest);

    return order ? order : compare(a.second, b.second);
}

static int compare_events(const struct fw_mark *a, size_t a_count, const struct fw_mark *b,
                          size_t b_count)
{
    for (size_t i = 0; i < a_count && i < b_count; i++) {
        int order = compare(a[i].index, b[i].index);

        if (order)
            return order;
    }
    return compare(a_count, b_count);
}

static void tidy_variables(struct entry *entry)
{
    struct fw_finding *finding = &entry->finding;

    entry->tidy = fw_idsort_unique(finding->variables.at, finding->variables.len);
    finding->variables.len = entry->tidy;
}

/* A short memory filters most repetitions; the rest goes when the list has doubled. */
static void add_variable(struct entry *entry, uint32_t variable)
{
    struct fw_finding *finding = &entry->finding;

    if (variable == FW_NO_VARIABLE)
        return;
    for (size_t i = finding->variables.len, n = 4; i > 0 && n > 0; i--, n--)
        if (finding->variables.at[i - 1] == variable)
            return;
    if (!finding->variables.cap) {
        finding->variables.at = fw_xrealloc(NULL, 1, sizeof *finding->variables.at);
        finding->variables.cap = 1;
    }
    fw_vec_push(&finding->variables, variable);
    if (finding->variables.len >= entry->tidy * 2 + 64)
        tidy_variables(entry);
}

static void set_events(struct fw_findings *findings, struct entry *entry,
                       const struct fw_occurrence *occurrence)
{
    struct fw_finding *finding = &entry->finding;

    if (finding->events.cap < occurrence->event_count) { /* exactly: there may be millions */
        finding->events.at =
            fw_xrealloc(finding->events.at, occurrence->event_count, sizeof *finding->events.at);
        finding->events.cap = occurrence->event_count;
    }
    memcpy(finding->events.at, occurrence->events,
           occurrence->event_count * sizeof *occurrence->events);
    finding->events.len = occurrence->event_count;
    finding->unproven = occurrence->unproven;
    finding->saw_some = occurrence->saw != NULL;
    if (occurrence->saw)
        finding->saw = *occurrence->saw;
    finding->witness = occurrence->witness;
    finding->claim = occurrence->claim;
    finding->beginning = occurrence->beginning;
    finding->before = occurrence->before;
    finding->then = occurrence->then;
    entry->moment = moment_of(occurrence->events, occurrence->event_count);
    if (findings->shown < entry->moment.latest)
        findings->shown = entry->moment.latest;
    if (occurrence->detail) {
        free(finding->detail);
        finding->detail = fw_xstrdup(occurrence->detail);
    }
}

static void add_entry(struct fw_findings *findings, const struct fw_occurrence *occurrence)
{
    struct entry *entry;

    fw_vec_extend(&findings->entries, findings->entries.len + 1);
    entry = &fw_vec_last(&findings->entries);
    entry->finding.kind = occurrence->kind;
    entry->finding.count = 1;
    entry->finding.observed = occurrence->observed;
    if (occurrence->label)
        snprintf(entry->finding.label, sizeof entry->finding.label, "%s", occurrence->label);
    set_events(findings, entry, occurrence);
    add_variable(entry, occurrence->variable);
}

static void merge(struct fw_findings *findings, struct entry *entry,
                  const struct fw_occurrence *occurrence)
{
    const struct fw_finding *finding = &entry->finding;
    struct moment moment = moment_of(occurrence->events, occurrence->event_count);
    int order = compare_moments(moment, entry->moment);

    if (order == 0)
        order = compare_events(occurrence->events, occurrence->event_count, finding->events.at,
                               finding->events.len);
    if (order < 0)
        set_events(findings, entry, occurrence);
    entry->finding.count++;
    add_variable(entry, occurrence->variable);
}

/* The latest entry gets the key. */
static void add_key(struct fw_findings *findings, const struct key *key, uint32_t hash)
{
    struct entry *entry = &fw_vec_last(&findings->entries);

    entry->part_count = key->parts->len;
    entry->parts = fw_xrealloc(NULL, entry->part_count, sizeof *entry->parts);
    memcpy(entry->parts, key->parts->at, entry->part_count * sizeof *entry->parts);
    fw_idmap_add(&findings->by_parts, hash, (uint32_t)findings->entries.len - 1);
}

/* Adds to the entry of its key, or to a new one; which one. */
static uint32_t add_by_key(struct fw_findings *findings, const struct fw_occurrence *occurrence)
{
    struct key key = key_of(findings, occurrence);
    uint32_t hash = hash_key(&key);
    uint32_t id = fw_idmap_find(&findings->by_parts, hash, entry_is, &key);

    if (id != FW_IDMAP_NONE) {
        merge(findings, &findings->entries.at[id], occurrence);
        return id;
    }
    add_entry(findings, occurrence);
    add_key(findings, &key, hash);
    return (uint32_t)findings->entries.len - 1;
}

/* Is it a race that has nothing but its sites and its variable? */
static bool is_simple_race(const struct fw_occurrence *occurrence)
{
    return occurrence->kind == FW_FINDING_RACE && occurrence->event_count == 2 &&
           !occurrence->label && !occurrence->detail && !occurrence->unproven &&
           !occurrence->witness && occurrence->events[0].site && occurrence->events[1].site;
}

static void put_tallied(void *me, uint32_t id, uint32_t variable, uint32_t count)
{
    struct fw_findings *findings = me;
    struct entry *entry = &findings->entries.at[id];

    entry->finding.count += count;
    add_variable(entry, variable);
}

/* A race that is later than all that are shown is only counted, if its sites are known. */
bool fw_findings_count_race(struct fw_findings *findings, const uint32_t sites[2], uint64_t index,
                            uint32_t variable)
{
    if (!findings->tally || !sites[0] || !sites[1] || index <= findings->shown ||
        !fw_tally_count(findings->tally, sites[0], sites[1], variable))
        return false;
    if (fw_tally_is_full(findings->tally))
        fw_tally_empty(findings->tally, put_tallied, findings);
    return true;
}

static void add_simple_race(struct fw_findings *findings, const struct fw_occurrence *occurrence)
{
    const uint32_t sites[2] = { occurrence->events[0].site, occurrence->events[1].site };
    uint64_t latest = moment_of(occurrence->events, 2).latest;

    if (fw_findings_count_race(findings, sites, latest, occurrence->variable))
        return;
    if (!findings->tally)
        findings->tally = fw_tally_create();
    fw_tally_learn(findings->tally, sites[0], sites[1], add_by_key(findings, occurrence));
}

void fw_findings_add(struct fw_findings *findings, const struct fw_occurrence *occurrence)
{
    FW_ASSERT(!findings->finished && occurrence->event_count);
    if (findings->pairs_all)
        add_entry(findings, occurrence);
    else if (is_simple_race(occurrence))
        add_simple_race(findings, occurrence);
    else
        add_by_key(findings, occurrence);
}

/* --- the sorted result ------------------------------------------------------------------- */

static int compare_entries(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int order = compare_moments(x->moment, y->moment);

    if (order == 0)
        order = compare_events(x->finding.events.at, x->finding.events.len, y->finding.events.at,
                               y->finding.events.len);
    if (order == 0)
        order = compare(x->finding.kind, y->finding.kind);
    return order ? order : strcmp(x->finding.label, y->finding.label);
}

static void hash_text(XXH3_state_t *hash, const char *text)
{
    XXH3_64bits_update(hash, text, strlen(text) + 1);
}

/* The letters of the key; the sites of a race in alphabetical order. */
static uint64_t fingerprint(const struct fw_findings *findings, const struct fw_finding *finding)
{
    struct parts *parts = findings->scratch;
    size_t count = finding->events.len;
    XXH3_state_t hash;

    fw_vec_clear(parts);
    for (size_t i = 0; i < count; i++)
        fw_vec_push(parts, site_text(findings->symbols, &finding->events.at[i]));
    if (finding->kind == FW_FINDING_RACE && count == 2 && strcmp(parts->at[0], parts->at[1]) > 0)
        swap_parts(parts);
    add_stand_ins(findings->symbols, finding->events.at, count,
                  finding->variables.len ? finding->variables.at[0] : FW_NO_VARIABLE, parts);
    XXH3_64bits_reset(&hash);
    hash_text(&hash, fw_finding_kind_names[finding->kind]);
    hash_text(&hash, finding->label);
    for (size_t i = 0; i < parts->len; i++)
        hash_text(&hash, parts->at[i]);
    return XXH3_64bits_digest(&hash);
}

void fw_findings_expect(struct fw_findings *findings, const struct fw_id_ranges *variables)
{
    findings->expected = variables;
}

uint64_t fw_findings_expected(const struct fw_findings *findings)
{
    return findings->expected_count;
}

/* Takes out variables that are expected; is nothing else left of the finding? */
static bool is_expected(const struct fw_findings *findings, struct fw_finding *finding)
{
    size_t kept = 0;

    for (size_t i = 0; i < finding->variables.len; i++)
        if (!fw_id_ranges_have(findings->expected, finding->variables.at[i]))
            finding->variables.at[kept++] = finding->variables.at[i];
    if (kept == 0)
        return finding->variables.len > 0;
    finding->variables.len = kept;
    return false;
}

static void leave_out_expected(struct fw_findings *findings)
{
    size_t kept = 0;

    for (size_t i = 0; i < findings->entries.len; i++) {
        struct entry *entry = &findings->entries.at[i];

        if (is_expected(findings, &entry->finding)) {
            findings->expected_count++;
            release_entry(entry);
        } else {
            findings->entries.at[kept++] = *entry;
        }
    }
    findings->entries.len = kept;
}

void fw_findings_finish(struct fw_findings *findings)
{
    FW_ASSERT(!findings->finished);
    findings->finished = true;
    if (findings->tally)
        fw_tally_empty(findings->tally, put_tallied, findings);
    for (size_t i = 0; i < findings->entries.len; i++) {
        struct entry *entry = &findings->entries.at[i];

        tidy_variables(entry);
        entry->fingerprint = fingerprint(findings, &entry->finding);
    }
    if (findings->expected && findings->expected->len)
        leave_out_expected(findings);
    if (findings->entries.len) {
        qsort(findings->entries.at, findings->entries.len, sizeof *findings->entries.at,
              compare_entries);
        findings->entries.at[0].finding.first = true;
    }
    fw_findings_finish_ids(&findings, 1);
}

uint64_t fw_findings_count(const struct fw_findings *findings)
{
    return findings->entries.len;
}

const struct fw_finding *fw_findings_get(const struct fw_findings *findings, uint64_t i)
{
    return &findings->entries.at[i].finding;
}
