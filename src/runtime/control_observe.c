/*
 * control_observe.c - tells the controller what threads did to memory and locks, in the order of
 * the run (FW_CONTROL_OBSERVE).
 *
 * Plain accesses are told when their thread has come past their point, everything else where it
 * would be recorded (sink.c).  Only sites that are known to share memory tell of plain accesses:
 * all others are nobody's business.  When there is no more room the rest is counted.
 */
#include "runtime/control.h"
#include "runtime/wire.h"

bool fw_control_observes;

static void tell(const struct fw_thread *t, uint32_t kind, uint64_t object, uint64_t size,
                 uint32_t site)
{
    struct fw_control_seen *seen =
        (struct fw_control_seen *)((char *)fw_control + fw_control->seen_at);

    if (fw_control->seen_count == fw_control->seen_room) {
        fw_control->seen_lost++;
        return;
    }
    seen[fw_control->seen_count++] = (struct fw_control_seen){
        .object = object,
        .size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX,
        .site = site,
        .thread = t->number,
        .kind = kind,
    };
}

void fw_control_observe_access(const struct fw_thread *t, const struct fw_op *op, uint32_t site)
{
    tell(t, op->writes ? FW_WIRE_WRITE : FW_WIRE_READ, op->object, op->size, site);
}

static bool is_told(enum fw_wire_kind kind)
{
    switch (kind) {
    case FW_WIRE_ATOMIC_LOAD:
    case FW_WIRE_ATOMIC_STORE:
    case FW_WIRE_ATOMIC_RMW:
    case FW_WIRE_ACQUIRE:
    case FW_WIRE_RELEASE:
    case FW_WIRE_TRY_ACQUIRE:
    case FW_WIRE_SHARED_ACQUIRE:
    case FW_WIRE_SHARED_RELEASE:
    case FW_WIRE_TRY_SHARED_ACQUIRE:
    case FW_WIRE_DESTROY:
    case FW_WIRE_FINISH:
    case FW_WIRE_ALLOC:
    case FW_WIRE_MAP:
    case FW_WIRE_UNMAP:
    case FW_WIRE_REQUEST:
    case FW_WIRE_SHARED_REQUEST:
        return true;
    default:
        return false;
    }
}

/* Where the thread is: its latest point, if that is the same call. */
static uint32_t site_of(const struct fw_thread *t, const char *name, uintptr_t pc)
{
    struct fw_op op = { .pc = pc, .name = name };

    if (!pc)
        return FW_CONTROL_NONE;
    return t->plan.pc == pc ? t->plan.site : fw_control_site_of(&op);
}

void fw_control_observe_record(const struct fw_thread *t, unsigned kind, uint64_t object,
                               uint64_t size, uintptr_t pc)
{
    bool of_memory = kind >= FW_WIRE_ALLOC && kind <= FW_WIRE_UNMAP;

    if (is_told(kind))
        tell(t, kind, object, size, of_memory ? FW_CONTROL_NONE : site_of(t, "call", pc));
}

void fw_control_observe_free(const struct fw_thread *t, uint64_t block, uint64_t size, uintptr_t pc)
{
    tell(t, FW_WIRE_FREE, block, size, site_of(t, "free", pc));
}
