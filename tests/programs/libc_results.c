/*
 * libc_results: results that libc stores say that data is ready before it is.
 *
 * expect: race A B
 */
#include "program.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <math.h>
#include <regex.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <wchar.h>

/* Ways to say that something is ready, all through memory that libc's functions write. */
static int scanned, exponent, waiting;
static struct in_addr address;
static sigset_t signals;
static struct sigaction old;
static wchar_t wide[4];
static char swapped[2], message[64], path[64];
static unsigned seed = 1;
static struct rlimit limit;
static regmatch_t match;
static pthread_attr_t attributes;

static void scan(void)
{
    if (sscanf("12 words", "%d", &scanned) != 1)
        abort();
}

static int has_scanned(void)
{
    return scanned == 12;
}

static void split(void)
{
    frexp(8.0, &exponent);
}

static int has_split(void)
{
    return exponent == 4;
}

static void look_at_pipe(void)
{
    int ends[2];

    if (pipe(ends) != 0 || write(ends[1], "a", 1) != 1 || ioctl(ends[0], FIONREAD, &waiting) != 0)
        abort();
    close(ends[0]);
    close(ends[1]);
}

static int has_looked(void)
{
    return waiting == 1;
}

static void parse_address(void)
{
    inet_pton(AF_INET, "127.0.0.1", &address);
}

static int has_address(void)
{
    return address.s_addr != 0;
}

static void add_signal(void)
{
    sigaddset(&signals, SIGUSR1);
}

static int has_signal(void)
{
    return sigismember(&signals, SIGUSR1);
}

static void get_action(void)
{
    signal(SIGUSR2, SIG_IGN);
    sigaction(SIGUSR2, NULL, &old);
}

static int has_action(void)
{
    return old.sa_handler == SIG_IGN;
}

static void widen(void)
{
    mbstowcs(wide, "abc", 4);
}

static int has_widened(void)
{
    return wide[2] == L'c';
}

static void swap(void)
{
    swab("ab", swapped, 2);
}

static int has_swapped(void)
{
    return swapped[0] == 'b';
}

static void describe(void)
{
    confstr(_CS_PATH, path, sizeof path);
}

static int has_described(void)
{
    return path[0] == '/';
}

static void explain(void)
{
    snprintf(message, sizeof message, "%s", "explained");
}

static int has_explained(void)
{
    return message[0] == 'e';
}

static void draw(void)
{
    rand_r(&seed);
}

static int has_drawn(void)
{
    return seed != 1;
}

static void ask_limit(void)
{
    getrlimit(RLIMIT_NOFILE, &limit);
}

static int has_limit(void)
{
    return limit.rlim_max != 0;
}

static void find(void)
{
    regex_t pattern;

    if (regcomp(&pattern, "b+", REG_EXTENDED) != 0 || regexec(&pattern, "abb", 1, &match, 0) != 0)
        abort();
    regfree(&pattern);
}

static int has_found(void)
{
    return match.rm_eo == 3;
}

static void set_size(void)
{
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 1 << 20);
}

static int has_size(void)
{
    size_t bytes = 0;

    pthread_attr_getstacksize(&attributes, &bytes);
    return bytes == 1 << 20;
}

static struct {
    void (*set)(void);
    int (*is_set)(void);
    int data;
} ways[] = {
    { scan, has_scanned, 0 },        { split, has_split, 0 },
    { look_at_pipe, has_looked, 0 }, { parse_address, has_address, 0 },
    { add_signal, has_signal, 0 },   { get_action, has_action, 0 },
    { widen, has_widened, 0 },       { swap, has_swapped, 0 },
    { describe, has_described, 0 },  { explain, has_explained, 0 },
    { draw, has_drawn, 0 },          { ask_limit, has_limit, 0 },
    { find, has_found, 0 },          { set_size, has_size, 0 },
};
enum { WAYS = sizeof ways / sizeof ways[0] };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *publish(void *unused)
{
    for (int i = 0; i < WAYS; i++) {
        pthread_mutex_lock(&mutex);
        ways[i].set();
        pthread_mutex_unlock(&mutex);
        ways[i].data = 1; /* @A */
    }
    return unused;
}

static void *consume(void *unused)
{
    for (int i = 0; i < WAYS; i++) {
        for (int ready = 0; !ready; sched_yield()) {
            pthread_mutex_lock(&mutex);
            ready = ways[i].is_set();
            pthread_mutex_unlock(&mutex);
        }
        ways[i].data += 2; /* @B */
    }
    return unused;
}

int main(void)
{
    run2(publish, consume);
    printf("%d\n", ways[0].data > 0);
    return 0;
}
