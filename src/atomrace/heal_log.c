/*
 * heal_log.c - see heal_log.h.
 */
#include "atomrace/heal_log.h"

#include <string.h>

struct fw_heal_wire *fw_heal_wire;
__thread struct fw_heal_counts *fw_heal_counts;

struct fw_heal_counts *fw_heal_counts_new(void)
{
    uint32_t set = atomic_fetch_add(&fw_heal_wire->sets, 1) + 1;

    return set < FW_HEAL_SETS ? &fw_heal_wire->counts[set] : NULL;
}

void fw_heal_log(const struct fw_heal_entry *entry)
{
    uint64_t number = atomic_fetch_add(&fw_heal_wire->logged, 1);
    struct fw_heal_entry *to = &fw_heal_wire->log[number % FW_HEAL_LOG];

    /* Who reads it takes it for unfinished meanwhile. */
    atomic_store(&to->turn, 0);
    memcpy((char *)to + sizeof to->turn, (const char *)entry + sizeof entry->turn,
           sizeof *entry - sizeof entry->turn);
    to->process = (int32_t)fw_call(SYS_getpid, 0, 0, 0, 0);
    /* release: the command reads it after its turn */
    atomic_store_explicit(&to->turn, number + 1, memory_order_release);
}
