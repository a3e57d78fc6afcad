/* machine.c - see machine.h. */
#include "learn/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/times.h>

/* user nice system idle iowait irq softirq steal; what is behind is counted there already. */
#define FIELDS 8u
#define IDLE   3u
#define WAITS  4u /* for a disk */

bool fw_machine_parse(const char *line, struct fw_machine_use *use)
{
    uint64_t all = 0, busy = 0;
    char *end;

    if (strncmp(line, "cpu ", 4) != 0)
        return false;
    line += 4;
    for (unsigned i = 0; i < FIELDS; i++, line = end) {
        uint64_t ticks = strtoull(line, &end, 10);

        if (end == line)
            return false;
        all += ticks;
        busy += i == IDLE || i == WAITS ? 0 : ticks;
    }
    use->all = all;
    use->busy = busy;
    return true;
}

void fw_machine_look(struct fw_machine_use *use)
{
    FILE *in = fopen("/proc/stat", "re");
    char line[512];
    struct tms own;

    *use = (struct fw_machine_use) { 0 };
    if (in && fgets(line, sizeof line, in) && fw_machine_parse(line, use) && times(&own) >= 0)
        use->own = (uint64_t)(own.tms_utime + own.tms_stime + own.tms_cutime + own.tms_cstime);
    if (in)
        fclose(in);
}

unsigned fw_machine_others(const struct fw_machine_use *before, const struct fw_machine_use *after)
{
    uint64_t all = after->all - before->all, own = after->own - before->own;
    uint64_t busy = after->busy - before->busy;

    if (!before->all || after->all <= before->all || after->busy < before->busy || busy <= own)
        return 0;
    return busy - own >= all ? 100 : (unsigned)((busy - own) * 100 / all);
}
