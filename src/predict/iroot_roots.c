/*
 * iroot_roots.c - see iroot_state.h: candidates, sorted by iRoot.
 *
 * Of the instances that are given for an iRoot those are kept that are cheapest to prove: early
 * ones that span few events of the trace.
 */
#include "predict/iroot_state.h"

/* --- labels ------------------------------------------------------------------------------ */

/* What a dependency is of: equal sites may do different things. */
enum dependency {
    READ_WRITE,
    WRITE_READ,
    WRITE_WRITE,
    UNLOCK_LOCK,
    DEPENDENCIES,
};

#define ONE(start)                                                                                 \
    {                                                                                              \
        start "r>w", start "w>r", start "w>w", start "unlock>lock",                                \
    }
#define TWO(start)                                                                                 \
    {                                                                                              \
        ONE(start "r>w "), ONE(start "w>r "), ONE(start "w>w "), ONE(start "unlock>lock ")         \
    }

static const char *const labels_1[DEPENDENCIES] = ONE("idiom 1 ");
static const char *const labels_2[2][2][2] = {
    { { "", "" }, { "idiom 2 r>w>r", "idiom 2 r>w>w" } },
    { { "", "idiom 2 w>r>w" }, { "idiom 2 w>w>r", "idiom 2 w>w>w" } },
};
static const char *const labels_4[4][DEPENDENCIES][DEPENDENCIES] = {
    TWO("idiom 3 "),
    TWO("idiom 4 "),
    TWO("idiom 5 "),
    TWO("idiom 6 "),
};
static const char label_waits[] = "idiom 5w lock>lock";

static enum dependency dependency_of(const struct fw_trace *trace, uint32_t a, uint32_t b)
{
    unsigned first = trace->events[a].kind, second = trace->events[b].kind;

    if (fw_kind_info[first].space == FW_SPACE_LOCK)
        return UNLOCK_LOCK;
    if (!fw_iroot_writes(first))
        return READ_WRITE;
    return fw_iroot_writes(second) ? WRITE_WRITE : WRITE_READ;
}

static const char *label_of(const struct fw_trace *trace, unsigned idiom, bool waits,
                            const uint32_t *e)
{
    if (waits)
        return label_waits;
    if (idiom == 1)
        return labels_1[dependency_of(trace, e[0], e[1])];
    if (idiom == 2)
        return labels_2[fw_iroot_writes(trace->events[e[0]].kind)][fw_iroot_writes(
            trace->events[e[1]].kind)][fw_iroot_writes(trace->events[e[2]].kind)];
    return labels_4[idiom - 3][dependency_of(trace, e[0], e[1])][dependency_of(trace, e[2], e[3])];
}

unsigned fw_iroot_label_idiom(const char *label, bool *waits)
{
    if (strncmp(label, "idiom ", 6) != 0)
        return 0;
    *waits = label[7] == 'w';
    return (unsigned)(label[6] - '0');
}

/* --- roots ------------------------------------------------------------------------------- */

void fw_iroot_roots_init(struct fw_iroot_roots *roots, const struct fw_iroot_facts *facts,
                         uint32_t cap)
{
    *roots = (struct fw_iroot_roots) { .facts = facts, .cap = cap };
    fw_strtab_init(&roots->numbers);
}

void fw_iroot_roots_release(struct fw_iroot_roots *roots)
{
    for (size_t i = 0; i < roots->at.len; i++)
        free(roots->at.at[i].candidates);
    fw_vec_release(&roots->at);
    fw_strtab_release(&roots->numbers);
}

/* What is equal for equal iRoots. */
struct key {
    uint32_t idiom, access[FW_IROOT_MOST];
};

static struct key key_of(const struct fw_iroot *normal)
{
    struct key key = { .idiom = normal->idiom * 2u + normal->waits };

    memcpy(key.access, normal->access, sizeof key.access);
    return key;
}

bool fw_iroot_is_full(const struct fw_iroot_roots *roots, const struct fw_iroot *iroot)
{
    struct fw_iroot normal = fw_iroot_normal(iroot);
    struct key key = key_of(&normal);
    uint32_t number = fw_strtab_find(&roots->numbers, (const char *)&key, sizeof key);

    return number != FW_STRTAB_NONE && roots->at.at[number].len == roots->cap;
}

/* Made if it is new; NULL: it would be one too many. */
static struct fw_iroot_root *root_of(struct fw_iroot_roots *roots, const struct fw_iroot *iroot)
{
    struct fw_iroot normal = fw_iroot_normal(iroot);
    struct key key = key_of(&normal);
    uint32_t number = fw_strtab_find(&roots->numbers, (const char *)&key, sizeof key);

    if (number != FW_STRTAB_NONE)
        return &roots->at.at[number];
    if (roots->at.len >= FW_IROOT_ROOTS) {
        roots->cut = true;
        return NULL;
    }
    fw_strtab_intern(&roots->numbers, (const char *)&key, sizeof key);
    fw_vec_push(&roots->at, ((struct fw_iroot_root) { .iroot = normal }));
    return &fw_vec_last(&roots->at);
}

/* By cost, then by events. */
static int compare(const void *left, const void *right)
{
    const struct fw_iroot_candidate *a = left, *b = right;

    if (a->cost != b->cost)
        return a->cost < b->cost ? -1 : 1;
    for (unsigned i = 0; i < FW_IROOT_MOST; i++)
        if (a->events[i] != b->events[i])
            return a->events[i] < b->events[i] ? -1 : 1;
    return 0;
}

#define TURNED 8u /* an event of the part that is turned round costs so many others */

static uint64_t cost_of(const uint32_t *events, unsigned count)
{
    uint32_t first = events[0], last = events[0];

    for (unsigned i = 1; i < count; i++) {
        first = events[i] < first ? events[i] : first;
        last = events[i] > last ? events[i] : last;
    }
    return last + (uint64_t)TURNED * (last - first);
}

/* Both ways to write one of idiom 5 become the one in which the iRoot is written. */
static struct fw_iroot_candidate candidate_of(const struct fw_iroot_roots *roots,
                                              const struct fw_iroot_root *root,
                                              const uint32_t *events)
{
    unsigned count = fw_idiom_accesses(root->iroot.idiom);
    struct fw_iroot_candidate candidate = { .cost = cost_of(events, count) };
    bool turned = count == 4 && (roots->facts->accesses[events[0]] != root->iroot.access[0] ||
                                 roots->facts->accesses[events[1]] != root->iroot.access[1]);

    for (unsigned i = 0; i < count; i++)
        candidate.events[i] = events[turned ? i ^ 2 : i];
    return candidate;
}

void fw_iroot_leave(struct fw_iroot_roots *roots, const struct fw_iroot *iroot, uint64_t count)
{
    struct fw_iroot_root *root = count ? root_of(roots, iroot) : NULL;

    if (root)
        root->left += count;
}

void fw_iroot_add(struct fw_iroot_roots *roots, const struct fw_iroot *iroot,
                  const uint32_t *events)
{
    struct fw_iroot_root *root = root_of(roots, iroot);
    struct fw_iroot_candidate candidate;
    uint32_t worst = 0;

    if (!root)
        return;
    candidate = candidate_of(roots, root, events);
    if (!root->label)
        root->label = label_of(roots->facts->trace, iroot->idiom, iroot->waits, candidate.events);
    if (root->len < roots->cap) {
        if (root->len == root->size) {
            root->size = root->size ? root->size * 2 : 2;
            root->candidates = fw_xrealloc(root->candidates, root->size, sizeof *root->candidates);
        }
        root->candidates[root->len++] = candidate;
        return;
    }
    root->left++;
    for (uint32_t i = 1; i < root->len; i++)
        if (compare(&root->candidates[i], &root->candidates[worst]) > 0)
            worst = i;
    if (compare(&candidate, &root->candidates[worst]) < 0)
        root->candidates[worst] = candidate;
}

static int by_idiom(const void *left, const void *right)
{
    const struct fw_iroot_root *a = left, *b = right;
    static const struct fw_iroot_candidate none = { .cost = UINT64_MAX };

    if (a->iroot.idiom != b->iroot.idiom)
        return a->iroot.idiom < b->iroot.idiom ? -1 : 1;
    if (a->len && b->len && compare(a->candidates, b->candidates))
        return compare(a->candidates, b->candidates);
    if (!a->len != !b->len)
        return compare(a->len ? a->candidates : &none, b->len ? b->candidates : &none);
    return fw_iroot_compare(&a->iroot, &b->iroot);
}

void fw_iroot_roots_sort(struct fw_iroot_roots *roots)
{
    for (size_t i = 0; i < roots->at.len && roots->lost; i++)
        roots->at.at[i].left += roots->at.at[i].iroot.idiom > 1;
    for (size_t i = 0; i < roots->at.len; i++)
        if (roots->at.at[i].len)
            qsort(roots->at.at[i].candidates, roots->at.at[i].len,
                  sizeof *roots->at.at[i].candidates, compare);
    if (roots->at.len)
        qsort(roots->at.at, roots->at.len, sizeof *roots->at.at, by_idiom);
}
