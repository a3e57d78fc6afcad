/*
 * text.c - a letter that is looked at twice, while another thread stores letters there by functions
 * of libc that have no hooks.
 */
#include "kernel.h"

#include <string.h>
#include <wchar.h>

static struct {
    char letter[16];
} shared;
static const char *how;
static int torn, over;

static NOINLINE void look(void)
{
    char first = shared.letter[0];

    for (volatile int i = 0; i < 300; i++)
        ;
    if (shared.letter[0] != first)
        torn++;
}

static void look_again(int rounds)
{
    for (int i = 0; i < rounds; i++)
        look();
    __atomic_store_n(&over, 1, __ATOMIC_SEQ_CST);
}

static NOINLINE void store(const char *letter)
{
    int number;

    if (strcmp(how, "snprintf") == 0)
        snprintf(shared.letter, sizeof shared.letter, "%s", letter);
    else if (strcmp(how, "sprintf") == 0)
        sprintf(shared.letter, "%s", letter);
    else if (strcmp(how, "sscanf") == 0)
        sscanf(letter, "%1s", shared.letter);
    else if (strcmp(how, "several") == 0)
        sscanf(letter, "%c%d", shared.letter, &number);
    else if (strcmp(how, "swprintf") == 0)
        swprintf((wchar_t *)shared.letter, 4, L"%c", *letter);
    else
        strcpy(shared.letter, letter);
}

static void store_again(int rounds)
{
    (void)rounds;
    for (int i = 0; !__atomic_load_n(&over, __ATOMIC_SEQ_CST); i++) {
        store(i & 1 ? "A1" : "B2");
        for (volatile int k = 0; k < 200; k++)
            ;
    }
}

int main(int argc, char **argv)
{
    how = argc > 1 ? argv[1] : "";
    works[0] = look_again;
    works[1] = store_again;
    run_all(argc > 1 ? argc - 1 : argc, argv + (argc > 1), 2, 1000);
    printf("%d\n", torn);
    return verdict(torn == 0);
}
