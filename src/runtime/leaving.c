/*
 * leaving.c - threads that have ended for the program, and not yet for the kernel.
 *
 * A thread gives the token away for the last time in a destructor of its data.  libc still works
 * for it then: it gives back blocks that the thread has kept (and may abort over them), its arena
 * and its stack.  Beside another thread that runs this would make two runs of a schedule differ.
 * So who has the token next waits until the thread is gone.
 *
 * The kernel tells by the word that libc gave it for that when it made the thread: its number until
 * then, and 0 with a wake behind.  Libc keeps the word as long as the number is there.  Where the
 * kernel does not say which word it is, the thread is asked for until there is none of that number.
 *
 * Never for long: a destructor that comes after ours may wait for what the waiting thread has.
 */
#include "runtime/futex.h"
#include "runtime/thread.h"

#include <errno.h>
#include <sys/prctl.h>

#define PATIENCE FW_SECOND
#define PAUSE    50000u /* ns until it is asked for again */

int32_t fw_leaving;
static _Atomic uint32_t *word; /* NULL: not known */

void fw_leaving_begin(const struct fw_thread *t)
{
    word = NULL;
    if (fw_call(SYS_prctl, PR_GET_TID_ADDRESS, &word, 0, 0) < 0)
        word = NULL;
    fw_leaving = t->tid;
}

/* Waits for some of the time that is left. */
static bool is_gone(uint64_t left)
{
    long process = fw_call(SYS_getpid, 0, 0, 0, 0), status;
    struct timespec pause = { 0, PAUSE };

    if (word) {
        status = fw_futex_wait(word, (uint32_t)fw_leaving, left, 1);
        return status == -EAGAIN || status == -EFAULT; /* another number, or no word any more */
    }
    if (fw_leaving == process) /* its number stays until all others have ended */
        return true;
    status = fw_call(SYS_tgkill, process, fw_leaving, 0, 0);
    if (status == 0)
        fw_call(SYS_nanosleep, &pause, 0, 0, 0);
    return status != 0;
}

void fw_leaving_wait(void)
{
    uint64_t now = fw_now(), until = now + PATIENCE;

    while (now < until && !is_gone(until - now))
        now = fw_now();
    fw_leaving = 0;
}
