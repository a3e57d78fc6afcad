/* observe.c - see observe.h.  Who depends on whom: idiom 1. */
#include "iroot/observe.h"

#include "base/alloc.h"
#include "base/bug.h"
#include "iroot/observe_state.h"

#include <stdlib.h>

struct fw_observer *fw_observer_create(struct fw_iroot_set *set,
                                       const struct fw_observe_options *options)
{
    struct fw_observer *observer = fw_xcalloc(1, sizeof *observer);

    observer->set = set;
    observer->simple = options->simple;
    observer->window = options->window ? options->window : FW_IROOT_WINDOW;
    return observer;
}

void fw_observer_destroy(struct fw_observer *observer)
{
    if (!observer)
        return;
    for (size_t i = 0; i < observer->threads.len; i++)
        fw_thread_release_recent(&observer->threads.at[i]);
    fw_vec_release(&observer->threads);
    fw_observer_release_pairs(observer);
    fw_objects_release(&observer->objects);
    free(observer);
}

static struct thread *thread_of(struct fw_observer *observer, uint32_t thread)
{
    fw_vec_extend(&observer->threads, (size_t)thread + 1);
    return &observer->threads.at[thread];
}

static void add_edge(struct fw_observer *observer, const struct object *object,
                     const struct touch *a, const struct touch *b, uint64_t before)
{
    struct fw_iroot iroot = { .idiom = 1, .access = { a->access, b->access } };

    if (b->does >= FW_DOES_LOCK && (a->does != FW_DOES_UNLOCK || b->does != FW_DOES_LOCK))
        return;
    if (a->access == FW_ACCESS_NONE || b->access == FW_ACCESS_NONE)
        return;
    fw_iroot_set_add(observer->set, &iroot);
    if (!observer->simple)
        fw_observer_combine(observer, object->key, a, b, before);
}

/*
 * A write depends on the reads since the latest write, but for those of its own thread and those
 * before its own thread's; if there are none at all, on that write.
 */
static void observe_write(struct fw_observer *observer, struct object *object,
                          const struct touch *touch, uint64_t before)
{
    const struct touch *own = fw_object_read(object, touch->thread);
    uint64_t since = own ? own->when : 0;

    for (uint32_t i = 0; i < object->reads; i++)
        if (object->read[i].when > since)
            add_edge(observer, object, &object->read[i], touch, before);
    if (!object->reads && object->written && object->write.thread != touch->thread)
        add_edge(observer, object, &object->write, touch, before);
    fw_object_set_write(object, touch);
}

/* A read depends on the latest write, if neither thread has read the object since. */
static void observe_read(struct fw_observer *observer, struct object *object,
                         const struct touch *touch, uint64_t before)
{
    struct touch *own = fw_object_read(object, touch->thread);

    if (object->written && object->write.thread == touch->thread)
        object->writer_reads = true;
    else if (object->written && !own && !object->writer_reads)
        add_edge(observer, object, &object->write, touch, before);
    if (own)
        *own = *touch;
    else
        fw_object_add_read(&observer->objects, object, touch);
}

static struct touch touch_of(const struct fw_observed *observed, uint64_t at, uint64_t when)
{
    return (struct touch) { .at = at,
                            .when = when,
                            .thread = observed->thread,
                            .access = observed->access,
                            .writes = observed->writes,
                            .does = observed->does };
}

void fw_observer_access(struct fw_observer *observer, const struct fw_observed *observed)
{
    struct thread *thread = thread_of(observer, observed->thread);
    struct object *object = fw_objects_get(&observer->objects, observed->object);
    struct touch touch = touch_of(observed, ++thread->count, ++observer->when);
    uint64_t before = 0;

    thread->waits = false;
    if (!observer->simple)
        before = fw_thread_meets(thread, observed->object, observer->window);
    if (observed->does >= FW_DOES_LOCK && !observer->simple)
        fw_object_hold(&observer->objects, object, &touch);
    if (observed->writes)
        observe_write(observer, object, &touch, before);
    else
        observe_read(observer, object, &touch, before);
}

void fw_observer_fetch(const struct fw_observer *observer, uint64_t later, uint64_t soon)
{
    fw_objects_fetch_place(&observer->objects, later);
    fw_objects_fetch(&observer->objects, soon);
}

/* It would be the next access of its thread. */
void fw_observer_wait(struct fw_observer *observer, const struct fw_observed *observed)
{
    struct thread *thread = thread_of(observer, observed->thread);

    thread->waits = true;
    thread->wait = touch_of(observed, thread->count + 1, 0);
    thread->wait_object = observed->object;
}

void fw_observer_forget(struct fw_observer *observer, uint64_t object)
{
    fw_objects_drop(&observer->objects, object);
}

void fw_observer_end_thread(struct fw_observer *observer, uint32_t number)
{
    struct thread *thread = thread_of(observer, number);

    thread->ended = true;
    fw_thread_release_recent(thread);
}

void fw_observer_finish(struct fw_observer *observer)
{
    if (!observer->simple)
        fw_observer_find_deadlocks(observer);
}
