/* session_memory.c - see session.h: the memory that is shared with the program. */
#include "explore/session_state.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define THREADS   FW_SESSION_PATHS
#define TURNS     (1u << 18)
#define DECISIONS (64u << 20)
/* As many as a run can tell decisions between two threads or more, and all who may sleep. */
#define CHOICES (DECISIONS / (sizeof(struct fw_control_decision) +                                 \
                              2 * sizeof(struct fw_control_candidate)) + THREADS)
#define TRAIL     (1u << 20)
#define SEEN      (1u << 22)

static uint64_t lay_out(struct fw_control_head *head)
{
    uint64_t at = (sizeof *head + 4095) & ~UINT64_C(4095);

#define AREA(name, type, count)                                                                    \
    head->name##_at = at;                                                                          \
    at = (at + (uint64_t)(count) * sizeof(type) + 63) & ~UINT64_C(63)
    AREA(modules, struct fw_control_module, FW_CONTROL_MODULES);
    AREA(pairs, struct fw_control_pairs, 1);
    AREA(sites, struct fw_control_site, FW_SESSION_SITES);
    AREA(steps, struct fw_control_step, FW_SESSION_STEPS);
    AREA(paths, struct fw_control_path, FW_SESSION_PATHS);
    AREA(choices, uint32_t, CHOICES);
    AREA(threads, struct fw_control_thread, THREADS);
    AREA(turns, struct fw_control_turn, TURNS);
    AREA(decisions, char, DECISIONS);
    AREA(trail, struct fw_control_trail, TRAIL);
    AREA(seen, struct fw_control_seen, SEEN);
#undef AREA
    head->sites_room = FW_SESSION_SITES;
    head->steps_room = FW_SESSION_STEPS;
    head->paths_room = FW_SESSION_PATHS;
    head->choices_room = CHOICES;
    head->threads_room = THREADS;
    head->turns_room = TURNS;
    head->decisions_room = DECISIONS;
    head->trail_room = TRAIL;
    head->seen_room = SEEN;
    return at;
}

int fw_session_map(struct fw_session *session, struct fw_error *err)
{
    struct fw_control_head head = { .magic = FW_CONTROL_MAGIC, .version = FW_CONTROL_VERSION };

    head.bytes = lay_out(&head);
    session->memory = memfd_create("foreweave-control", MFD_CLOEXEC);
    session->output = memfd_create("foreweave-output", MFD_CLOEXEC);
    if (session->memory < 0 || session->output < 0 ||
        ftruncate(session->memory, (off_t)head.bytes) < 0)
        return fw_error_errno(err, "cannot make shared memory");
    session->head = mmap(NULL, head.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, session->memory, 0);
    if (session->head == MAP_FAILED) {
        session->head = NULL;
        return fw_error_errno(err, "cannot map shared memory");
    }
    *session->head = head;
    snprintf(session->file, sizeof session->file, "/proc/%d/fd/%d", (int)getpid(), session->memory);
    snprintf(session->output_file, sizeof session->output_file, "/proc/%d/fd/%d", (int)getpid(),
             session->output);
    return 0;
}
