/*
 * heal_report.c - see heal_report.h.
 */
#include "cmd/heal_report.h"

#include "cmd/cmd.h"

#include <inttypes.h>
#include <stdio.h>

void fw_heal_tell_refused(const struct fw_sections *sections, char *const *reasons)
{
    for (size_t i = 0; i < sections->at.len; i++)
        if (reasons[i])
            fw_cmd_warning("section '%s' is not locked: it %s", sections->at.at[i].name,
                           reasons[i]);
}

static uint64_t count_of(const struct fw_heal_wire *wire, enum fw_heal_count what)
{
    uint64_t all = 0;

    for (unsigned i = 0; i < FW_HEAL_SETS; i++)
        all += atomic_load(&((struct fw_heal_wire *)(uintptr_t)wire)->counts[i].at[what]);
    return all;
}

static uint64_t violations(const struct fw_regions_file *regions)
{
    uint64_t all = 0;

    for (uint32_t i = 0; i < regions->head->end_count; i++)
        all += atomic_load(&fw_regions_file_ends(regions)[i].violated);
    return all;
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* What went otherwise than it should, if anything did. */
static void tell_trouble(const struct fw_heal_wire *wire)
{
    static const struct {
        enum fw_heal_count what;
        const char *says;
    } rows[] = {
        { FW_HEAL_LATE, "locks taken from threads that others had waited for too long (--wait)" },
        { FW_HEAL_CIRCLES, "locks released because threads would have waited in a circle" },
        { FW_HEAL_LET_GO, "sections let go because their thread was about to synchronise" },
        { FW_HEAL_LONG, "sections let go because they went on for too long" },
        { FW_HEAL_NO_ROOM, "sections and accesses not healed: too many words or threads" },
        { FW_HEAL_FORBIDDEN, "processes that may not raise priorities here" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t count = count_of(wire, rows[i].what);

        if (count)
            fw_cmd_error("%s: %" PRIu64, rows[i].says, count);
    }
    if (wire->off == FW_HEAL_OFF_BUDGET)
        fw_cmd_error("healing has switched itself off: threads waited for more than %" PRIu32
                     "%% of their time (--budget)",
                     wire->budget);
    if (wire->off == FW_HEAL_OFF_ASKED)
        fw_cmd_error("healing was switched off");
}

/* May sections that were to be locked have been violated all the same? */
static bool has_let_in(const struct fw_heal_wire *wire)
{
    return wire->off || count_of(wire, FW_HEAL_LATE) || count_of(wire, FW_HEAL_CIRCLES) ||
           count_of(wire, FW_HEAL_LET_GO) || count_of(wire, FW_HEAL_LONG) ||
           count_of(wire, FW_HEAL_NO_ROOM);
}

/* Violations are looked for where noise is made, of sections that are locked. */
static void tell_locks(const struct fw_heal_wire *wire, uint64_t violated, unsigned refused)
{
    uint64_t entered = count_of(wire, FW_HEAL_ENTERED), waited = count_of(wire, FW_HEAL_WAITED);
    double ms = (double)count_of(wire, FW_HEAL_NS) / 1e6;
    char text[64] = "";

    if (wire->watch && refused)
        fw_cmd_error("violations of the %u section%s not locked are not counted", refused,
                     refused == 1 ? " that is" : "s that are");
    if (wire->watch)
        snprintf(text, sizeof text, ", %" PRIu64 " seen violated", violated);
    else if (has_let_in(wire))
        snprintf(text, sizeof text, " (violations are looked for with --noise only)");
    fw_cmd_error("healing by locks: %" PRIu64 " section%s entered%s; %" PRIu64
                 " access%s waited, %.1f ms altogether",
                 entered, plural(entered), text, waited, waited == 1 ? "" : "es", ms);
}

void fw_heal_tell_counts(const struct fw_heal_wire *wire, const struct fw_regions_file *regions,
                         unsigned refused)
{
    uint64_t entered = count_of(wire, FW_HEAL_ENTERED), met = count_of(wire, FW_HEAL_MET);
    uint64_t violated = violations(regions);

    tell_trouble(wire);
    switch (wire->how) {
    case FW_HEAL_DRY:
        fw_cmd_error("dry run: %" PRIu64 " section%s entered, %" PRIu64 " seen violated; %" PRIu64
                     " access%s would have been kept out ('--how=lock')",
                     entered, plural(entered), violated, met, met == 1 ? "" : "es");
        break;
    case FW_HEAL_LOCK:
        tell_locks(wire, violated, refused);
        break;
    default:
        fw_cmd_error("healing by scheduling: %" PRIu64 " section%s entered, %" PRIu64
                     " seen violated; %" PRIu64 " access%s met one, %" PRIu64 " yields, %" PRIu64
                     " sleeps, %" PRIu64 " priorities raised",
                     entered, plural(entered), violated, met, met == 1 ? "" : "es",
                     count_of(wire, FW_HEAL_YIELDED), count_of(wire, FW_HEAL_SLEPT),
                     count_of(wire, FW_HEAL_RAISED));
    }
}
