/*
 * observe_state.h - what the observer keeps; for observe*.c only.
 *
 * Times: `at` counts the accesses of one thread, from 1; `when` those of all.
 */
#ifndef FW_IROOT_OBSERVE_STATE_H
#define FW_IROOT_OBSERVE_STATE_H

#include "base/idmap.h"
#include "base/stable.h"
#include "base/vec.h"
#include "iroot/observe.h"

/* An access that another one may depend on. */
struct touch {
    uint64_t at, when;
    uint32_t thread, access;
    bool writes;
    uint8_t does;
};

/* An object: its latest write, and the latest read of each thread since then. */
struct object {
    uint64_t key;
    struct touch write;
    bool written;
    bool writer_reads; /* its writer has read it since */
    bool owns;         /* memory, of what follows */
    uint32_t reads, capacity;
    struct touch *read;    /* `few`, or memory of its own */
    struct touch few[2];
    uint32_t *place;  /* thread → place in `read`, for objects with many readers; NULL: look */
    uint32_t threads; /* entries of place */
    struct holds *holds; /* locks: who has it; NULL: nobody had it yet */
};

FW_VEC_TYPE(holds, struct touch);

/* Objects by number, whose neighbours stand together: pages of them, which are there as long as one
 * of their objects is.  Slots: open addressing, at most half full. */
#define OBJECT_PAGE 64u

struct object_page {
    uint32_t live;
    uint32_t id_plus_1[OBJECT_PAGE]; /* 0: there is none */
};

struct object_slot {
    uint64_t number;
    struct object_page *page; /* NULL: free */
};

struct objects {
    struct object_slot *slots;
    uint32_t size, count; /* slots, pages */
    uint32_t owners; /* objects with memory of their own */
    struct fw_stable at;
    FW_VEC(uint32_t) spare;
};

/* When a thread accessed objects last, of those that it has since some access.  Open addressing, at
 * most half full; what is older is as good as nothing. */
struct recent_slot {
    uint64_t object, at;
};

struct recent {
    struct recent_slot *slots;
    uint32_t size, used;
    uint64_t since;
};

struct thread {
    uint64_t count; /* accesses so far */
    bool ended;
    bool waits; /* as `wait` says */
    struct touch wait;
    uint64_t wait_object;
    struct recent recent[2]; /* a window at most; as much before: nothing has to be taken out */
};

/* A dependency A => B that another one may go with. */
struct edge {
    uint64_t object;
    uint64_t a_at, b_at;
    uint32_t a, b;
};

FW_VEC_TYPE(edges, struct edge);

/* Two threads, low < high, and what depends on what between them, by the time of B. */
struct pair {
    uint32_t low, high;
    struct edges edges[2]; /* of accesses of high on those of low; the other way round */
};

struct fw_observer {
    struct fw_iroot_set *set;
    bool simple;
    uint64_t window;
    uint64_t when;
    struct objects objects;
    FW_VEC(struct thread) threads;
    FW_VEC(struct pair) pairs;
    struct fw_idmap by_threads;
    size_t sweep_at; /* so many pairs: look which of them are still needed */
};

/* --- observe_object.c ----------------------------------------------------------------------- */

struct object *fw_objects_get(struct objects *objects, uint64_t key);  /* made if it is new */
struct object *fw_objects_find(const struct objects *objects, uint64_t key); /* or NULL */
/* It will be asked for soon; rather soon, after the former. */
void fw_objects_fetch_place(const struct objects *objects, uint64_t key);
void fw_objects_fetch(const struct objects *objects, uint64_t key);
void fw_objects_drop(struct objects *objects, uint64_t key);
void fw_objects_release(struct objects *objects);

/* It has memory of its own from now on. */
void fw_object_own(struct objects *objects, struct object *object);
/* The thread's latest read since the latest write, or NULL. */
struct touch *fw_object_read(const struct object *object, uint32_t thread);
void fw_object_add_read(struct objects *objects, struct object *object, const struct touch *touch);
void fw_object_set_write(struct object *object, const struct touch *touch);

/* --- observe_pairs.c: idioms of two dependencies --------------------------------------------- */

/* When the thread has accessed the object last, 0: not within its window; now it does so. */
uint64_t fw_thread_meets(struct thread *thread, uint64_t object, uint64_t window);
void fw_thread_release_recent(struct thread *thread);

/* b, which happens now, depends on a.  `before`: when b's thread accessed the object before. */
void fw_observer_combine(struct fw_observer *observer, uint64_t object, const struct touch *a,
                         const struct touch *b, uint64_t before);
void fw_observer_release_pairs(struct fw_observer *observer);

/* --- observe_wait.c: deadlocks ---------------------------------------------------------------- */

/* The lock is taken or given back. */
void fw_object_hold(struct objects *objects, struct object *object, const struct touch *touch);
void fw_observer_find_deadlocks(struct fw_observer *observer);

#endif
