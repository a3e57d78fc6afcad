/* loading.c - see loading.h. */
#include "cmd/loading.h"

#include "base/vec.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int fw_cmd_load_trace(struct fw_trace **trace, const char *path,
                      const struct fw_read_options *options, const char *consequence)
{
    struct fw_reader *reader;
    struct fw_error err;
    int status = fw_cmd_open_trace(&reader, path, options);

    if (status)
        return status;
    if (fw_trace_read(trace, reader, &err) < 0)
        status = fw_cmd_fail(FW_EXIT_INPUT, &err);
    else
        fw_cmd_read_warnings(reader, consequence);
    fw_reader_close(reader);
    return status;
}

const char *fw_cmd_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

int fw_cmd_write_result(const struct fw_output *memory, const char *path)
{
    struct fw_output out;
    int status = fw_cmd_output(&out, path);

    if (status)
        return status;
    fw_output_bytes(&out, memory->buffer, memory->used);
    return fw_cmd_output_close(&out, FW_EXIT_OK);
}

int fw_cmd_files(struct fw_words *files, const char *program, const struct fw_words *modules)
{
    struct fw_error err;

    fw_vec_push(files, program);
    for (size_t i = 0; i < modules->len; i++) {
        fw_vec_push(files, modules->at[i]);
        if (access(modules->at[i], R_OK) < 0) {
            fw_error_errno(&err, "--module: cannot read '%s'", modules->at[i]);
            return fw_cmd_fail(FW_EXIT_INPUT, &err);
        }
    }
    return FW_EXIT_OK;
}

int fw_cmd_print(const char *fmt, ...)
{
    struct fw_output out;
    char text[8192];
    va_list args;
    int status = fw_cmd_output(&out, NULL);

    if (status)
        return status;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    fw_output_text(&out, text);
    return fw_cmd_output_close(&out, FW_EXIT_OK);
}
