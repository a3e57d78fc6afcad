/* sidetrack_visits.c - which locks a thread acquired in its outermost block: H_t. */
#include "analysis/sidetrack_state.h"

static uint32_t place_of(const struct visits *visits, uint32_t key)
{
    return (key * 0x9e3779b1u) >> 7 & (visits->size - 1);
}

struct visit *sidetrack_visit_find(const struct thread *thread, uint32_t key)
{
    const struct visits *visits = &thread->visits;

    if (!visits->count)
        return NULL;
    for (uint32_t i = place_of(visits, key); visits->at[i].round == thread->round;
         i = (i + 1) & (visits->size - 1))
        if (visits->at[i].key == key)
            return &visits->at[i];
    return NULL;
}

/* A free entry for the key, which is not there. */
static struct visit *free_entry(struct thread *thread, uint32_t key)
{
    struct visits *visits = &thread->visits;
    uint32_t i = place_of(visits, key);

    while (visits->at[i].round == thread->round)
        i = (i + 1) & (visits->size - 1);
    return &visits->at[i];
}

static void grow(struct thread *thread)
{
    struct visits old = thread->visits;

    thread->visits.size = old.size ? old.size * 2 : 8;
    thread->visits.at = fw_xcalloc(thread->visits.size, sizeof *thread->visits.at);
    for (uint32_t i = 0; i < old.size; i++) {
        if (old.at[i].round == thread->round)
            *free_entry(thread, old.at[i].key) = old.at[i];
        else
            fw_vec_release(&old.at[i].suspects);
    }
    free(old.at);
}

struct visit *sidetrack_visit_add(struct thread *thread, uint32_t key)
{
    struct visit *visit;

    if (thread->visits.count * 2 >= thread->visits.size)
        grow(thread);
    thread->visits.count++;
    visit = free_entry(thread, key);
    visit->key = key;
    visit->round = thread->round;
    fw_vec_clear(&visit->suspects);
    return visit;
}

void sidetrack_visits_release(struct visits *visits)
{
    for (uint32_t i = 0; i < visits->size; i++)
        fw_vec_release(&visits->at[i].suspects);
    free(visits->at);
}
