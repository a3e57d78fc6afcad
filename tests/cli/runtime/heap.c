/* heap.c - the malloc family, in threads and in a fork child. */
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static int check(const unsigned char *block, size_t bytes, unsigned char value)
{
    for (size_t i = 0; i < bytes; i++)
        if (block[i] != value)
            return 0;
    return 1;
}

static void family(void)
{
    unsigned char *block = malloc(100), *other;
    void *aligned = NULL;

    memset(block, 7, 100);
    other = malloc(16); /* so that growing must move */
    block = realloc(block, 100000);
    printf("%d\n", check(block, 100, 7));
    memset(block, 8, 100000);
    block = realloc(block, 50);
    printf("%d\n", check(block, 50, 8));
    block = reallocarray(block, 3, 40);
    printf("%d\n", check(block, 50, 8));
    free(block);
    free(other);
    block = calloc(25, 40);
    printf("%d\n", check(block, 1000, 0));
    free(block);
    printf("%d %d\n", posix_memalign(&aligned, 256, 100), (int)((uintptr_t)aligned % 256));
    free(aligned);
    printf("%d\n", posix_memalign(&aligned, 3, 100) == EINVAL);
    aligned = aligned_alloc(64, 128);
    printf("%d %d\n", (int)((uintptr_t)aligned % 64), malloc_usable_size(aligned) >= 128);
    free(aligned);
    aligned = memalign(4096, 10);
    printf("%d\n", (int)((uintptr_t)aligned % 4096));
    free(aligned);
    errno = 0;
    block = malloc(SIZE_MAX / 2 - 1);
    printf("%d %d\n", block == NULL, errno == ENOMEM);
    block = reallocarray(NULL, SIZE_MAX / 2, 4);
    printf("%d\n", block == NULL);
    free(NULL);
}

static void growth(void)
{
    char *text = NULL;

    for (size_t i = 1; i < 20000; i++) {
        text = realloc(text, i);
        text[i - 1] = (char)('a' + i % 26);
    }
    printf("%.10s %c\n", text, text[19998]);
    free(text);
}

static void maps(void)
{
    char *map = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    map[8191] = 1;
    map = mremap(map, 8192, 65536, MREMAP_MAYMOVE);
    printf("%d %d\n", map[8191], map[65535]);
    printf("%d\n", munmap(map, 65536));
    printf("%d\n", mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
}

/* Blocks that are mappings of their own go elsewhere: nothing is left where they were. */
static void moving(void)
{
    int sum = 0;

    for (int i = 0; i < 4; i++) {
        char *block = malloc(200000), *other = malloc(200000);

        for (int j = 0; j < 3000; j++) { /* values that come around, so that repeats matter */
            other[j % 1000] = (char)(block[j % 1000] = (char)(sum + j));
            sum = other[j % 1000] & 7;
        }
        block = realloc(block, 50000000);
        other = realloc(other, 50000000);
        sum += block[999] + other[999];
        free(block);
        free(other);
    }
    printf("%d\n", sum);
}

static void *churn(void *context)
{
    char *blocks[16] = { 0 };

    for (int i = 0; i < 2000; i++) {
        char **block = &blocks[i * 7 % 16];

        free(*block);
        *block = malloc((size_t)(i % 300 + 1));
        **block = (char)i;
    }
    for (int i = 0; i < 16; i++)
        free(blocks[i]);
    return context;
}

int main(void)
{
    pthread_t threads[4];
    int status;

    family();
    growth();
    maps();
    moving();
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, churn, NULL);
    fflush(stdout);
    if (fork() == 0) {
        churn(NULL);
        puts("child");
        exit(3);
    }
    wait(&status);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", WEXITSTATUS(status));
    return 0;
}
