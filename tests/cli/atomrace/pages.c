/*
 * pages.c - threads that are kept from a page by its protection, or by who serves its faults.
 *   snapshot  main protects the page and reads it; who writes waits in a handler
 *   late      main reads it again when it is not protected any more: a race
 *   served    main reads the page while who writes waits for main to let it (userfaultfd)
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096

static long *page;
static atomic_int frozen, written;

static void check(int good)
{
    if (!good)
        abort();
}

static void wait_for_the_snapshot(int number)
{
    (void)number;
    while (frozen)
        usleep(10);
}

static void *write_much(void *unused)
{
    for (int i = 0; i < 100; i++)
        page[i & 1] = i;
    written = 1;
    return unused;
}

static void snapshots(int late)
{
    struct sigaction action = { .sa_handler = wait_for_the_snapshot, .sa_flags = SA_NODEFER };
    long first;
    pthread_t thread;

    sigaction(SIGSEGV, &action, NULL);
    pthread_create(&thread, NULL, write_much, NULL);
    while (!written) {
        frozen = 1;
        mprotect(page, PAGE, PROT_READ);
        first = page[0] + page[1];
        check(page[0] + page[1] == first);
        mprotect(page, PAGE, PROT_READ | PROT_WRITE);
        frozen = 0;
        sched_yield();
        if (late)
            first += page[0];
    }
    pthread_join(thread, NULL);
}

/* 2: it cannot be had here. */
static void served(void)
{
    int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | 1 /* UFFD_USER_MODE_ONLY */);
    struct uffdio_api api = { .api = UFFD_API };
    struct uffdio_register whole = { .range = { (unsigned long)page, PAGE },
                                     .mode = UFFDIO_REGISTER_MODE_WP };
    struct uffdio_writeprotect protect = { .range = whole.range,
                                           .mode = UFFDIO_WRITEPROTECT_MODE_WP };
    pthread_t thread;

    if (fd < 0 || ioctl(fd, UFFDIO_API, &api) != 0)
        exit(2);
    page[0] = 1;
    check(ioctl(fd, UFFDIO_REGISTER, &whole) == 0);
    check(ioctl(fd, UFFDIO_WRITEPROTECT, &protect) == 0);
    pthread_create(&thread, NULL, write_much, NULL);
    for (int i = 0; i < 50; i++)
        check(page[0] == 1);
    protect.mode = 0;
    check(ioctl(fd, UFFDIO_WRITEPROTECT, &protect) == 0);
    pthread_join(thread, NULL);
}

int main(int count, char **words)
{
    const char *how = count > 1 ? words[1] : "";

    page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    check(page != MAP_FAILED);
    if (strcmp(how, "served") == 0)
        served();
    else
        snapshots(strcmp(how, "late") == 0);
    puts("done");
    return 0;
}
