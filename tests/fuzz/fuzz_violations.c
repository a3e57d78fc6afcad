/*
 * fuzz_violations.c - any bytes as a log of violations: accepted, or refused with a reason.
 *
 * They stand behind a head that is right, unless the size is odd.  What was accepted are
 * constraints as any: written and read once more, they are written the same, and so they are if
 * the log is accepted twice.
 */
#include "base/bug.h"
#include "learn/violations.h"

#include <stdlib.h>
#include <string.h>

#define HEAD "{\"foreweave\":\"violations\",\"version\":1}\n"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_same(const struct fw_output *first, const struct fw_constraints *again)
{
    struct fw_output second;

    fw_output_open_memory(&second);
    fw_constraints_print(again, &second);
    FW_ASSERT(first->used == second.used &&
              memcmp(first->buffer, second.buffer, second.used) == 0);
    fw_output_abandon(&second);
}

static void accept(struct fw_constraints *constraints, const char *log, size_t bytes)
{
    struct fw_error err = { { 0 } };
    struct fw_constraints *again;
    struct fw_accepted transactions;
    struct fw_output text;

    if (fw_violations_accept_memory(constraints, log, bytes, "fuzz", &transactions, &err) < 0) {
        FW_ASSERT(err.message[0]);
        return;
    }
    fw_output_open_memory(&text);
    fw_constraints_print(constraints, &text);
    again = fw_constraints_read_memory(text.buffer, text.used, "again", &err);
    if (!again)
        FW_BUG("what was accepted is refused: %s", err.message);
    check_same(&text, again);
    FW_ASSERT(fw_violations_accept_memory(constraints, log, bytes, "fuzz", &transactions, &err) ==
              0);
    check_same(&text, constraints);
    fw_output_abandon(&text);
    fw_constraints_destroy(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fw_constraints *constraints = fw_constraints_create();
    size_t head = size % 2 ? 0 : sizeof HEAD - 1;
    char *log = malloc(head + size + 1);

    FW_ASSERT(log);
    memcpy(log, HEAD, head);
    memcpy(log + head, data, size);
    accept(constraints, log, head + size);
    fw_constraints_destroy(constraints);
    free(log);
    return 0;
}
