/* cmd_version.c - foreweave version: which Foreweave, with which libraries. */
#include "cmd/cmd.h"

#include <cjson/cJSON.h>
#include <zstd.h>

struct version {
    int format;
};

static const struct fw_option options[] = {
    FW_FORMAT_OPTION(struct version, format),
    { 0 },
};

static int run(const void *values, int argc, char **argv)
{
    const struct version *version = values;
    struct fw_output out;
    int status = fw_cmd_output(&out, NULL);

    (void)argc;
    (void)argv;
    if (status)
        return status;
    if (version->format == FW_FORMAT_JSON)
        fw_output_printf(&out,
                         "{\"schema\":1,\"version\":\"%s\",\"zstd\":\"%s\",\"cjson\":\"%s\"}\n",
                         FOREWEAVE_VERSION, ZSTD_versionString(), cJSON_Version());
    else
        fw_output_printf(&out, "foreweave %s\n", FOREWEAVE_VERSION);
    return fw_cmd_output_close(&out, FW_EXIT_OK);
}

static const struct fw_example examples[] = {
    { "foreweave version", "the same as foreweave --version" },
    { "foreweave version --format=json", "for programs, libraries included" },
    { 0 },
};

const struct fw_command fw_cmd_version = {
    .name = "version",
    .summary = "print the version",
    .description = "Prints the version of Foreweave; as JSON also those of its libraries.",
    .options = options,
    .options_size = sizeof(struct version),
    .examples = examples,
    .run = run,
    .rare = true,
};
