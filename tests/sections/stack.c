/*
 * stack.c - workers take jobs off a stack, and put some back; the way by which they look whether
 * there is one and then take it has no lock in one place, which each comes by a few times.
 *
 * Exits with 0 if every job was done once.
 */
#include <pthread.h>
#include <stdlib.h>

#define WORKERS 3
#define JOBS    90

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count = JOBS; /* of jobs that are left; the next one's number */
static int done[JOBS];
/* How things are going: nobody minds if it is not exact. */
static long taken, idle, longest, recent, spread, warm, cold, level, phase, beats, drift, shade;

static void note_job(int job)
{
    taken++;
    spread += job > recent ? job - recent : recent - job;
    recent = job;
    if (job > longest)
        longest = job;
    level = (level * 7 + job) / 8;
}

static void note_heat(int job)
{
    if (job & 1)
        warm = warm + 1;
    else
        cold = cold + 1;
    idle = warm > cold ? idle + 1 : idle;
}

static void note_turn(int turn)
{
    beats = beats + 1;
    if (phase != (turn & 3))
        phase = turn & 3;
    drift += beats - turn;
    shade = (shade ^ drift) & 15;
    shade |= phase;
}

static int take(void)
{
    int job = -1;

    pthread_mutex_lock(&lock);
    if (count > 0)
        job = --count;
    pthread_mutex_unlock(&lock);
    return job;
}

static int take_quickly(void)
{
    if (count > 0)
        return --count; /* @bug */
    return -1;
}

static void *work(void *argument)
{
    long who = (long)argument;

    for (int turn = 0; turn < JOBS / WORKERS; turn++) {
        int job = turn == 5 * who + 3 ? take_quickly() : take();

        if (job < 0)
            break;
        __atomic_fetch_add(&done[job], 1, __ATOMIC_RELAXED);
        note_job(job);
        note_heat(job);
        note_turn(turn);
    }
    return NULL;
}

int main(void)
{
    pthread_t workers[WORKERS];
    int wrong = 0;

    for (long i = 0; i < WORKERS; i++)
        if (pthread_create(&workers[i], NULL, work, (void *)i) != 0)
            abort();
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);
    for (int i = 0; i < JOBS; i++)
        wrong += done[i] != 1;
    return wrong != 0;
}
