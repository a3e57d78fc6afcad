/* sited.c - see sited.h. */
#include "support/sited.h"

#include "support/property.h"
#include "support/random.h"

#include "base/output.h"

#include <string.h>

#define THREADS 6u
#define LOCKS   4u

/* One for each thread and what it does, as in a loop. */
static unsigned site_of_loop(const char *line, size_t len)
{
    unsigned hash = 0;

    for (size_t i = 0; i < len && (line[i] != '|' || line[i + 1] != '|'); i++)
        hash = hash * 31 + (unsigned char)line[i];
    return hash % 97;
}

/* The line, THREAD|OP|SITE|ATTRIBUTES, with another site. */
static void put_line(struct fw_output *out, const char *line, size_t len, unsigned site)
{
    const char *end = line + len, *op = memchr(line, '|', len);
    const char *old = op ? memchr(op + 1, '|', (size_t)(end - op - 1)) : NULL;
    const char *attributes = old ? memchr(old + 1, '|', (size_t)(end - old - 1)) : NULL;

    fw_output_bytes(out, line, (size_t)((old ? old : end) - line));
    if (op && line[0] != '#')
        fw_output_printf(out, "|s%u", site);
    if (attributes)
        fw_output_bytes(out, attributes, (size_t)(end - attributes));
    fw_output_text(out, "\n");
}

static void lose_sites(struct fw_trace *trace, struct fw_random *random)
{
    trace->lacks_repeats = true;
    for (uint32_t i = 0; i < trace->count; i++)
        if (trace->events[i].kind == FW_WRITE && fw_random_percent(random, 40))
            trace->events[i].site = 0;
}

struct fw_trace *fw_load_sited(const char *text, size_t size, uint64_t seed, char *why,
                               size_t why_size)
{
    struct fw_random random;
    struct fw_trace *trace;
    struct fw_output out;
    unsigned lines = 0, sites, threads;
    bool loops;

    fw_random_init(&random, seed ^ UINT64_C(0x7369746564));
    loops = fw_random_percent(&random, 30);
    sites = fw_random_percent(&random, 60) ? UINT32_MAX : 2 + fw_random_below(&random, 8);
    threads = fw_random_percent(&random, 50) ? THREADS : 0;
    fw_output_open_memory(&out);
    for (const char *end = text + size; text < end;) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        size_t len = (size_t)((stop ? stop : end) - text);

        put_line(&out, text, len, loops ? site_of_loop(text, len) : lines % sites);
        lines++;
        text += len + 1;
    }
    for (unsigned thread = 0; thread < threads; thread++)
        for (unsigned i = 0; i < 2; i++)
            fw_output_printf(&out, "T%u|%s(%c)|s%u\n", thread,
                             fw_random_percent(&random, 70) ? "req" : "rreq",
                             'L' + (int)fw_random_below(&random, LOCKS), lines++ % sites);
    trace = fw_load_text(out.buffer, out.used, "sited.std", true, why, why_size);
    fw_output_abandon(&out);
    if (trace && fw_random_percent(&random, 30))
        lose_sites(trace, &random);
    return trace;
}
