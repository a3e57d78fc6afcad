/*
 * threads.c - threads that run in parallel: who they are, and where they were started.
 *
 * A thread is made by who starts it, so that its number and the place of its start are known.  It
 * is given back when it has ended.  What keeps the book of a thread is mapped memory, never freed:
 * somebody may look at a section of a thread that has just ended.
 */
#include "atomrace/heal.h"
#include "atomrace/hits.h"
#include "atomrace/mask.h"
#include "atomrace/noise.h"
#include "atomrace/overlap.h"
#include "atomrace/region.h"
#include "atomrace/sharing.h"
#include "runtime/sink.h"

#include <limits.h>
#include <string.h>

#define FRAME_BYTES (FW_MAX_FRAMES * sizeof(struct fw_frame))

/* A thread and how it begins. */
struct book {
    struct fw_thread thread;
    struct book *next; /* spare */
    void *(*start)(void *argument);
    int (*start_c11)(void *argument);
    void *argument;
    uint64_t signals; /* the mask it starts with, unless ... */
    bool own_signals; /* ... it has one in its attributes */
};

static struct {
    struct fw_lock lock;
    struct book *spare;
    uint32_t count;          /* numbers given out */
    pthread_key_t key;
    bool has_key;
} registry;

static __thread bool absent; /* it is about to begin, or has ended: what it does is not looked at */

/* Handlers are kept out, here and in give_back: they may want the lock. */
static struct fw_thread *make(void)
{
    struct book *book;
    uint32_t number;

    _Static_assert(sizeof *book <= FW_WIRE_PAGE, "a thread's book fits into a page");
    fw_lock(&registry.lock);
    book = registry.spare;
    if (book)
        registry.spare = book->next;
    number = registry.count++;
    fw_unlock(&registry.lock);
    if (!book)
        book = fw_map_memory(FW_WIRE_PAGE + FRAME_BYTES);
    if (!book)
        return NULL;
    memset(book, 0, sizeof *book);
    book->thread.frames = (struct fw_frame *)((char *)book + FW_WIRE_PAGE);
    book->thread.number = number;
    return &book->thread;
}

static void give_back(struct fw_thread *t)
{
    struct book *book = (struct book *)t;

    fw_lock(&registry.lock);
    book->next = registry.spare;
    registry.spare = book;
    fw_unlock(&registry.lock);
}

/* The calling thread is t, and will be known as such soon. */
static void become(struct fw_thread *t)
{
    absent = true;
    t->hot = &fw_hot;
    t->frames[0] = (struct fw_frame){ 0, 0, UINTPTR_MAX };
    fw_hot.base = t->frames;
    fw_hot.top = fw_hot.written = t->frames + 1;
    fw_hot.end = t->frames + FW_MAX_FRAMES;
    fw_hot.returns = fw_hot.deep = 0;
    if (registry.has_key)
        pthread_setspecific(registry.key, t);
}

static void appear(struct fw_thread *t)
{
    fw_noise_thread(t);
    fw_self = t;
    absent = false;
}

static void tell_start(struct fw_thread *t)
{
    pthread_attr_t attributes;
    void *stack = NULL;
    size_t bytes = 0;

    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        pthread_attr_getstack(&attributes, &stack, &bytes);
        pthread_attr_destroy(&attributes);
    }
    fw_telling_begin();
    fw_sink_put_more(t, FW_WIRE_START, t->number, (uint64_t)(uintptr_t)stack, bytes, 0);
    fw_telling_end();
}

static void tell_fork(struct fw_thread *t, const struct fw_thread *other, uintptr_t pc)
{
    fw_sharing_started(other, t);
    fw_telling_begin();
    fw_sink_put(t, FW_WIRE_FORK, other->number, 0, 0, pc);
    fw_telling_end();
}

static void end(struct fw_thread *t)
{
    uint64_t mask = fw_mask_set(FW_MASK_ALL);

    fw_telling_begin();
    fw_sink_put(t, FW_WIRE_FINISH, t->number, 0, 0, 0);
    fw_telling_end();
    fw_sharing_ended(t);
    fw_heal_ended();
    fw_regions_ended();
    absent = true;
    fw_self = NULL;
    memset(&fw_hot, 0, sizeof fw_hot);
    fw_hot.ticks = fw_hot.read_ticks = INT32_MAX;
    give_back(t);
    fw_mask_set(mask);
}

/* In the last round of destructors, so that the program's own are seen. */
static void key_destructor(void *value)
{
    struct fw_thread *t = value;

    if (++t->finishing < PTHREAD_DESTRUCTOR_ITERATIONS)
        pthread_setspecific(registry.key, t);
    else
        end(t);
}

struct fw_thread *fw_overlap_adopt_main(void)
{
    struct fw_thread *t = make();

    registry.has_key = pthread_key_create(&registry.key, key_destructor) == 0;
    if (t) {
        become(t);
        appear(t);
    }
    return t;
}

void fw_overlap_adopt_child(struct fw_thread *t)
{
    memset(&registry.lock, 0, sizeof registry.lock);
    registry.spare = NULL;
    registry.count = 1;
    t->number = 0;
    fw_hot.written = fw_hot.base + 1;
    fw_hot.returns = 0;
}

struct fw_thread *fw_overlap_nobody(void)
{
    static struct fw_hot hot;
    static struct fw_thread nobody = { .hot = &hot };

    return &nobody;
}

/* Whoever has started it: the first thread is said to have. */
static struct fw_thread *adopt(void)
{
    uint64_t mask = fw_mask_set(FW_MASK_ALL);
    struct fw_thread *t = fw_self ? fw_self : make();

    if (t && !fw_self) {
        tell_fork(fw_overlap_nobody(), t, 0);
        become(t);
        tell_start(t);
        appear(t);
    }
    fw_mask_set(mask);
    return t;
}

struct fw_thread *fw_overlap_self(void)
{
    return FW_LIKELY(fw_self != NULL) ? fw_self : absent ? NULL : adopt();
}

/* --- starting -------------------------------------------------------------------------------- */

static void *run(void *argument)
{
    struct book *book = argument;

    become(&book->thread);
    tell_start(&book->thread);
    fw_noise_start(&book->thread);
    appear(&book->thread);
    if (!book->own_signals)
        fw_mask_set(book->signals);
    return book->start ? book->start(book->argument)
                       : (void *)(intptr_t)book->start_c11(book->argument);
}

static bool has_signals(const pthread_attr_t *attributes)
{
    sigset_t mask;

    return attributes && pthread_attr_getsigmask_np(attributes, &mask) == 0;
}

/* The new thread starts with all signals blocked, and sets its mask when it is known. */
static int create(struct fw_thread *t, const struct fw_creation *creation, uint64_t mask,
                  uintptr_t pc)
{
    struct fw_thread *other = make();
    struct book *book = (struct book *)other;
    int status;

    if (!other)
        return FW_CREATE_PLAINLY;
    tell_fork(t, other, pc);
    book->start = creation->start;
    book->start_c11 = creation->start_c11;
    book->argument = creation->argument;
    book->own_signals = has_signals(creation->attributes);
    book->signals = mask;
    status = creation->real(creation->handle, creation->attributes, run, book);
    if (status != 0)
        give_back(other);
    return status;
}

int fw_overlap_create(const struct fw_creation *creation, uintptr_t pc)
{
    struct fw_thread *t = fw_overlap_on ? fw_overlap_self() : NULL;
    uint64_t mask;
    int status;

    if (!t)
        return FW_CREATE_PLAINLY;
    mask = fw_mask_set(FW_MASK_ALL);
    status = create(t, creation, mask, pc);
    fw_mask_set(mask);
    return status;
}
