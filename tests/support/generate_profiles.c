/* generate_profiles.c - the profiles of generate.h.  Weights count against one another. */
#include "support/generate.h"

#include <string.h>

#define ACCESSES  [FW_GEN_READ] = 24, [FW_GEN_WRITE] = 24, [FW_GEN_STOP] = 2
#define LOCKING   [FW_GEN_ACQUIRE] = 20, [FW_GEN_RELEASE] = 16
#define FORKING   [FW_GEN_FORK] = 16, [FW_GEN_JOIN] = 12
#define BRANCHING [FW_GEN_BRANCH] = 10
#define SHARING                                                                                    \
    [FW_GEN_SHARED_ACQUIRE] = 14, [FW_GEN_TRY_ACQUIRE] = 6, [FW_GEN_TRY_FAIL] = 8,                 \
    [FW_GEN_TRY_SHARED_ACQUIRE] = 4
#define WAITING [FW_GEN_WAIT] = 12, [FW_GEN_NOTIFY] = 6, [FW_GEN_NOTIFY_ALL] = 6
#define POSTING [FW_GEN_POST] = 8, [FW_GEN_PEND] = 8
#define MEETING [FW_GEN_BARRIER] = 10
#define ATOMICS                                                                                    \
    [FW_GEN_ATOMIC_LOAD] = 14, [FW_GEN_ATOMIC_STORE] = 14, [FW_GEN_ATOMIC_RMW] = 10,               \
    [FW_GEN_FENCE] = 6
#define BLOCKS [FW_GEN_BEGIN] = 8, [FW_GEN_END] = 5, [FW_GEN_CALL] = 6, [FW_GEN_RETURN] = 5
#define HEAP   [FW_GEN_ALLOC] = 8, [FW_GEN_FREE] = 6
#define EVERYTHING                                                                                 \
    ACCESSES, LOCKING, FORKING, BRANCHING, SHARING, WAITING, POSTING, MEETING, ATOMICS, BLOCKS, HEAP

/* Everything, but little that leaves threads waiting for good: for traces that become long. */
#define LASTING                                                                                    \
    LOCKING, BRANCHING, SHARING, POSTING, ATOMICS, HEAP, [FW_GEN_READ] = 30, [FW_GEN_WRITE] = 30,  \
    [FW_GEN_WAIT] = 2, [FW_GEN_NOTIFY] = 8, [FW_GEN_NOTIFY_ALL] = 6, [FW_GEN_BARRIER] = 1,         \
    [FW_GEN_FORK] = 10, [FW_GEN_JOIN] = 12, [FW_GEN_STOP] = 1, [FW_GEN_BEGIN] = 4,                 \
    [FW_GEN_END] = 4, [FW_GEN_CALL] = 2, [FW_GEN_RETURN] = 2

/* clang-format off */
const struct fw_generate_options fw_generate_profiles[] = {
    { .name = "locks", .threads_min = 2, .threads_max = 3, .events_min = 8, .events_max = 26,
      .variables = 3, .locks = 3, .guarded_percent = 95, .sticky_percent = 60,
      .weights = { ACCESSES, LOCKING } },
    { .name = "branches", .threads_min = 2, .threads_max = 3, .events_min = 8, .events_max = 26,
      .variables = 3, .locks = 3, .guarded_percent = 95, .branches_percent = 100,
      .sticky_percent = 60, .weights = { ACCESSES, LOCKING, BRANCHING } },
    { .name = "two", .threads_min = 2, .threads_max = 2, .events_min = 8, .events_max = 40,
      .variables = 3, .locks = 3, .guarded_percent = 95, .forked_percent = 30,
      .branches_percent = 50, .sticky_percent = 60, .answer_percent = 10, .mixed_percent = 30,
      .swarm_percent = 50, .weights = { EVERYTHING } },
    { .name = "forks", .threads_min = 2, .threads_max = 5, .events_min = 8, .events_max = 26,
      .variables = 3, .locks = 1, .guarded_percent = 95, .forked_percent = 90,
      .branches_percent = 70, .sticky_percent = 50,
      .weights = { ACCESSES, LOCKING, [FW_GEN_FORK] = 7, [FW_GEN_JOIN] = 12, BRANCHING } },
    { .name = "shared", .threads_min = 2, .threads_max = 3, .events_min = 8, .events_max = 26,
      .variables = 2, .locks = 2, .guarded_percent = 95, .branches_percent = 30,
      .sticky_percent = 50, .weights = { ACCESSES, LOCKING, SHARING, BRANCHING } },
    { .name = "waits", .threads_min = 2, .threads_max = 3, .events_min = 8, .events_max = 26,
      .variables = 2, .locks = 2, .guarded_percent = 95, .branches_percent = 40,
      .sticky_percent = 50, .answer_percent = 30,
      .weights = { ACCESSES, LOCKING, WAITING, BRANCHING,
                   [FW_GEN_SHARED_ACQUIRE] = 5 } },
    { .name = "monitors", .threads_min = 2, .threads_max = 3, .events_min = 8, .events_max = 40,
      .variables = 2, .locks = 2, .guarded_percent = 50, .branches_percent = 40,
      .sticky_percent = 80, .answer_percent = 20, .monitors = true,
      .weights = { ACCESSES, LOCKING, WAITING, BRANCHING, POSTING } },
    { .name = "semaphores", .threads_min = 2, .threads_max = 4, .events_min = 8, .events_max = 24,
      .variables = 2, .locks = 1, .guarded_percent = 95, .branches_percent = 40,
      .sticky_percent = 50, .answer_percent = 30,
      .weights = { ACCESSES, LOCKING, POSTING, BRANCHING } },
    { .name = "messages", .threads_min = 2, .threads_max = 3, .events_min = 24, .events_max = 60,
      .variables = 2, .locks = 1, .guarded_percent = 30, .branches_percent = 20,
      .sticky_percent = 40, .swarm_percent = 20, .weights = { [FW_GEN_READ] = 20,
      [FW_GEN_WRITE] = 20, [FW_GEN_POST] = 14, [FW_GEN_PEND] = 12, [FW_GEN_ACQUIRE] = 3,
      [FW_GEN_RELEASE] = 4 } },
    { .name = "barriers", .threads_min = 2, .threads_max = 4, .events_min = 8, .events_max = 24,
      .variables = 2, .locks = 1, .guarded_percent = 95, .branches_percent = 40,
      .sticky_percent = 40, .weights = { ACCESSES, LOCKING, MEETING, BRANCHING } },
    { .name = "atomics", .threads_min = 2, .threads_max = 3, .events_min = 8, .events_max = 24,
      .variables = 2, .locks = 1, .guarded_percent = 95, .branches_percent = 40,
      .sticky_percent = 50, .answer_percent = 10, .mixed_percent = 20, .swarm_percent = 15,
      .weights = { ACCESSES, LOCKING, ATOMICS, BRANCHING } },
    { .name = "blocks", .threads_min = 2, .threads_max = 3, .events_min = 8, .events_max = 26,
      .variables = 2, .locks = 1, .guarded_percent = 95, .branches_percent = 40,
      .sticky_percent = 60, .swarm_percent = 30,
      .weights = { ACCESSES, LOCKING, BLOCKS, BRANCHING } },
    { .name = "windows", .threads_min = 2, .threads_max = 5, .events_min = 16, .events_max = 40,
      .variables = 2, .locks = 2, .guarded_percent = 60, .forked_percent = 40,
      .branches_percent = 20, .sticky_percent = 50, .site_percent = 10, .mixed_percent = 40,
      .swarm_percent = 25, .weights = { BLOCKS, FORKING, WAITING, POSTING, MEETING,
      [FW_GEN_ACQUIRE] = 60, [FW_GEN_RELEASE] = 60, [FW_GEN_SHARED_ACQUIRE] = 16,
      [FW_GEN_TRY_ACQUIRE] = 6, [FW_GEN_READ] = 6, [FW_GEN_WRITE] = 10,
      [FW_GEN_ATOMIC_STORE] = 8, [FW_GEN_ATOMIC_LOAD] = 8, [FW_GEN_STOP] = 2 } },
    { .name = "crowds", .threads_min = 6, .threads_max = 14, .events_min = 40, .events_max = 90,
      .variables = 2, .locks = 2, .guarded_percent = 30, .forked_percent = 30,
      .branches_percent = 10, .sticky_percent = 30, .site_percent = 10, .mixed_percent = 40,
      .swarm_percent = 40, .weights = { BLOCKS, FORKING, POSTING, MEETING, SHARING,
      [FW_GEN_ACQUIRE] = 10, [FW_GEN_RELEASE] = 20, [FW_GEN_READ] = 60, [FW_GEN_WRITE] = 5,
      [FW_GEN_STOP] = 1 } },
    { .name = "heap", .threads_min = 2, .threads_max = 3, .events_min = 8, .events_max = 26,
      .variables = 1, .locks = 1, .guarded_percent = 95, .branches_percent = 40,
      .sticky_percent = 50, .weights = { ACCESSES, LOCKING, HEAP, BRANCHING } },
    { .name = "deadlocks", .threads_min = 2, .threads_max = 4, .events_min = 12, .events_max = 30,
      .variables = 3, .locks = 3, .guarded_percent = 95, .branches_percent = 20,
      .sticky_percent = 85, .swarm_percent = 30, .weights = { [FW_GEN_ACQUIRE] = 40,
      [FW_GEN_RELEASE] = 26, [FW_GEN_SHARED_ACQUIRE] = 14, [FW_GEN_TRY_ACQUIRE] = 4,
      [FW_GEN_READ] = 2, [FW_GEN_WRITE] = 4, [FW_GEN_BRANCH] = 3 } },
    { .name = "everything", .threads_min = 2, .threads_max = 5, .events_min = 8, .events_max = 26,
      .variables = 3, .locks = 2, .guarded_percent = 95, .forked_percent = 50,
      .branches_percent = 60, .sticky_percent = 50, .site_percent = 30, .value_percent = 15,
      .size_percent = 15, .answer_percent = 15, .mixed_percent = 25, .swarm_percent = 40,
      .weights = { EVERYTHING } },
    { .name = "long", .threads_min = 2, .threads_max = 12, .events_min = 20, .events_max = 400,
      .variables = 8, .locks = 8, .guarded_percent = 95, .forked_percent = 50,
      .branches_percent = 60, .sticky_percent = 50, .site_percent = 60, .value_percent = 30,
      .size_percent = 30, .answer_percent = 30, .mixed_percent = 30, .swarm_percent = 30,
      .weights = { EVERYTHING } },
    { .name = "tiny", .threads_min = 2, .threads_max = 3, .events_min = 3, .events_max = 8,
      .variables = 2, .locks = 2, .guarded_percent = 95, .forked_percent = 40,
      .branches_percent = 60, .sticky_percent = 50, .answer_percent = 20, .mixed_percent = 40,
      .swarm_percent = 60, .weights = { EVERYTHING } },
    { .name = "nested", .threads_min = 2, .threads_max = 3, .events_min = 6, .events_max = 8,
      .variables = 1, .locks = 2, .branches_percent = 20, .sticky_percent = 80,
      .swarm_percent = 20, .weights = { [FW_GEN_ACQUIRE] = 40, [FW_GEN_RELEASE] = 26,
      [FW_GEN_SHARED_ACQUIRE] = 8, [FW_GEN_READ] = 2, [FW_GEN_WRITE] = 2,
      [FW_GEN_BRANCH] = 1 } },
    { .name = "sections", .threads_min = 2, .threads_max = 5, .events_min = 16, .events_max = 40,
      .variables = 4, .locks = 4, .guarded_percent = 60, .forked_percent = 30,
      .sticky_percent = 70, .swarm_percent = 10, .weights = { [FW_GEN_READ] = 16,
      [FW_GEN_WRITE] = 14, [FW_GEN_ACQUIRE] = 26, [FW_GEN_RELEASE] = 24, [FW_GEN_FORK] = 4,
      [FW_GEN_JOIN] = 3, [FW_GEN_STOP] = 1 } },
    { .name = "long-sections", .threads_min = 3, .threads_max = 6, .events_min = 40,
      .events_max = 120, .variables = 8, .locks = 8, .guarded_percent = 30, .forked_percent = 10,
      .sticky_percent = 50, .weights = { [FW_GEN_READ] = 10, [FW_GEN_WRITE] = 8,
      [FW_GEN_ACQUIRE] = 30, [FW_GEN_RELEASE] = 27, [FW_GEN_SHARED_ACQUIRE] = 4,
      [FW_GEN_POST] = 1, [FW_GEN_PEND] = 1 } },
    { .name = "few-locks", .threads_min = 3, .threads_max = 6, .events_min = 40,
      .events_max = 90, .variables = 8, .locks = 5, .forked_percent = 10, .sticky_percent = 60,
      .swarm_percent = 10, .weights = { [FW_GEN_READ] = 9, [FW_GEN_WRITE] = 7,
      [FW_GEN_ACQUIRE] = 30, [FW_GEN_RELEASE] = 27, [FW_GEN_SHARED_ACQUIRE] = 2,
      [FW_GEN_POST] = 1, [FW_GEN_PEND] = 1 } },
    { .name = "medium", .threads_min = 2, .threads_max = 6, .events_min = 40, .events_max = 120,
      .variables = 5, .locks = 5, .guarded_percent = 80, .forked_percent = 40,
      .branches_percent = 60, .sticky_percent = 60, .answer_percent = 10, .mixed_percent = 20,
      .swarm_percent = 50, .weights = { LASTING } },
    { .name = "medium-two", .threads_min = 2, .threads_max = 2, .events_min = 40,
      .events_max = 120, .variables = 5, .locks = 5, .guarded_percent = 80, .forked_percent = 20,
      .branches_percent = 60, .sticky_percent = 60, .answer_percent = 10, .mixed_percent = 20,
      .swarm_percent = 50, .weights = { LASTING } },
    { .name = "medium-locks", .threads_min = 2, .threads_max = 6, .events_min = 40,
      .events_max = 120, .variables = 6, .locks = 6, .guarded_percent = 60, .forked_percent = 20,
      .branches_percent = 50, .sticky_percent = 70, .weights = { ACCESSES, [FW_GEN_ACQUIRE] = 30,
      [FW_GEN_RELEASE] = 20, [FW_GEN_SHARED_ACQUIRE] = 4, [FW_GEN_BRANCH] = 4, [FW_GEN_FORK] = 4,
      [FW_GEN_JOIN] = 2 } },
    { .name = "medium-tries", .threads_min = 2, .threads_max = 6, .events_min = 40,
      .events_max = 120, .variables = 3, .locks = 3, .branches_percent = 70, .sticky_percent = 60,
      .weights = { [FW_GEN_READ] = 12, [FW_GEN_WRITE] = 12, [FW_GEN_BRANCH] = 5,
      [FW_GEN_ACQUIRE] = 30, [FW_GEN_RELEASE] = 22, [FW_GEN_TRY_FAIL] = 30,
      [FW_GEN_TRY_ACQUIRE] = 6, [FW_GEN_SHARED_ACQUIRE] = 10 } },
    { .name = "values", .threads_min = 2, .threads_max = 4, .events_min = 8, .events_max = 26,
      .variables = 2, .locks = 2, .guarded_percent = 50, .forked_percent = 20,
      .branches_percent = 60, .sticky_percent = 50, .value_percent = 85, .answer_percent = 5,
      .mixed_percent = 60, .swarm_percent = 50, .true_values = true,
      .weights = { ACCESSES, LOCKING, FORKING, BRANCHING, ATOMICS } },
    { .name = "medium-values", .threads_min = 2, .threads_max = 6, .events_min = 40,
      .events_max = 120, .variables = 5, .locks = 5, .guarded_percent = 50, .forked_percent = 20,
      .branches_percent = 60, .sticky_percent = 60, .value_percent = 85, .answer_percent = 5,
      .mixed_percent = 30, .swarm_percent = 50, .true_values = true, .weights = { LASTING } },
    { .name = NULL },
};
/* clang-format on */

const struct fw_generate_options *fw_generate_profile(const char *name)
{
    for (const struct fw_generate_options *p = fw_generate_profiles; p->name; p++)
        if (strcmp(p->name, name) == 0)
            return p;
    return NULL;
}
