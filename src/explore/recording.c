/* recording.c - see recording.h. */
#include "explore/recording.h"

#include "record/recorder.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

struct escorted {
    const struct fw_session_setup *session;
    struct fw_escort escort;
    _Atomic int32_t program;
    int output;
    bool failed;
    struct fw_error err;
};

/* The program has started: what goes along with it starts, too. */
static void go_along(void *context, pid_t program)
{
    struct escorted *escorted = context;

    escorted->program = program;
    escorted->failed = fw_escort_start(&escorted->escort, &escorted->session->escort,
                                       &escorted->program, escorted->output, &escorted->err) < 0;
}

static int use_recorded(const struct fw_session_setup *session, struct fw_recording *recording,
                        const struct fw_recorded *recorded, struct fw_error *err)
{
    const struct fw_recorded_trace *trace = &recorded->traces.at[0];
    bool ended = WIFSIGNALED(recorded->status) && WTERMSIG(recorded->status) == SIGTERM &&
                 session->escort.drive;

    if (!trace->connected)
        return fw_error_set(err, "'%s' did not load the runtime: build it with 'foreweave cc'",
                            session->argv[0]);
    if (trace->failed[0])
        return fw_error_set(err, "'%s' is cut: %s", trace->path, trace->failed);
    recording->failed = recorded->status != 0 && !ended;
    return 0;
}

static int record(struct fw_recording *to, const struct fw_recording_setup *setup,
                  struct fw_error *err)
{
    const struct fw_session_setup *session = setup->session;
    struct escorted escorted = { .session = session, .output = open("/dev/null", O_RDWR) };
    struct fw_record_setup recording = {
        .argv = session->argv,
        .path = setup->path,
        .runtime = session->runtime,
        .seed = setup->seed,
        .hide = true,
        .limit = setup->limit > 0 ? setup->limit : session->limit,
        .end_stuck = 1,
        .stop = session->stop,
        .positions = true,
        .repeats = setup->repeats,
        .began = session->escort.drive ? go_along : NULL,
        .context = &escorted,
    };
    double start = fw_session_now();
    struct fw_recorded recorded;
    bool ended;
    int status;

    if (fw_escort_prepare(&session->escort, session->limit, escorted.output, err) < 0) {
        close(escorted.output);
        return -1;
    }
    status = fw_record(&recording, &recorded, err) == FW_RECORD_DONE
                 ? use_recorded(session, to, &recorded, err)
                 : -1;
    if (!status && !to->failed)
        fw_escort_await(&escorted.escort, session->limit, session->stop);
    to->failed |= fw_escort_end(&escorted.escort, &ended) != 0;
    to->seconds = fw_session_now() - start;
    to->late = setup->limit > 0 && to->failed && to->seconds >= setup->limit;
    close(escorted.output);
    if (!status && escorted.failed) {
        *err = escorted.err;
        status = -1;
    }
    fw_recorded_release(&recorded);
    return status;
}

/* The beginning of a long trace stands for itself (fw_trace_builder_finish). */
static int load(struct fw_recording *recording, const struct fw_recording_setup *setup,
                struct fw_error *err)
{
    struct fw_trace_builder *builder;
    struct fw_reader *reader;
    struct fw_batch batch;
    uint64_t events = 0;
    int branches, got;

    if (fw_reader_open(&reader, setup->path, NULL, err) < 0)
        return -1;
    builder = fw_trace_builder_create();
    branches = got = fw_reader_has_branches(reader, err);
    while (got >= 0 && events <= setup->most && (got = fw_reader_next(reader, &batch, err)) > 0) {
        got = fw_trace_builder_add(builder, &batch, reader, err);
        events += batch.count;
    }
    recording->cut = events > setup->most;
    if (got < 0)
        fw_trace_builder_destroy(builder);
    else
        recording->trace = fw_trace_builder_finish(builder, reader, branches, !recording->cut);
    fw_reader_close(reader);
    return got < 0 ? -1 : 0;
}

int fw_recording_make(struct fw_recording *recording, const struct fw_recording_setup *setup,
                      struct fw_error *err)
{
    *recording = (struct fw_recording) { 0 };
    return record(recording, setup, err) < 0 ? -1 : load(recording, setup, err);
}
