/* control_quick.c - see control_quick.h. */
#include "runtime/control_quick.h"

#include "runtime/sink.h"

/* What asks for more of points than that they are counted. */
#define TOLD                                                                                       \
    (FW_CONTROL_ALL_POINTS | FW_CONTROL_SYNC_ONLY | FW_CONTROL_NAMED_ONLY | FW_CONTROL_TRAIL |     \
     FW_CONTROL_OBSERVE)

const struct fw_thread *fw_control_calm;
static bool may_be; /* somebody */

void fw_quick_start(void)
{
    may_be = fw_control->strategy == FW_STRATEGY_IROOT && fw_control->flags & FW_CONTROL_THIN &&
             !(fw_control->flags & TOLD);
}

void fw_quick_never(void)
{
    may_be = false;
    fw_quick_end();
}

void fw_quick_begin(const struct fw_thread *t)
{
    if (!may_be || fw_sink.on || fw_control_asleep || fw_control_stirred)
        return;
    fw_iroot_alarm();
    __atomic_store_n(&fw_control_calm, t, __ATOMIC_RELAXED); /* as in fw_quick_end */
}
