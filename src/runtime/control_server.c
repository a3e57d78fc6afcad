/*
 * control_server.c - one process that has been loaded once and is copied for every run.
 *
 * When the controller asks for it, the program stops in the library's constructor, before any code
 * of its own, and waits for orders.  Each is carried out by a child, which goes on as if the
 * process had just been loaded: that saves executing, loading and relocating.  The server tells how
 * the child ended; the controller kills it when it takes too long.
 *
 * Only the program itself serves, not what a script starts, or what the script does would be done
 * once only; and only while it has one thread.
 */
#include "runtime/control.h"
#include "runtime/futex.h"
#include "runtime/intercept.h"
#include "runtime/process.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* A folder has a link for itself, one in its parent, and one of each folder in it. */
static bool has_one_thread(void)
{
    struct stat tasks;

    return fw_call(SYS_stat, "/proc/self/task", &tasks, 0, 0) == 0 && tasks.st_nlink == 3;
}

static int32_t own_id(void)
{
    return (int32_t)fw_call(SYS_getpid, 0, 0, 0, 0);
}

/* In the child: dies with the server, and is the head of a group that can be killed as one. */
static void become_run(int32_t server)
{
    fw_call(SYS_setpgid, 0, 0, 0, 0);
    fw_call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0);
    if (fw_call(SYS_getppid, 0, 0, 0, 0) != server)
        fw_call(SYS_exit_group, 127, 0, 0, 0);
    fw_process_begins();
}

static void tell_end(struct fw_control_head *head, int32_t child)
{
    int status = 0;

    head->child = child;
    if (child > 0)
        while (fw_call(SYS_wait4, child, &status, 0, NULL) == -EINTR)
            ;
    head->status = child > 0 ? status : 127 << 8;
    atomic_fetch_add(&head->over, 1);
    fw_futex_wake(&head->over, 1);
}

void fw_control_serve(struct fw_control_head *head)
{
    uint32_t done = 0;
    int32_t self;

    if (!head->serve || head->server || !has_one_thread() ||
        strcmp(fw_control_executable(), head->program) != 0)
        return;
    self = own_id();
    fw_signals_begin(); /* what is done here is done for all children */
    free(malloc(1));
    fw_call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0);
    atomic_store(&head->server, self);
    for (;;) {
        int32_t child;

        while (atomic_load(&head->order) == done)
            fw_futex_wait(&head->order, done, UINT64_MAX, 1);
        done++;
        child = (int32_t)REAL(_Fork)();
        if (child == 0) {
            become_run(self);
            return;
        }
        tell_end(head, child);
    }
}
