/* process.c - see process.h. */
#include "record/process.h"

#include "record/places.h"
#include "record/units.h"
#include "trace/fwt.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static int open_spool(struct fw_process *p, const struct fw_spool_pair_text *pairs, size_t count,
                      struct fw_error *err)
{
    int fd;

    if (p->lock >= 0)
        close(p->lock);
    p->lock = -1;
    fd = fw_place_open(p->path, err);
    if (fd < 0)
        return -1;
    p->lock = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    p->spool = fw_spool_create(fd, p->path);
    p->survey = fw_survey_create(fw_survey_default_limit());
    for (size_t i = 0; i < count; i++)
        fw_spool_pair(p->spool, pairs[i].key, pairs[i].value);
    if (fw_spool_error(p->spool))
        return fw_error_set(err, "%s", fw_spool_error(p->spool));
    return 0;
}

struct fw_process *fw_process_create(const char *path,
                                     const struct fw_spool_pair_text *pairs, size_t pair_count,
                                     struct fw_error *err)
{
    struct fw_process *p = fw_xcalloc(1, sizeof *p);

    p->path = fw_xstrdup(path);
    p->pidfd = p->lock = -1;
    if (open_spool(p, pairs, pair_count, err) < 0) {
        fw_process_destroy(p);
        return NULL;
    }
    return p;
}

static void release_live(struct fw_process *p)
{
    fw_ring_destroy(&p->ring);
    fw_spool_destroy(p->spool);
    p->spool = NULL;
    fw_survey_destroy(p->survey);
    p->survey = NULL;
    if (p->pidfd >= 0)
        close(p->pidfd);
    p->pidfd = -1;
}

void fw_process_destroy(struct fw_process *p)
{
    if (!p)
        return;
    release_live(p);
    if (p->lock >= 0)
        close(p->lock);
    fw_vec_release(&p->kept);
    for (size_t i = 0; i < p->late.len; i++) {
        free(p->late.at[i].key);
        free(p->late.at[i].value);
    }
    fw_vec_release(&p->late);
    free(p->path);
    free(p);
}

int fw_process_connect(struct fw_process *p, pid_t pid, uint64_t ring_bytes, int *fd,
                       struct fw_error *err)
{
    if (fw_ring_create(&p->ring, ring_bytes, fd, err) < 0)
        return -1;
    p->pid = pid;
    p->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (p->pidfd < 0 && errno == ESRCH)
        errno = 0; /* it is gone already, which will be noticed */
    p->state = FW_PROCESS_RUNNING;
    return 0;
}

int fw_process_restart(struct fw_process *p, const struct fw_spool_pair_text *pairs, size_t count,
                       struct fw_error *err)
{
    release_live(p);
    fw_vec_release(&p->kept);
    p->state = FW_PROCESS_AWAITED;
    p->threads = 0;
    p->cycles = p->idle = 0;
    p->instrumented = false;
    p->problem[0] = '\0';
    return open_spool(p, pairs, count, err);
}

/* What the recorder itself wants to know. */
static void look_at(struct fw_process *p, const struct fw_wire_unit *units, size_t count)
{
    for (size_t at = 0; at < count; at += 1 + (size_t)fw_wire_more(&units[at]))
        if (fw_wire_kind(&units[at]) == FW_WIRE_MODULE &&
            units[at + 1].b & FW_WIRE_MODULE_INSTRUMENTED)
            p->instrumented = true;
}

size_t fw_process_drain(struct fw_process *p, struct fw_wire_unit *scratch)
{
    size_t count;

    if (p->state != FW_PROCESS_RUNNING)
        return 0;
    count = fw_ring_take(&p->ring, scratch);
    if (count && !p->instrumented)
        look_at(p, scratch, count);
    /* The survey comes first: what it has not seen must not get into the trace. */
    if (count && fw_survey_feed(p->survey, scratch, count) < 0)
        fw_process_cut(p, "the program touches more memory than can be kept track of here");
    else if (count && fw_spool_add(p->spool, scratch, count) < 0)
        fw_process_cut(p, fw_spool_error(p->spool));
    else if (p->ring.damaged)
        fw_process_cut(p, "the memory shared with the program is damaged");
    return count;
}

void fw_process_flush(struct fw_process *p, uint64_t now, uint64_t patience)
{
    if (p->state != FW_PROCESS_RUNNING || now - p->flushed < patience)
        return;
    p->flushed = now;
    if (fw_spool_pending(p->spool) && fw_spool_flush(p->spool) < 0)
        fw_process_cut(p, fw_spool_error(p->spool));
}

bool fw_process_stuck(struct fw_process *p, struct fw_wire_unit *scratch, uint64_t now,
                      uint64_t patience)
{
    uint32_t cycles, idle;

    if (p->state != FW_PROCESS_RUNNING)
        return false;
    /* acquire: pairs with the runtime's release, the records are in the ring */
    cycles = atomic_load_explicit(&p->ring.shared->cycles, memory_order_acquire);
    idle = atomic_load_explicit(&p->ring.shared->idle, memory_order_acquire);
    if (cycles == p->cycles && (idle == p->idle || now - p->heard < patience))
        return false;
    p->cycles = cycles;
    p->idle = idle;
    while (fw_process_drain(p, scratch))
        ;
    if (p->state == FW_PROCESS_RUNNING && fw_spool_flush(p->spool) < 0)
        fw_process_cut(p, fw_spool_error(p->spool));
    return p->state == FW_PROCESS_RUNNING;
}

bool fw_process_still(struct fw_process *p, uint64_t now, uint64_t patience)
{
    uint32_t still;

    if (p->state != FW_PROCESS_RUNNING)
        return false;
    still = atomic_load(&p->ring.shared->still);
    if (still == p->still || now - p->heard < patience)
        return false;
    p->still = still;
    return true;
}

bool fw_process_alive(const struct fw_process *p)
{
    struct pollfd ready = { .fd = p->pidfd, .events = POLLIN };

    if (p->pidfd >= 0)
        return poll(&ready, 1, 0) == 0;
    return kill(p->pid, 0) == 0 || errno != ESRCH;
}

/* Keeps what the second pass needs and lets everything else go. */
static void close_books(struct fw_process *p)
{
    p->threads = fw_survey_threads(p->survey);
    fw_survey_finish(p->survey, &p->kept);
    release_live(p);
}

void fw_process_end(struct fw_process *p, struct fw_wire_unit *scratch)
{
    if (p->state == FW_PROCESS_RUNNING)
        while (fw_process_drain(p, scratch))
            ;
    if (p->state != FW_PROCESS_RUNNING && p->state != FW_PROCESS_AWAITED)
        return;
    if (p->ring.shared && !atomic_load(&p->ring.shared->elides))
        fw_spool_pair(p->spool, FW_FWT_REPEATS_KEPT, "yes");
    if (fw_spool_end(p->spool) < 0) {
        fw_process_cut(p, fw_spool_error(p->spool));
        return;
    }
    p->state = FW_PROCESS_ENDED;
    close_books(p);
}

void fw_process_cut(struct fw_process *p, const char *why)
{
    if (p->state != FW_PROCESS_RUNNING && p->state != FW_PROCESS_AWAITED)
        return;
    snprintf(p->problem, sizeof p->problem, "%.255s", why);
    if (p->ring.shared)
        fw_ring_leave(&p->ring);
    if (!fw_spool_error(p->spool))
        fw_spool_pair(p->spool, "off", p->problem);
    p->state = FW_PROCESS_CUT;
    close_books(p);
}

void fw_process_tell(struct fw_process *p, const char *key, const char *value)
{
    if (p->spool && fw_spool_pair(p->spool, key, value) == 0)
        return;
    fw_vec_push(&p->late,
                ((struct fw_spool_pair_text) { fw_xstrdup(key), fw_xstrdup(value) }));
}

int fw_process_finalise(struct fw_process *p, struct fw_final_result *result, struct fw_error *err)
{
    struct fw_input spool;
    struct fw_output out;
    struct fw_final_setup setup = { .spool = &spool,
                                    .kept = &p->kept,
                                    .out = &out,
                                    .pairs = p->late.at,
                                    .pair_count = p->late.len };
    int status;

    if (fw_input_open(&spool, p->path, err) < 0)
        return -1;
    status = fw_output_open(&out, p->path, err);
    if (status == 0)
        status = fw_finalise(&setup, result, err);
    fw_input_close(&spool);
    return status;
}
