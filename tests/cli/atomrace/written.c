/*
 * written.c - what functions of libc store for one thread is read by another: written HOW [locked].
 */
#define __STDC_WANT_IEC_60559_BFP_EXT__
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <pthread.h>
#include <printf.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

static union {
    char text[512];
    wchar_t wide[128];
    int number;
    time_t time;
    struct tm date;
    struct timeval when;
    struct timespec moment;
    struct utsname name;
    struct stat file;
    struct rusage usage;
} got;
static const time_t then = 1000000000;
static struct tm date = { .tm_mday = 1 };
static const struct in_addr home = { 1 };
static volatile char seen;

#define HOWS                                                                                       \
    HOW(sprintf, sprintf(got.text, "%d", 1))                                                       \
    HOW(snprintf, snprintf(got.text, 99, "%s", "a"))                                               \
    HOW(swprintf, swprintf(got.wide, 9, L"%d", 1))                                                 \
    HOW(sscanf, sscanf("1 2", "%d", &got.number))                                                  \
    HOW(sscanf_text, sscanf("abc", "%3s", got.text))                                               \
    HOW(strftime, (int)strftime(got.text, 99, "%Y", &date))                                        \
    HOW(gmtime_r, gmtime_r(&then, &got.date) != NULL)                                              \
    HOW(localtime_r, localtime_r(&then, &got.date) != NULL)                                        \
    HOW(ctime_r, ctime_r(&then, got.text) != NULL)                                                 \
    HOW(asctime_r, asctime_r(&date, got.text) != NULL)                                             \
    HOW(inet_ntop, inet_ntop(AF_INET, &home, got.text, 99) != NULL)                                \
    HOW(strfromd, strfromd(got.text, 20, "%f", 1.0))                                               \
    HOW(memfrob, memfrob(got.text, 4) != NULL)                                                     \
    HOW(gettimeofday, gettimeofday(&got.when, NULL))                                               \
    HOW(clock_gettime, clock_gettime(CLOCK_MONOTONIC, &got.moment))                                \
    HOW(time, time(&got.time) != 0)                                                                \
    HOW(uname, uname(&got.name))                                                                   \
    HOW(stat, stat("/", &got.file))                                                                \
    HOW(getrusage, getrusage(RUSAGE_SELF, &got.usage))                                             \
    HOW(getcwd, getcwd(got.text, 512) != NULL)                                                     \
    HOW(readlink, readlink("/proc/self/exe", got.text, 99) > 0)

static int over;
static const char *how;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void no_lock(void) { }
static void take(void) { pthread_mutex_lock(&lock); }
static void give(void) { pthread_mutex_unlock(&lock); }
static void (*begin)(void) = no_lock, (*end)(void) = no_lock;

static void write_once(void)
{
#define HOW(name, call)                                                                            \
    if (strcmp(how, #name) == 0)                                                                   \
        seen = (char)(call);
    HOWS
}

static void *write_again(void *unused)
{
    while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
        begin();
        write_once();
        end();
    }
    return unused;
}

static void *read_again(void *unused)
{
    for (int i = 0; i < 150; i++) {
        begin();
        seen = got.text[0];
        end();
    }
    __atomic_store_n(&over, 1, __ATOMIC_RELAXED);
    return unused;
}

/* A function of the program's own that prints, and waits: what is read behind it is ready. */
static sem_t ready;
static char late[16];

static int print(FILE *stream, const struct printf_info *info, const void *const *arguments)
{
    (void)stream;
    (void)info;
    (void)arguments;
    while (sem_wait(&ready) != 0)
        ;
    return 0;
}

static int has_number(const struct printf_info *info, size_t most, int *types, int *sizes)
{
    (void)info;
    if (most) {
        types[0] = PA_INT;
        sizes[0] = sizeof(int);
    }
    return 1;
}

static void *print_late(void *format)
{
    for (int i = 0; i < 100; i++)
        snprintf(got.text, sizeof got.text, format, 1, late);
    return NULL;
}

static int wait_inside(void)
{
    char format[] = "%o%s"; /* not checked by the compiler */
    pthread_t printer;

    for (int i = 0; i < 100; i++) {
        sem_init(&ready, 0, 0);
        register_printf_specifier('o', print, has_number);
        pthread_create(&printer, NULL, print_late, format);
        for (int k = 0; k < 100; k++) {
            if (k == 0)
                late[0] = (char)('a' + i % 20);
            sem_post(&ready);
        }
        pthread_join(printer, NULL);
    }
    return 0;
}

int main(int argc, char **argv)
{
    pthread_t reader, writer;

    if (argc < 2) {
#undef HOW
#define HOW(name, call) puts(#name);
        HOWS
        return 0;
    }
    if (strcmp(argv[1], "inside") == 0)
        return wait_inside();
    how = argv[1];
    if (argc > 2) {
        begin = take;
        end = give;
    }
    pthread_create(&writer, NULL, write_again, NULL);
    pthread_create(&reader, NULL, read_again, NULL);
    pthread_join(writer, NULL);
    pthread_join(reader, NULL);
    return 0;
}
