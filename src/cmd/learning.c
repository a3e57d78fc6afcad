/* learning.c - see learning.h. */
#include "cmd/learning.h"

#include "base/alloc.h"
#include "cmd/cmd.h"

#include <stdlib.h>
#include <string.h>

#define OTHERS 75u /* percent of the processors: more is worth a warning */

int fw_learning_noise(const char *text, struct fw_guard_wish *wish)
{
    const char *colon = text ? strchr(text, ':') : NULL;
    uint64_t per_mille = 0, micros = 100;
    char *first;
    int bad;

    if (!text)
        return 0;
    first = fw_xstrndup(text, colon ? (size_t)(colon - text) : strlen(text));
    bad = fw_parse_count(first, &per_mille) < 0 || per_mille > 1000 ||
          (colon && fw_parse_count(colon + 1, &micros) < 0) || micros > 100000;
    free(first);
    if (bad)
        return fw_cmd_usage("--noise: as 50 or 50:200, at most 1000:100000, not '%s'", text);
    wish->noise = (uint32_t)per_mille;
    wish->noise_most = micros * 1000u;
    return 0;
}

void fw_learning_tell_others(const struct fw_machine_use *before)
{
    struct fw_machine_use after;
    unsigned others;

    fw_machine_look(&after);
    others = fw_machine_others(before, &after);
    if (others >= OTHERS)
        fw_cmd_warning("others had %u%% of the processors while the program ran: threads that lack "
                       "one come by interleavings that are rare otherwise, and what went well is "
                       "allowed now; rather learn --anew when the machine has time",
                       others);
}
