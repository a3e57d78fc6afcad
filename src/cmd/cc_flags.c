/*
 * cc_flags.c - what Foreweave adds to a call of the compiler.
 *
 * Hooks are what -fsanitize=thread and -fsanitize-coverage generate; the sanitizer's own library
 * must not be linked, since ours stands in its place.  A call may compile and link at once, so the
 * drivers are not told: gcc's gets a specs file that adds the flags for the compiler proper (and
 * the preprocessor, which defines __SANITIZE_THREAD__), clang's an option not to link runtimes.
 *
 * gcc puts no hooks at memcpy, memset, strcpy and relatives where it expands them itself.  So they
 * are no builtins: libc's are called, where the runtime sees them.  (strlen stays one: it is called
 * anyway, and programs use it in constant expressions.)  What names the builtin (the
 * standard library's __builtin_memmove) is still expanded up to some 256 bytes;
 * -mstringop-strategy=libcall leaves the larger ones to libc.
 *
 * What the source accesses only under a condition must not be accessed without it: others may have
 * the variable meanwhile, and the hook would tell of a race that the program does not have.  gcc's
 * -ftree-loop-im reads before a loop what an iteration may read, if that cannot fault; clang does
 * so for what an iteration may increase, and -disable-licm-promotion forbids it.
 *
 * clang is told not to complain of unused arguments: what the call is about decides which of ours
 * are used.  Its read before a write to the same place is dropped unless asked for
 * (-tsan-instrument-read-before-write); for us it is an event of its own.  no-prune: a block's hook
 * is a branch for us, and must not be left out because another block implies it.  There are no
 * hooks for accesses of more than 16 bytes, so nothing is turned into wider ones: loops neither by
 * wider registers nor by elements that lie apart (interleaved), straight code not at all.
 *
 * clang leaves out accesses to the function's own stack if no other can know their address.  Before
 * LLVM 20 it looks for who may know the very address that is accessed, and not the variable that it
 * is part of: fields and elements of what other threads were given have no hooks.  With no uses
 * to explore (-capture-tracking-max-uses-to-explore=0) every address may be known, so that whatever
 * is not in registers has its hooks.
 *
 * Without branches (--no-branches) code says so when it is loaded, by a header that is read before
 * everything else: a recording of it is no proof.
 *
 * Everything of ours comes first: user's options win, and the runtime is the first library in
 * the order in which the dynamic linker looks for symbols, before libc.
 */
#include "cmd/cc_flags.h"

#include "base/alloc.h"
#include "base/vec.h"

#include <unistd.h>

static void add(struct fw_words *command, const char *const *words)
{
    for (; *words; words++)
        fw_vec_push(command, *words);
}

static const char *own(struct fw_cc_call *call, char *text)
{
    fw_vec_push(&call->owned, text);
    return text;
}

/* <foreweave/annotate.h>, and our versions of headers of Valgrind before the system's. */
static void add_includes(struct fw_words *command, struct fw_cc_call *call,
                         const struct fw_places *places)
{
    const char *compat = own(call, fw_xasprintf("%s/foreweave/compat", places->include));

    if (access(compat, X_OK) == 0)
        add(command, (const char *const[]) { "-isystem", compat, NULL });
    if (call->hooks && call->no_branches)
        add(command, (const char *const[]) { "-include", "foreweave_no_branches.h", NULL });
    /* Last: it may be a folder of the system, whose order must not change. */
    add(command, (const char *const[]) { "-idirafter", places->include, NULL });
}

static void add_gcc(struct fw_words *command, struct fw_cc_call *call,
                    const struct fw_places *places)
{
    if (call->hooks)
        fw_vec_push(command, own(call, fw_xasprintf("-specs=%s", places->specs)));
    if (call->hooks && call->no_branches)
        fw_vec_push(command, "-DFOREWEAVE_NO_BRANCHES"); /* the specs ask for it */
    add_includes(command, call, places);
}

static void add_clang(struct fw_words *command, struct fw_cc_call *call,
                      const struct fw_places *places)
{
    static const char *const hooks[] = {
        "-fsanitize=thread",
        "-fno-sanitize-link-runtime",
        "-mllvm",
        "-tsan-instrument-read-before-write",
        "-mprefer-vector-width=128",
        "-mllvm",
        "-enable-interleaved-mem-accesses=false",
        "-mllvm",
        "-vectorize-slp=false",
        "-mllvm",
        "-disable-licm-promotion",
        "-mllvm",
        "-capture-tracking-max-uses-to-explore=0",
        NULL,
    };

    fw_vec_push(command, "--start-no-unused-arguments");
    if (call->hooks)
        add(command, hooks);
    if (call->hooks && !call->no_branches)
        fw_vec_push(command, "-fsanitize-coverage=trace-pc-guard,no-prune");
    add_includes(command, call, places);
    fw_vec_push(command, "--end-no-unused-arguments");
}

/* -Xlinker for each word: a path may have commas.  Needed even if nothing here has a hook. */
static void add_runtime(struct fw_words *command, const struct fw_places *places)
{
    const char *const words[] = {
        "--push-state", "--no-as-needed", places->runtime,
        "--pop-state",  "-rpath",         places->directory,
        NULL,
    };

    for (const char *const *word = words; *word; word++)
        add(command, (const char *const[]) { "-Xlinker", *word, NULL });
}

void fw_cc_flags(struct fw_words *command, const struct fw_cc_compiler *compiler,
                 struct fw_cc_call *call, const struct fw_places *places)
{
    for (size_t i = 0; i < compiler->words.len; i++)
        fw_vec_push(command, compiler->words.at[i]);
    if (call->works && compiler->family == FW_CC_GCC)
        add_gcc(command, call, places);
    else if (call->works)
        add_clang(command, call, places);
    if (call->runtime)
        add_runtime(command, places);
    for (size_t i = 0; i < call->args.len; i++)
        fw_vec_push(command, call->args.at[i]);
    fw_vec_push(command, NULL);
}
