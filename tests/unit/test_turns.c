/*
 * test_turns.c - a failing run becomes a short schedule that makes other builds fail, too.
 *
 * Programs of tests/cli/replay are built at several levels and from a source with lines added.  In
 * each build a random walk finds a failure, which becomes a schedule; it must be short, and it must
 * reproduce the failure every time in every build.
 */
#include "explore/replay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define RUNS  3
#define SEEDS 1000

struct program {
    const char *name, *extension, *wrapper;
    const char *shows;
    uint32_t preemptions; /* of its schedule, at most */
};

static const char *const builds[] = { "-O0", "-O2", "-O1 -DMORE" };
#define BUILDS (sizeof builds / sizeof *builds)

static char directory[64];

static int shell(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static int shell(const char *fmt, ...)
{
    char command[4096];
    va_list args;

    va_start(args, fmt);
    vsnprintf(command, sizeof command, fmt, args);
    va_end(args);
    return system(command);
}

/* The last one has a function in front, and lines in every function. */
static void build(const struct program *program)
{
    snprintf(directory, sizeof directory, "/tmp/test_turns.XXXXXX");
    assert_non_null(mkdtemp(directory));
    for (size_t i = 0; i < BUILDS; i++)
        assert_int_equal(shell("cd %s && mkdir %zu && cd %zu && %s %s/tests/cli/replay/%s.%s >t.%s "
                               "&& \"$FOREWEAVE\" %s -g %s t.%s -o t",
                               directory, i, i,
                               strstr(builds[i], "MORE")
                                   ? "sed -e '/^{/a \\    int more = 1; (void)more;\\n' "
                                     "-e '/^#include/i \\\\n'"
                                   : "cat",
                               FOREWEAVE_SOURCE_DIR, program->name, program->extension,
                               program->extension, program->wrapper, builds[i],
                               program->extension),
                         0);
}

static const char *runtime(void)
{
    static char path[4096];

    snprintf(path, sizeof path, "%s/libforeweave_rt.so", getenv("FOREWEAVE_BUILD"));
    return path;
}

static struct fw_run_result wanted;

static bool is_same(void *context, const struct fw_session *session,
                    const struct fw_run_result *result)
{
    (void)context;
    (void)session;
    return result->end == wanted.end && result->code == wanted.code;
}

/* Looks for a failing run and makes it a schedule. */
static void find(char *path, uint32_t most, struct fw_script *script)
{
    char *argv[] = { path, NULL };
    struct fw_session_setup setup = { .argv = argv, .runtime = runtime() };
    struct fw_same same = { is_same, NULL };
    struct fw_error err = { "" };
    struct fw_session *session = fw_session_create(&setup, &err);
    struct fw_anchors *anchors = fw_anchors_create();
    struct fw_turns turns = { 0 };
    char text[64];

    assert_non_null(session);
    for (uint64_t seed = 1;; seed++) {
        struct fw_run_order order = { .strategy = FW_STRATEGY_RANDOM, .seed = seed };

        assert_true(seed < SEEDS);
        assert_int_equal(fw_session_run(session, &order, &wanted, &err), 0);
        assert_true(wanted.controlled);
        if (wanted.end != FW_RUN_EXITED || wanted.code)
            break;
    }
    assert_int_equal(fw_turns_take(&turns, session, &err), 0);
    assert_int_equal(fw_turns_shrink(&turns, session, &same, 300, &err), 0);
    assert_in_range(fw_turns_preemptions(&turns), 1, most);
    if (fw_turns_anchor(&turns, session, anchors, script, &wanted, &err) < 0)
        fail_msg("%s", err.message);
    fw_script_set_shows(script, fw_run_text(&wanted, text));
    fw_script_set_program(script, argv);
    fw_turns_release(&turns);
    fw_anchors_destroy(anchors);
    fw_session_destroy(session);
}

static void reproduces(const struct fw_script *script, char *path)
{
    char *argv[] = { path, NULL };
    struct fw_session_setup setup = { .argv = argv, .runtime = runtime() };
    struct fw_error err = { "" };
    struct fw_run_result result = { 0 };
    struct fw_replayer replay;
    char text[64];

    assert_int_equal(fw_replay_init(&replay, script, &setup, &err), 0);
    assert_int_equal(fw_replay_run(&replay, 0, &result, &err), 0);
    if (!fw_replay_is_shown(&replay, &result))
        assert_int_equal(fw_replay_near(&replay, 200, &err), 1);
    for (unsigned i = 0; i < RUNS; i++) {
        assert_int_equal(fw_replay_run(&replay, 0, &result, &err), 0);
        if (!fw_replay_is_shown(&replay, &result))
            fail_msg("%s: %s in place of %s", path, fw_run_text(&result, text), script->shows);
        assert_int_equal(fw_session_head(replay.session)->diverged, 0);
    }
    fw_replay_release(&replay);
}

static void every_build_understands_every_schedule(void **state)
{
    const struct program *program = *state;
    char path[128], file[128];

    build(program);
    for (size_t from = 0; from < BUILDS; from++) {
        struct fw_script found, script;
        struct fw_error err = { "" };

        snprintf(path, sizeof path, "%s/%zu/t", directory, from);
        snprintf(file, sizeof file, "%s/%zu/t.sched", directory, from);
        find(path, program->preemptions, &found);
        assert_string_equal(found.shows, program->shows);
        assert_int_equal(fw_script_write(&found, file, &err), 0);
        assert_int_equal(fw_script_read(&script, file, &err), 0);
        for (size_t to = 0; to < BUILDS; to++) {
            snprintf(path, sizeof path, "%s/%zu/t", directory, to);
            reproduces(&script, path);
        }
        fw_script_release(&found);
        fw_script_release(&script);
    }
    assert_int_equal(shell("rm -r %s", directory), 0);
}

int main(void)
{
    static struct program lost = { "lost", "c", "cc", "exit 1", 1 },
                          deadlock = { "deadlock", "cc", "c++", "deadlock", 1 },
                          order = { "order", "c", "cc", "signal 6 (Aborted)", 1 },
                          pipe = { "pipe", "c", "cc", "exit 1", 2 };
    const struct CMUnitTest tests[] = {
        { "a lost update", every_build_understands_every_schedule, NULL, NULL, &lost },
        { "a deadlock", every_build_understands_every_schedule, NULL, NULL, &deadlock },
        { "an order violation", every_build_understands_every_schedule, NULL, NULL, &order },
        { "waits in the kernel", every_build_understands_every_schedule, NULL, NULL, &pipe },
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
