/*
 * learn_lifetx.h - foreweave learn --kind=lifetx: records runs of a program, and keeps the
 * cutpoints of those that passed.
 */
#ifndef FW_CMD_LEARN_LIFETX_H
#define FW_CMD_LEARN_LIFETX_H

#include "base/json.h"
#include "base/words.h"
#include "cmd/learn_recorded.h"
#include "lifetx/learn.h"

struct fw_lifetx_wish {
    struct fw_learn_runs *runs;
    const struct fw_words *traces; /* of runs that passed, recorded before; they come first */
    const struct fw_words *checked; /* recordings that are only compared with what is known then */
    uint64_t most, idle; /* runs */
    uint64_t trips; /* lifetx.h */
    bool system_calls;
};

struct fw_lifetx_run {
    const char *trace; /* NULL: it was run here */
    bool passed;
    struct fw_lifetx_news news;
    size_t cuts; /* altogether, afterwards */
};

struct fw_lifetx_taught {
    FW_VEC(struct fw_lifetx_run) runs;
    FW_VEC(struct fw_lifetx_run) checked;
    struct fw_lifetx_stats stats; /* of passing runs that brought nothing new, or of all */
    uint64_t passed;              /* of those that were run here */
};

/* Adds to the constraints.  0, or the exit status after printing an error.  Release it in either
 * case. */
int fw_learn_lifetx(const struct fw_lifetx_wish *wish, struct fw_constraints *constraints,
                    struct fw_lifetx_taught *taught);
void fw_lifetx_taught_release(struct fw_lifetx_taught *taught);

/* The run, from 1, that was the last to bring a cutpoint; 0: none did. */
size_t fw_lifetx_last_news(const struct fw_lifetx_taught *taught);

void fw_lifetx_print_text(const struct fw_lifetx_taught *taught, struct fw_output *out);
/* As members of an object that is open. */
void fw_lifetx_print_json(const struct fw_lifetx_taught *taught, struct fw_json *json);

#endif
