/*
 * mozilla_script: a script is set and then compiled, each under the lock; another thread clears it
 * between the two.
 *
 * kind: atomicity
 */
#include "kernel.h"

struct {
    pthread_mutex_t lock;
    const char *script;
    bool lost;
} shared = { PTHREAD_MUTEX_INITIALIZER, NULL, false };

static NOINLINE void set_script(const char *script)
{
    pthread_mutex_lock(&shared.lock);
    shared.script = script;
    pthread_mutex_unlock(&shared.lock);
}

static NOINLINE void compile_script(void)
{
    pthread_mutex_lock(&shared.lock);
    shared.lost = shared.script == NULL;
    pthread_mutex_unlock(&shared.lock);
}

static void load(void)
{
    set_script("script");
    hold();
    compile_script();
}

static NOINLINE void clear_script(void)
{
    pthread_mutex_lock(&shared.lock);
    shared.script = NULL;
    pthread_mutex_unlock(&shared.lock);
}

static void clear(void)
{
    meanwhile();
    clear_script();
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    run_two(load, clear);
    return verdict(!shared.lost);
}
