/*
 * control_words.c - see control.h: what is known of the program's memory, word by word.
 *
 * Pages of memory get pages of words in the order in which they are met; a table finds them.
 *
 * Words that several threads read are many, the sets of places that read them few: each set is kept
 * once.  A set is another one and one site more; a table tells which set it is for both.
 */
#include "runtime/control.h"
#include "runtime/sink.h"

#define PAGES  (1u << 15) /* so much memory is told apart: 128 MiB */
#define SLOTS  (2 * PAGES)
#define SETS   (1u << 16)
#define STEPS  (1u << 18)

struct slot {
    uint64_t page; /* + 1; 0: none */
    uint64_t *words;
};

struct set {
    uint32_t rest, site;
};

struct step { /* from a set to the one with the site in it, which may be the same */
    uint32_t from, site, to; /* to 0: none */
};

static struct slot *slots; /* open addressing */
static struct set *sets;   /* by number; the first is not used */
static struct step *steps; /* open addressing */
static uint32_t set_count = 1, step_count;
static uint64_t *words, *rest; /* of all pages; of those for which there is no room */
static uint32_t count;
static bool is_full;

uint64_t fw_control_page = UINT64_MAX;
uint64_t *fw_control_page_words;

bool fw_control_words_start(void)
{
    slots = fw_map_memory(SLOTS * sizeof *slots);
    words = fw_map_memory((PAGES + UINT64_C(1)) * FW_PAGE_WORDS * sizeof *words);
    sets = fw_map_memory(SETS * sizeof *sets);
    steps = fw_map_memory(STEPS * sizeof *steps);
    if (!slots || !words || !sets || !steps) {
        fw_control->beyond = 1;
        return false;
    }
    rest = words + (uint64_t)PAGES * FW_PAGE_WORDS;
    return true;
}

static struct slot *slot_of(uint64_t page)
{
    uint32_t at = (uint32_t)(page * 0x9e3779b97f4a7c15u >> 32) % SLOTS;

    while (slots[at].page && slots[at].page != page + 1)
        at = (at + 1) % SLOTS;
    return &slots[at];
}

/* The words of such a page stand for many: what is told of them is not exact, and hot they stay. */
static uint64_t *take_rest(void)
{
    for (unsigned i = 0; !is_full && i < FW_PAGE_WORDS; i++)
        rest[i] = FW_WORD_HOT;
    is_full = true;
    fw_control->beyond = 1;
    return rest;
}

void fw_control_turn_page(uint64_t page)
{
    struct slot *slot = slot_of(page);

    if (!slot->page && count < PAGES)
        *slot = (struct slot){ page + 1, words + (uint64_t)count++ * FW_PAGE_WORDS };
    fw_control_page = page;
    fw_control_page_words = slot->page ? slot->words : take_rest();
}

static bool cool_page(uint64_t *page, uint64_t first, uint64_t last)
{
    bool any = false;

    for (uint64_t i = first; i <= last; i++) {
        any |= (page[i] & FW_WORD_HOT) != 0;
        page[i] &= ~(uint64_t)FW_WORD_HOT;
    }
    return any;
}

/* Those of the page that lie between the two words. */
static bool cool_in(const struct slot *slot, uint64_t first, uint64_t last)
{
    uint64_t begin = (slot->page - 1) * FW_PAGE_WORDS;

    if (!slot->page || last < begin || first >= begin + FW_PAGE_WORDS)
        return false;
    return cool_page(slot->words, first > begin ? first - begin : 0,
                     last - begin < FW_PAGE_WORDS ? last - begin : FW_PAGE_WORDS - 1);
}

bool fw_control_cool(uint64_t first, uint64_t last)
{
    bool any = is_full;

    if (last / FW_PAGE_WORDS - first / FW_PAGE_WORDS >= SLOTS) {
        for (uint32_t i = 0; i < SLOTS; i++)
            any |= cool_in(&slots[i], first, last);
        return any;
    }
    for (uint64_t page = first / FW_PAGE_WORDS; page <= last / FW_PAGE_WORDS; page++)
        any |= cool_in(slot_of(page), first, last);
    return any;
}

/* --- sets ------------------------------------------------------------------------------------ */

uint32_t fw_control_set_next(uint32_t *set)
{
    const struct set *at = &sets[*set];

    *set = at->rest;
    return at->site;
}

static bool has(uint32_t set, uint32_t site)
{
    while (set)
        if (fw_control_set_next(&set) == site)
            return true;
    return false;
}

static struct step *step_of(uint32_t from, uint32_t site)
{
    uint64_t key = (uint64_t)from << 32 | site;
    uint32_t at = (uint32_t)(key * 0x9e3779b97f4a7c15u >> 40) % STEPS;

    while (steps[at].to && (steps[at].from != from || steps[at].site != site))
        at = (at + 1) % STEPS;
    return &steps[at];
}

bool fw_control_set_has(uint32_t set, uint32_t site)
{
    return step_of(set, site)->to == set;
}

uint32_t fw_control_set_with(uint32_t set, uint32_t site)
{
    struct step *step = step_of(set, site);
    uint32_t to = set;

    if (step->to)
        return step->to;
    if (!has(set, site)) {
        if (set_count == SETS || step_count == STEPS / 2) {
            fw_control->beyond = 1;
            return set;
        }
        to = set_count++;
        sets[to] = (struct set){ set, site };
    }
    if (step_count < STEPS / 2) {
        *step = (struct step){ set, site, to };
        step_count++;
    }
    return to;
}
