/*
 * test_rerun.c - which stretches of code can be run again: what is done between two places must be
 * known to leave nothing behind that cannot be undone, on all ways.
 *
 * Each case is a function in assembly; what is expected is a letter for each place, in order of
 * addresses: B begins and g goes on at a hook, L begins and l goes on at a lock; a * before all if
 * the frame must not be restored.
 */
#include "symbol/rerun.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define READ   "call *__tsan_read4@GOTPCREL(%rip)\n"
#define WRITE  "call *__tsan_write4@GOTPCREL(%rip)\n"
#define WRITE8 "call *__tsan_write8@GOTPCREL(%rip)\n"
#define RANGE  "call *__tsan_write_range@GOTPCREL(%rip)\n"
#define LOCK   "call *pthread_mutex_lock@GOTPCREL(%rip)\n"
#define UNLOCK "call *pthread_mutex_unlock@GOTPCREL(%rip)\n"
#define TELL   "call *__sanitizer_cov_trace_pc@GOTPCREL(%rip)\n"
#define OTHER  "call *getpid@GOTPCREL(%rip)\n"
#define ENTER  "push %rbx\nsub $32, %rsp\n"
#define LEAVE  "add $32, %rsp\npop %rbx\nret\n"

static const struct {
    const char *name, *code, *places;
} cases[] = {
    { "accesses", ENTER READ "mov (%rbx), %eax\n" WRITE "mov %eax, (%rbx)\n" TELL READ LEAVE,
      "Bgg" },
    { "one", ENTER READ LEAVE, "B" },
    { "lock", ENTER LOCK READ UNLOCK LOCK READ LEAVE, "LgLg" },
    { "locks", ENTER LOCK LOCK READ LEAVE, "Llg" },
    { "call", ENTER READ OTHER READ READ LEAVE, "BBg" },
    { "indirect_call", ENTER READ "call *%rax\n" READ LEAVE, "BB" },
    { "bare_store", ENTER READ "mov %eax, (%rbx)\n" READ LEAVE, "BB" },
    { "long_store", ENTER WRITE "mov %rax, (%rbx)\n" READ LEAVE, "BB" },
    { "two_stores", ENTER WRITE "mov %eax, (%rbx)\nmov %eax, 4(%rbx)\n" READ LEAVE, "BB" },
    { "two_halves", ENTER WRITE8 "mov %eax, (%rbx)\nmov %eax, 4(%rbx)\n" READ LEAVE, "Bg" },
    { "store_behind_read", ENTER WRITE READ "mov %eax, (%rbx)\n" READ LEAVE, "BgB" },
    { "read_modify_write", ENTER WRITE "addl $1, (%rbx)\n" READ LEAVE, "Bg" },
    { "range", ENTER RANGE "mov %eax, (%rbx)\n" READ LEAVE, "BB" },
    { "string", ENTER RANGE "rep stosb\n" READ LEAVE, "BB" },
    { "copy", ENTER RANGE "movsq\n" READ LEAVE, "BB" },
    { "atomic", ENTER WRITE "lock addl $1, (%rbx)\n" READ LEAVE, "BB" },
    { "exchange", ENTER WRITE "xchg %eax, (%rbx)\n" READ LEAVE, "BB" },
    { "syscall", ENTER READ "syscall\n" READ LEAVE, "BB" },
    { "rounding", ENTER READ "ldmxcsr 8(%rsp)\n" READ LEAVE, "BB" },
    { "thread_local", ENTER READ "mov %eax, %fs:8\n" READ LEAVE, "BB" },
    { "vector", ENTER READ "movaps %xmm0, (%rbx)\n" READ LEAVE, "BB" },
    { "local", ENTER READ "mov %rax, 8(%rsp)\nmovaps %xmm0, 16(%rsp)\n" READ LEAVE, "Bg" },
    { "return_address", ENTER READ "mov %rax, 40(%rsp)\n" READ LEAVE, "BB" },
    { "argument", ENTER READ "mov %rax, 48(%rsp)\n" READ LEAVE, "BB" },
    { "below", ENTER READ "mov %rax, -8(%rsp)\n" READ LEAVE, "BB" },
    { "indexed", ENTER READ "mov %rax, 8(%rsp,%rdi,8)\n" READ READ LEAVE, "BBg" },
    { "indexed_argument", ENTER READ "mov %rax, 48(%rsp,%rdi,8)\n" READ LEAVE, "BB" },
    { "indexed_load", ENTER READ "mov 48(%rsp,%rdi,8), %rax\n" READ LEAVE, "Bg" },
    { "indexed_covered", ENTER WRITE8 "mov %rax, (%rbx,%rdi,8)\n" READ LEAVE, "Bg" },
    { "compare", ENTER READ "cmpl $0, (%rbx)\ntestl $1, (%rbx)\ndivl (%rbx)\n" READ LEAVE, "Bg" },
    { "exposed", ENTER "lea 8(%rsp), %rdi\n" READ READ LEAVE, "*Bg" },
    { "exposed_later", ENTER READ READ "lea 8(%rsp), %rdi\n" OTHER LEAVE, "*Bg" },
    { "exposed_copy", ENTER "mov %rsp, %rdi\n" READ READ LEAVE, "*Bg" },
    { "exposed_lock", ENTER "mov %rsp, %rdi\n" OTHER LOCK READ WRITE "mov %eax, (%rbx)\n" UNLOCK
                      LEAVE, "*Lgg" },
    { "exposed_store", ENTER "mov %rsp, %rdi\n" READ "mov %rax, 8(%rsp)\n" READ READ LEAVE,
      "*BBg" },
    { "exposed_push", ENTER "mov %rsp, %rdi\n" READ "push %rax\n" READ "pop %rax\n" READ LEAVE,
      "*BBB" },
    { "exposed_move", ENTER "mov %rsp, %rdi\n" READ "sub $16, %rsp\n" READ "add $16, %rsp\n" READ
                      LEAVE, "*BBB" },
    { "exposed_in_rbp", "push %rbp\nsub $32, %rsp\nmov %rsp, %rbp\n" READ READ
                        "mov %rax, 8(%rbp)\n" READ "add $32, %rsp\npop %rbp\nret\n", "*BgB" },
    { "exposed_in_memory", ENTER WRITE8 "mov %rsp, (%rbx)\n" READ READ LEAVE, "" },
    { "compared", ENTER READ "cmp %rax, %rsp\n" READ LEAVE, "" },
    { "alloca", ENTER READ "sub %rax, %rsp\n" READ LEAVE, "" },
    { "aligned", ENTER "and $-32, %rsp\n" READ READ LEAVE, "" },
    { "large", "sub $4096, %rsp\n" READ READ "add $4096, %rsp\nret\n", "" },
    { "frame", "push %rbp\nmov %rsp, %rbp\nsub $32, %rsp\n" READ "mov %rax, -8(%rbp)\n" READ
               "leave\nret\n", "Bg" },
    { "frame_argument", "push %rbp\nmov %rsp, %rbp\nsub $32, %rsp\n" READ
                        "mov %rax, 16(%rbp)\n" READ "leave\nret\n", "BB" },
    { "frame_indexed", "push %rbp\nmov %rsp, %rbp\nsub $32, %rsp\n" READ
                       "mov %rax, -24(%rbp,%rdi,8)\n" READ "leave\nret\n", "BB" },
    { "frame_below", "push %rbp\nmov %rsp, %rbp\nsub $32, %rsp\n" READ
                     "mov %rax, -40(%rbp)\n" READ "leave\nret\n", "BB" },
    { "frame_lowest", "push %rbp\nmov %rsp, %rbp\nsub $32, %rsp\n" READ
                      "mov %rax, -32(%rbp)\n" READ "leave\nret\n", "Bg" },
    { "frame_exposed", "push %rbp\nmov %rsp, %rbp\nsub $32, %rsp\nlea -8(%rbp), %rdi\n" READ READ
                       "mov %rax, -8(%rbp)\n" READ "leave\nret\n", "*BgB" },
    { "frame_changed", "push %rbp\nmov %rsp, %rbp\nsub $32, %rsp\n" READ READ "add $8, %rbp\n" READ
                       "leave\nret\n", "" },
    { "frame_stored", "push %rbp\nmov %rsp, %rbp\nsub $32, %rsp\n" WRITE8 "mov %rbp, (%rbx)\n" READ
                      "leave\nret\n", "" },
    { "pointer_in_rbp", "push %rbp\nsub $32, %rsp\nmov %rdi, %rbp\n" READ
                        "mov %rax, -8(%rbp)\n" READ "add $32, %rsp\npop %rbp\nret\n", "BB" },
    { "either_way", ENTER READ "test %eax, %eax\nje 1f\n" OTHER "1:\n" READ READ LEAVE, "BBg" },
    { "no_way", ENTER READ "test %eax, %eax\nje 1f\n" READ "1:\n" READ LEAVE, "Bgg" },
    { "first_on_one_way", ENTER "test %eax, %eax\nje 1f\n" READ "1:\n" READ READ LEAVE, "BBg" },
    { "round", ENTER READ "1:\n" READ "mov %eax, (%rbx)\ntest %eax, %eax\nje 1b\n" LEAVE, "BB" },
    { "clean_round", ENTER READ "1:\n" READ "test %eax, %eax\nje 1b\n" LEAVE, "Bg" },
    { "unbalanced", ENTER READ "test %eax, %eax\nje 1f\npush %rax\n1:\n" READ READ LEAVE, "B" },
};

static char path[64];

static bool every_hook(uint64_t returns, void *context)
{
    (void)returns;
    (void)context;
    return true;
}

static bool no_hook(uint64_t returns, void *context)
{
    (void)returns;
    (void)context;
    return false;
}

static int build(void **state)
{
    char command[256], source[64];
    FILE *file;

    (void)state;
    snprintf(path, sizeof path, "/tmp/test_rerun.%d.so", (int)getpid());
    snprintf(source, sizeof source, "/tmp/test_rerun.%d.s", (int)getpid());
    file = fopen(source, "w");
    if (!file)
        return -1;
    fputs(".text\n", file);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        fprintf(file, ".globl %s\n.type %s, @function\n%s:\n%s.size %s, .-%s\n", cases[i].name,
                cases[i].name, cases[i].name, cases[i].code, cases[i].name, cases[i].name);
    fputs(".section .note.GNU-stack,\"\",@progbits\n", file);
    fclose(file);
    snprintf(command, sizeof command, "gcc -shared -nostdlib -o %s %s", path, source);
    if (system(command) != 0)
        return -1;
    return unlink(source);
}

static int clean(void **state)
{
    (void)state;
    return unlink(path);
}

static void find(struct fw_elf *file, const char *name, struct fw_rerun_places *places,
                 bool (*kept)(uint64_t, void *))
{
    struct fw_rerun *rerun = fw_rerun_create(file);
    const struct fw_elf_symbols *functions = fw_elf_functions(file);

    assert_non_null(rerun);
    for (size_t i = 0; i < functions->len; i++)
        if (strcmp(functions->at[i].name, name) == 0)
            fw_rerun_find(rerun, functions->at[i].start, kept, NULL, places);
    fw_rerun_destroy(rerun);
}

static void places_are_as_expected(void **state)
{
    struct fw_error err;
    struct fw_elf *file = fw_elf_open(path, &err);
    unsigned wrong = 0;

    (void)state;
    assert_non_null(file);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fw_rerun_places places = { 0 };
        char found[32] = "";

        find(file, cases[i].name, &places, every_hook);
        if (places.len && places.at[0].bare)
            strcpy(found, "*");
        for (size_t k = 0; k < places.len && strlen(found) + 1 < sizeof found; k++)
            found[strlen(found)] = places.at[k].locks ? (places.at[k].begins ? 'L' : 'l')
                                                      : (places.at[k].begins ? 'B' : 'g');
        if (strcmp(found, cases[i].places) != 0) {
            print_error("%s: %s, not %s\n", cases[i].name, found, cases[i].places);
            wrong++;
        }
        fw_vec_release(&places);
    }
    fw_elf_close(file);
    assert_int_equal(wrong, 0);
}

/* push and sub, and where the call returns to. */
static void frames_end_behind_the_return_address(void **state)
{
    struct fw_error err;
    struct fw_elf *file = fw_elf_open(path, &err);
    struct fw_rerun_places places = { 0 };

    (void)state;
    find(file, "accesses", &places, every_hook);
    find(file, "frame", &places, every_hook);
    assert_int_equal(places.len, 5);
    for (size_t i = 0; i < places.len; i++)
        assert_int_equal(places.at[i].frame, 48);
    fw_vec_release(&places);
    fw_elf_close(file);
}

/* Their stores are bare then. */
static void hooks_that_are_not_kept_are_nothing(void **state)
{
    struct fw_error err;
    struct fw_elf *file = fw_elf_open(path, &err);
    struct fw_rerun_places places = { 0 };

    (void)state;
    find(file, "accesses", &places, no_hook);
    assert_int_equal(places.len, 0);
    find(file, "lock", &places, no_hook);
    assert_int_equal(places.len, 2);
    assert_true(places.at[0].begins && places.at[1].begins);
    fw_vec_release(&places);
    fw_elf_close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_are_as_expected),
        cmocka_unit_test(frames_end_behind_the_return_address),
        cmocka_unit_test(hooks_that_are_not_kept_are_nothing),
    };

    return cmocka_run_group_tests(tests, build, clean);
}
