/* fwt_reuse.c - see fwt_reuse.h. */
#include "trace/fwt_reuse.h"

enum state {
    ORDINARY,
    EXPECTED, /* shares an older one's name and has had no event yet */
    OVER,     /* a newer one has begun */
};

void fw_fwt_reuse_release(struct fw_fwt_reuse *reuse)
{
    fw_vec_release(&reuse->state);
    fw_vec_release(&reuse->older);
}

void fw_fwt_reuse_note(struct fw_fwt_reuse *reuse, uint32_t variable, uint32_t older)
{
    fw_vec_extend(&reuse->state, (size_t)variable + 1);
    fw_vec_extend(&reuse->older, (size_t)variable + 1);
    reuse->state.at[variable] = EXPECTED;
    reuse->older.at[variable] = older + 1;
}

/* The variable's first event: all before it with its name are over. */
static void begin(struct fw_fwt_reuse *reuse, uint32_t variable)
{
    reuse->state.at[variable] = ORDINARY;
    for (uint32_t next = reuse->older.at[variable]; next; next = reuse->older.at[next - 1]) {
        if (reuse->state.at[next - 1] == OVER)
            break;
        reuse->state.at[next - 1] = OVER;
    }
}

uint32_t fw_fwt_reuse_check(struct fw_fwt_reuse *reuse, const struct fw_event *events,
                            uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t variable = events[i].target;

        if (fw_kind_info[events[i].kind].space != FW_SPACE_VARIABLE || variable >= reuse->state.len)
            continue;
        if (reuse->state.at[variable] == EXPECTED)
            begin(reuse, variable);
        else if (reuse->state.at[variable] == OVER)
            return i;
    }
    return count;
}
