/* text.c - every memory and string function once; the output must not depend on who watches. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>

static char shared[256];

static int by_value(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void memory(void)
{
    char a[64] = "abcdefghijklmnopqrstuvwxyz", b[64];

    memcpy(b, a, 27);
    printf("%s\n", b);
    memmove(b + 2, b, 20);
    printf("%.26s\n", b);
    printf("%d\n", (int)((char *)mempcpy(b, "xyz", 4) - b));
    memset(b, '.', 10);
    b[10] = 0;
    printf("%s %d %d\n", b, memcmp("abc", "abd", 3) < 0, memcmp("abc", "abc", 3));
    printf("%s %s\n", (char *)memchr(a, 'k', 26), (char *)memrchr(a, 'x', 26));
    printf("%p %s\n", memchr(a, '#', 26), (char *)memmem(a, 26, "mno", 3));
    printf("%d\n", (int)((char *)memccpy(b, a, 'd', 26) - b));
    bzero(b, 4);
    bcopy(a, b, 3);
    printf("%s %d\n", b, bcmp(a, b, 3));
}

static void strings(void)
{
    char a[64] = "hello", b[64], *save, *rest, list[] = "one,two;;three", more[] = "a:b::c";

    strcpy(b, a);
    strcat(b, " world");
    strncat(b, "!!!", 1);
    printf("%s %zu %zu\n", b, strlen(b), strnlen(b, 3));
    strncpy(a, "xy", 6);
    printf("%s %d\n", a, a[5]);
    printf("%d %d\n", (int)(stpcpy(a, "four") - a), (int)(stpncpy(a, "five", 9) - a));
    printf("%d %d %d\n", strcmp("a", "b") < 0, strncmp("abc", "abd", 2), strcasecmp("ABC", "abc"));
    printf("%d %s %s\n", strncasecmp("ABx", "aby", 2), strchr(b, 'w'), strrchr(b, 'l'));
    printf("%s %s %s\n", strstr(b, "lo"), strcasestr(b, "WOR"), strpbrk(b, "xyzw"));
    printf("%zu %zu %s\n", strspn(b, "hel"), strcspn(b, "wr"), strchrnul(b, 'd'));
    for (char *word = strtok_r(list, ",;", &save); word; word = strtok_r(NULL, ",;", &save))
        printf("<%s>", word);
    for (char *word = strtok(more, ":"); word; word = strtok(NULL, ":"))
        printf("(%s)", word);
    rest = strdup("x=y=z");
    save = rest;
    printf("[%s]", strsep(&rest, "="));
    printf("[%s]\n", rest);
    free(save);
    save = strndup("abcdef", 3);
    printf("%s\n", save);
    free(save);
}

static void numbers(void)
{
    int values[] = { 5, 3, 9, 1, 7, 2 }, key = 7;
    char text[32], *end, *made;

    printf("%ld ", strtol(" 42abc", &end, 10));
    printf("%s\n", end);
    printf("%lu %lld %g\n", strtoul("ff", NULL, 16), strtoll("-9", NULL, 0), strtod("2.5e1", NULL));
    printf("%d %ld %g\n", atoi("17 x"), atol("-3"), atof("0.5"));
    printf("%d ", snprintf(text, 8, "%d-%s", 12345, "abcdef"));
    puts(text);
    printf("%d ", sprintf(text, "%05.1f", 3.14159));
    puts(text);
    printf("%d ", asprintf(&made, "%s/%d", "dir", 7));
    printf("%s\n", made);
    free(made);
    qsort(values, 6, sizeof *values, by_value);
    for (int i = 0; i < 6; i++)
        printf("%d ", values[i]);
    printf("%d\n", *(int *)bsearch(&key, values, 6, sizeof *values, by_value));
}

static void wide(void)
{
    wchar_t a[16], b[16];

    wcscpy(a, L"wide");
    wcscat(a, L"r");
    wcsncpy(b, a, 16);
    printf("%zu %d %d\n", wcslen(a), wcscmp(a, b), (int)(wcschr(a, L'd') - a));
    wmemset(b, L'z', 3);
    printf("%d %d\n", wmemcmp(a, b, 3) < 0, wcsncmp(a, L"wi", 2));
}

static void *work(void *seed)
{
    for (int i = 0; i < 50; i++) {
        snprintf(shared, sizeof shared, "%d", i + *(int *)seed);
        strlen(shared);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    int seeds[3] = { 1, 2, 3 };

    memory();
    strings();
    numbers();
    wide();
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, &seeds[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    puts("done");
    return 0;
}
