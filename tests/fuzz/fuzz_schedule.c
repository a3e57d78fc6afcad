/*
 * fuzz_schedule.c - any bytes as a schedule: read, or refused with a reason.
 *
 * What can be read is written and read once more, and must then be written the same.
 */
#include "base/bug.h"
#include "explore/schedule.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct fw_script *script)
{
    FW_ASSERT(script->paths.len >= 1 && script->paths.len <= FW_SCRIPT_PATHS);
    for (size_t i = 1; i < script->paths.len; i++)
        FW_ASSERT(script->paths.at[i].parent < i && script->paths.at[i].ordinal);
    for (size_t i = 0; i < script->steps.len; i++) {
        const struct fw_script_step *step = &script->steps.at[i];

        FW_ASSERT(step->path < script->paths.len && step->file_line);
        FW_ASSERT(step->goal == FW_NO_GOAL || step->goal < FW_CONTROL_GOALS);
        FW_ASSERT(step->end != FW_UNTIL_BEFORE || (step->anchor.operation && step->ordinal));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fw_error err = { { 0 } };
    struct fw_script script, again;
    struct fw_output first, second;

    if (fw_script_read_memory(&script, (const char *)data, size, "fuzz", &err) < 0) {
        FW_ASSERT(err.message[0]);
        return 0;
    }
    check(&script);
    fw_output_open_memory(&first);
    fw_output_open_memory(&second);
    fw_script_print(&script, &first);
    if (fw_script_read_memory(&again, first.buffer, first.used, "again", &err) < 0)
        FW_BUG("what was written is refused: %s", err.message);
    fw_script_print(&again, &second);
    FW_ASSERT(first.used == second.used && memcmp(first.buffer, second.buffer, first.used) == 0);
    fw_output_abandon(&first);
    fw_output_abandon(&second);
    fw_script_release(&again);
    fw_script_release(&script);
    return 0;
}
