/* observe_wait.c - idiom 5 as a deadlock: two threads, each waits for what the other one has. */
#include "iroot/observe_state.h"

#include "base/alloc.h"

void fw_object_hold(struct objects *objects, struct object *object, const struct touch *touch)
{
    if (!object->holds) {
        fw_object_own(objects, object);
        object->holds = fw_xcalloc(1, sizeof *object->holds);
    }
    if (touch->does == FW_DOES_LOCK) {
        fw_vec_push(object->holds, *touch);
        return;
    }
    for (size_t i = 0; i < object->holds->len; i++) {
        if (object->holds->at[i].thread != touch->thread)
            continue;
        object->holds->at[i] = fw_vec_pop(object->holds);
        return;
    }
}

static bool blocks(const struct touch *hold, const struct touch *wait)
{
    return hold->writes || wait->writes;
}

/* The hold of that thread that keeps the waiting one from going on, or NULL. */
static const struct touch *find_hold(const struct fw_observer *observer, uint32_t holder,
                                     const struct thread *waiting)
{
    const struct object *lock = fw_objects_find(&observer->objects, waiting->wait_object);

    for (size_t i = 0; lock && lock->holds && i < lock->holds->len; i++)
        if (lock->holds->at[i].thread == holder && blocks(&lock->holds->at[i], &waiting->wait))
            return &lock->holds->at[i];
    return NULL;
}

/* s waits for a lock that t has: does t wait for one that s has? */
static void find_circle(struct fw_observer *observer, const struct thread *s,
                        const struct touch *held_by_t)
{
    const struct thread *t = &observer->threads.at[held_by_t->thread];
    const struct touch *held_by_s;
    struct fw_iroot iroot = { .idiom = 5, .waits = true };

    if (!t->waits || t->wait_object == s->wait_object)
        return;
    held_by_s = find_hold(observer, s->wait.thread, t);
    if (!held_by_s || s->wait.at - held_by_s->at > observer->window ||
        t->wait.at - held_by_t->at > observer->window)
        return;
    iroot.access[0] = held_by_s->access;
    iroot.access[1] = t->wait.access;
    iroot.access[2] = held_by_t->access;
    iroot.access[3] = s->wait.access;
    fw_iroot_set_add(observer->set, &iroot);
}

void fw_observer_find_deadlocks(struct fw_observer *observer)
{
    for (size_t i = 0; i < observer->threads.len; i++) {
        const struct thread *s = &observer->threads.at[i];
        const struct object *lock =
            s->waits ? fw_objects_find(&observer->objects, s->wait_object) : NULL;

        for (size_t j = 0; lock && lock->holds && j < lock->holds->len; j++)
            if (lock->holds->at[j].thread > i && blocks(&lock->holds->at[j], &s->wait))
                find_circle(observer, s, &lock->holds->at[j]);
    }
}
