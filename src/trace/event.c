/* event.c - the tables generated from the list of kinds. */
#include "trace/event.h"

const struct fw_kind_info fw_kind_info[FW_RAW_KIND_COUNT] = {
#define X(name, std, tid, space, classes) [FW_##name] = { std, tid, FW_SPACE_##space, classes },
    FW_EVENT_KINDS(X)
#undef X
        [FW_RAW_WAIT] = { "wait", "wait", FW_SPACE_LOCK, 0 },
    [FW_RAW_BROKEN] = { "broken", "broken", FW_SPACE_NONE, 0 },
};

const char *const fw_order_names[FW_ORDER_COUNT] = {
    [FW_ORDER_SEQ_CST] = "seq_cst", [FW_ORDER_RELAXED] = "rlx", [FW_ORDER_CONSUME] = "con",
    [FW_ORDER_ACQUIRE] = "acq",     [FW_ORDER_RELEASE] = "rel", [FW_ORDER_ACQ_REL] = "acq_rel",
};
