/* learning.c - see learning.h. */
#include "cmd/learning.h"

#include "base/alloc.h"
#include "cmd/cmd.h"

#include <stdlib.h>
#include <string.h>

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
