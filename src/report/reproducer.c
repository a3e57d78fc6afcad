/* reproducer.c - see reproducer.h.  In the trace that is written indices are positions. */
#include "report/reproducer.h"

#include "analysis/findings.h"
#include "base/json.h"
#include "trace/writer.h"

#include <stdio.h>
#include <unistd.h>

static int write_trace(const char *path, const struct fw_trace *trace, struct fw_error *err)
{
    struct fw_batch batch = fw_trace_batch(trace);
    struct fw_writer *writer;

    if (fw_writer_open(&writer, path, "fwt", trace->symbols, trace->has_branches, err) < 0)
        return -1;
    if (fw_writer_batch(writer, &batch, err) < 0) {
        fw_writer_abandon(writer);
        return -1;
    }
    return fw_writer_close(writer, err);
}

static void write_finding(struct fw_json *json, const struct fw_rejection *rejection)
{
    fw_json_object(json, NULL);
    fw_json_text(json, "id", "rejected");
    fw_json_text(json, "kind", fw_finding_kind_names[fw_finding_kind_of(rejection->claim)]);
    fw_json_text(json, "guarantee", "sound");
    fw_json_array(json, "events");
    for (uint32_t i = 0; i < rejection->event_count; i++) {
        fw_json_object(json, NULL);
        fw_json_number(json, "index", rejection->events[i]);
        fw_json_end(json);
    }
    fw_json_end(json);
    fw_json_array(json, "witness");
    for (uint32_t i = 0; i < rejection->order_count; i++)
        fw_json_next_number(json, rejection->order[i]);
    fw_json_end(json);
    fw_json_text(json, "detail", rejection->reason);
    fw_json_end(json);
}

static int write_result(const char *path, const struct fw_rejection *rejection,
                        struct fw_error *err)
{
    struct fw_output out;
    struct fw_json json = { .out = &out };

    if (fw_output_open(&out, path, err) < 0)
        return -1;
    fw_json_object(&json, NULL);
    fw_json_number(&json, "schema", 1);
    fw_json_array(&json, "findings");
    write_finding(&json, rejection);
    fw_json_end(&json);
    fw_json_end(&json);
    return fw_output_close(&out, err);
}

int fw_reproducer_write(struct fw_reproducer *files, const struct fw_trace *trace,
                        const struct fw_rejection *rejection, struct fw_error *err)
{
    const char *folder = ".";

    if (access(folder, W_OK) != 0)
        folder = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
    snprintf(files->trace, sizeof files->trace, "%s/foreweave-bug-%d.fwt", folder, (int)getpid());
    snprintf(files->result, sizeof files->result, "%s/foreweave-bug-%d.json", folder,
             (int)getpid());
    if (write_trace(files->trace, trace, err) < 0)
        return -1;
    return write_result(files->result, rejection, err);
}
