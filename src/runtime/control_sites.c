/*
 * control_sites.c - the places of points, and which of them touch shared memory.
 *
 * A site's number is found by its return address in a table of this process, and if it is not there
 * by module and offset in the table that all runs share.
 *
 * Which accesses are worth a point?  Those that conflict with one of another thread in some run:
 * both places are marked as shared for good.  What the first runs miss is found in later ones, and
 * a search that learns of a place begins anew, so the last one has learnt of none.  Then it has
 * missed nothing, if each run finds the *immediate* conflicts: x before e, to the same word, one
 * of them writing, of different threads, and nothing in between that is ordered behind x and
 * before e.
 *
 *   Assume an interleaving that switches anywhere and is like none that was run.  Of its
 *   beginnings take the longest, b, that some run r has as well (up to the order of what does not
 *   conflict), and e, the step behind it.  Its thread comes to e in r too, but others come first
 *   whom e conflicts with, or r would have b and e; the last of them, x, does so immediately.  So
 *   x and e are points.  (The end of the process conflicts with everything, and is a point.) Leave
 *   out of r what comes behind b and is ordered behind x, and let e follow: each thread stops at
 *   x, or at the first step that is ordered behind x, which has an immediate conflict, so that it
 *   is a point as well.  This is the beginning of a run, with fewer steps that e has to wait for.
 *   In the end there are none, and b was not the longest.  With a bound on preemptions: who is
 *   preempted at no point goes on to its next one instead, at no cost, and the first of others to
 *   conflict with what it does on the way does so immediately.
 *
 * So of each word, since it was written last, the latest access of every thread has to be
 * remembered, reads as well (control_words.c).  As long as one thread uses it that is where it has
 * written and read last.  Several may read; then where they do is a set of places.  When a second
 * thread uses the word and one of them writes or has written, all these are marked, and so is
 * every place that comes to the word from then on: nothing is to be remembered any more.
 */
#include "runtime/control.h"
#include "runtime/futex.h"
#include "runtime/modules.h"
#include "runtime/sink.h"

#include <string.h>

#define LOCAL_BITS 16u
#define LOCAL      (1u << LOCAL_BITS)
#define MOST_WORDS (1u << 18) /* of one access that are looked at */

struct local {
    uintptr_t pc;
    const char *name;
    uint32_t site;
};

static struct local *local;      /* by hash of pc and name, open addressing */
static uint32_t local_count;

bool fw_control_has_words, fw_control_shares;

void fw_control_sites_start(void)
{
    local = fw_map_memory(LOCAL * sizeof *local);
    fw_control_hooks_start();
    fw_control_cover_start();
    fw_control_has_words = fw_control_words_start();
    fw_control_shares = fw_control_has_words &&
                        !(fw_control->flags & (FW_CONTROL_SYNC_ONLY | FW_CONTROL_THIN));
}

/* --- modules ------------------------------------------------------------------------------- */

static uint32_t module_of(const char *path)
{
    struct fw_control_module *modules =
        (struct fw_control_module *)((char *)fw_control + fw_control->modules_at);
    uint32_t count = fw_control->module_count, i;

    for (i = 0; i < count; i++)
        if (strncmp(modules[i].path, path, sizeof modules[i].path - 1) == 0)
            return i;
    if (count == FW_CONTROL_MODULES)
        return FW_CONTROL_MODULES - 1;
    strncpy(modules[count].path, path, sizeof modules[count].path - 1);
    fw_control->module_count = count + 1;
    return count;
}

/* --- sites --------------------------------------------------------------------------------- */

/* Asks the controller for the class; it answers soon or is gone. */
static void ask_class(uint32_t site)
{
    uint32_t number = fw_control->asked + 1;

    fw_control->asked_site = site;
    atomic_store(&fw_control->asked, number);
    fw_futex_wake(&fw_control->asked, 1);
    for (unsigned patience = 0; patience < 100; patience++) {
        uint32_t answered = atomic_load(&fw_control->answered);

        if (answered == number)
            return;
        fw_futex_wait(&fw_control->answered, answered, FW_SECOND / 10, 1);
    }
}

static uint32_t find_shared(uint32_t module, uint64_t offset, const struct fw_op *op)
{
    uint32_t count = fw_control->site_count;
    struct fw_control_site *site;

    for (uint32_t i = 0; i < count; i++) {
        site = fw_control_site(i);
        if (site->offset == offset && site->module == module &&
            strncmp(site->operation, op->name, sizeof site->operation - 1) == 0)
            return i;
    }
    if (count == fw_control->sites_room)
        return FW_CONTROL_NONE;
    site = fw_control_site(count);
    site->module = module;
    site->offset = offset;
    site->flags = (op->size ? FW_SITE_ACCESS : 0) | (op->writes ? FW_SITE_WRITES : 0);
    strncpy(site->operation, op->name, sizeof site->operation - 1);
    fw_control->site_count = count + 1;
    return count;
}

static uint32_t register_site(const struct fw_op *op)
{
    uintptr_t offset;
    const char *path = fw_modules_locate(op->pc, &offset);
    uint32_t site = find_shared(module_of(path), offset, op);

    if (site != FW_CONTROL_NONE && fw_control->flags & FW_CONTROL_ASK &&
        !(fw_control_site(site)->flags & FW_SITE_CLASSED))
        ask_class(site);
    return site;
}

uint32_t fw_control_site_of(const struct fw_op *op)
{
    /* Neighbours in the code are neighbours here, so that few pages are touched. */
    uint32_t at = (uint32_t)(op->pc >> 2 ^ (uintptr_t)op->name << 3) % LOCAL;

    for (; local[at].name; at = (at + 1) % LOCAL)
        if (local[at].pc == op->pc && local[at].name == op->name)
            return local[at].site;
    if (local_count > LOCAL / 2) {
        fw_control->beyond = 1;
        return FW_CONTROL_NONE;
    }
    local_count++;
    local[at] = (struct local){ op->pc, op->name, register_site(op) };
    if (local[at].site == FW_CONTROL_NONE)
        fw_control->beyond = 1;
    return local[at].site;
}

bool fw_control_is_watched(uintptr_t pc)
{
    uint32_t count = fw_control->site_count, module;
    uintptr_t offset;

    module = module_of(fw_modules_locate(pc, &offset));
    for (uint32_t i = 0; i < count; i++) {
        const struct fw_control_site *site = fw_control_site(i);

        if (site->flags & FW_SITE_WATCHED && site->offset == offset && site->module == module)
            return true;
    }
    return false;
}

uint64_t fw_control_site_key(uint32_t site)
{
    const struct fw_control_site *at = fw_control_site(site);

    return (at->offset << 8 ^ (unsigned char)at->operation[0] ^
            (uint64_t)(unsigned char)at->operation[1] << 4) *
           0x9e3779b97f4a7c15u;
}

/* Code of a header is inlined or not, as the compiler likes: the call in the user's own code that
 * led there tells the class. */
static uint32_t class_of_caller(const struct fw_thread *t, const struct fw_op *op)
{
    const struct fw_frame *frame = t->hot->top;

    while (frame && frame > t->hot->base + 1 && (--frame)->function) {
        struct fw_op call = { .pc = frame->site, .name = op->name, .writes = op->writes };
        uint32_t site = fw_control_site_of(&call);

        if (site == FW_CONTROL_NONE)
            return 0;
        if (!(fw_control_site(site)->flags & FW_SITE_CALLER))
            return fw_control_site(site)->class_;
    }
    return 0;
}

uint32_t fw_control_class_of(const struct fw_thread *t, const struct fw_op *op, uint32_t site)
{
    const struct fw_control_site *at = fw_control_site(site);
    uint32_t class_ = at->flags & FW_SITE_CALLER ? class_of_caller(t, op) : at->class_;

    return class_ < fw_control->sites_room ? class_ : 0;
}

/* --- sharing ------------------------------------------------------------------------------- */

static void mark(uint32_t site)
{
    uint32_t how = fw_control->flags & FW_CONTROL_FROZEN ? FW_SITE_FOUND : FW_SITE_SHARED;
    struct fw_control_site *at;

    if (site >= fw_control->site_count)
        return;
    at = fw_control_site(site);
    if (at->flags & (FW_SITE_SHARED | how) || !(at->flags & FW_SITE_ACCESS))
        return; /* the latter: it is a point anyway */
    at->flags |= how;
    fw_control->new_shared++;
    fw_control_hook_forget(site);
}

/* Several threads use the word, and one writes: all places that are remembered share it. */
static void mark_word(uint64_t was)
{
    uint64_t read = was >> FW_WORD_READ & FW_WORD_SITES;
    uint64_t written = was >> FW_WORD_WRITTEN & FW_WORD_SITES;
    uint32_t set = (uint32_t)(was >> FW_WORD_SET);

    if (was & FW_WORD_SEVERAL) {
        while (set)
            mark(fw_control_set_next(&set));
        return;
    }
    if (read)
        mark((uint32_t)read - 1);
    if (written)
        mark((uint32_t)written - 1);
}

/* Of a word that somebody has only read, and another one reads. */
static uint32_t readers(uint64_t was)
{
    uint64_t read = was >> FW_WORD_READ & FW_WORD_SITES;

    if (was & FW_WORD_SEVERAL)
        return (uint32_t)(was >> FW_WORD_SET);
    return read ? fw_control_set_with(0, (uint32_t)read - 1) : 0;
}

static void share_word(const struct fw_thread *t, uint64_t *word, bool writes, uint32_t site)
{
    uint64_t was = *word, self = fw_control_word_self(t), hot = was & FW_WORD_HOT;
    bool several = was & FW_WORD_SEVERAL;
    bool written = !several && was >> FW_WORD_WRITTEN & FW_WORD_SITES;

    if (was & FW_WORD_SHARED) {
        mark(site);
    } else if (!several && (!(was >> FW_WORD_THREAD) ||
                            was >> FW_WORD_THREAD == self >> FW_WORD_THREAD)) {
        *word = fw_control_word_again(was, self, writes, site);
    } else if (writes || written) {
        mark_word(was);
        mark(site);
        *word = FW_WORD_SHARED | hot;
    } else {
        *word = (uint64_t)fw_control_set_with(readers(was), site) << FW_WORD_SET |
                FW_WORD_SEVERAL | hot;
    }
}

void fw_control_share(const struct fw_thread *t, uintptr_t address, size_t bytes, bool write,
                      uint32_t site)
{
    uint64_t first = address >> FW_WORD_SHIFT;
    uint64_t last = (address + (bytes ? bytes : 1) - 1) >> FW_WORD_SHIFT;

    if (!fw_control_shares || (fw_control_alone() && !t->handling))
        return; /* what is done alone comes before or after everything else, but for what a signal
                   of a thread does that has ended since */
    if (last - first > MOST_WORDS) {
        last = first + MOST_WORDS;
        fw_control->beyond = 1;
    }
    for (uint64_t word = first; word <= last; word++)
        share_word(t, fw_control_word(word), write, site);
}
