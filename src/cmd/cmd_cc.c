/*
 * cmd_cc.c - foreweave cc and foreweave c++: gcc or clang, with Foreweave's hooks and runtime.
 *
 * The compiler is executed in place of the wrapper, so its status, its signals and its messages are
 * what the caller sees.
 */
#include "base/vec.h"
#include "cmd/cc_flags.h"
#include "cmd/cmd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct wrapper {
    const char *compiler;
    bool no_branches;
};

/* clang-format off */
static const struct fw_option options[] = {
    { "compiler", 0, "NAME", "the compiler: gcc, clang, a path",
      FW_OPTION(TEXT, struct wrapper, compiler),
      .detail = "Must come first, before the compiler's own arguments. Without it the environment "
                "decides: FOREWEAVE_CXX (for c++), FOREWEAVE_CC; else it is gcc or g++. c++ takes "
                "the name of a C compiler for its C++ twin: clang-14 for clang++-14. There may be "
                "a program before it: 'ccache gcc'." },
    { "no-branches", 0, NULL, "no hooks at branches",
      FW_OPTION(FLAG, struct wrapper, no_branches),
      .detail = "Must come first as well. For programs that run under 'foreweave atomrace' or "
                "'foreweave guard' alone: they are faster, and what is found in recordings of them "
                "is not called certain." },
    { 0 },
};
/* clang-format on */

static void print_notes(const struct fw_cc_call *call, const char *name)
{
    const char *quiet = getenv("FOREWEAVE_QUIET");

    if (quiet && *quiet && strcmp(quiet, "0") != 0)
        return;
    for (size_t i = 0; i < call->notes.len; i++)
        fw_cmd_error("%s: %s", name, call->notes.at[i]);
}

/* As shells do: 127 there is no such program, 126 it cannot be executed. */
static int execute(const struct fw_words *command)
{
    int cause;

    execvp(command->at[0], (char *const *)command->at);
    cause = errno;
    if (cause == ENOENT) {
        fw_cmd_error("there is no compiler '%s': install it, or name another one with --compiler= "
                     "or FOREWEAVE_CC",
                     command->at[0]);
        return 127;
    }
    fw_cmd_error("cannot run the compiler '%s': %s", command->at[0], strerror(cause));
    return 126;
}

/* No compiler has one of that name. */
static bool has_late_option(int argc, char **argv)
{
    static const char ours[] = "--compiler=";

    for (int i = 0; i < argc; i++)
        if (strncmp(argv[i], ours, strlen(ours)) == 0)
            return true;
    return false;
}

static int wrap(const struct wrapper *wrapper, bool cxx, int argc, char **argv)
{
    const char *name = cxx ? "c++" : "cc";
    struct fw_cc_compiler compiler = { 0 };
    struct fw_cc_call call = { 0 };
    struct fw_places places = { 0 };
    struct fw_words command = { 0 };
    struct fw_error err;
    int status = FW_EXIT_OK;

    if (has_late_option(argc, argv))
        status = fw_cmd_usage("%s: --compiler comes before the compiler's own arguments", name);
    else if (fw_cc_compiler_find(&compiler, wrapper->compiler, cxx, &err) < 0)
        status = fw_cmd_usage("%s: %s", name, err.message);
    else if (fw_cc_call_read(&call, compiler.family, argc, argv, &err) < 0)
        status = fw_cmd_usage("%s: %s", name, err.message);
    else if (fw_places_find(&places, &err) < 0)
        status = fw_cmd_fail(FW_EXIT_FAILURE, &err);
    if (status == FW_EXIT_OK) {
        print_notes(&call, name);
        call.no_branches = wrapper->no_branches;
        fw_cc_flags(&command, &compiler, &call, &places);
        status = execute(&command);
    }
    fw_vec_release(&command);
    fw_places_release(&places);
    fw_cc_call_release(&call);
    fw_cc_compiler_release(&compiler);
    return status;
}

static int run_cc(const void *values, int argc, char **argv)
{
    return wrap(values, false, argc, argv);
}

static int run_cxx(const void *values, int argc, char **argv)
{
    return wrap(values, true, argc, argv);
}

static const struct fw_exit_note exits[] = {
    { FW_EXIT_USAGE, "an argument does not go together with Foreweave" },
    { FW_EXIT_FAILURE, "the runtime library is missing" },
    { 126, "the compiler cannot be executed" },
    { 127, "there is no such compiler" },
    { -1, "everything else is the compiler's own status" },
    { 0, NULL },
};

static const struct fw_example cc_examples[] = {
    { "foreweave cc -g -O2 hidden.c -o hidden", "compile and link in one step" },
    { "foreweave cc --compiler=clang -c hidden.c", "an object, by clang" },
    { 0 },
};

static const struct fw_example cxx_examples[] = {
    { "foreweave c++ -g -O2 hidden.cc -o hidden", "compile and link in one step" },
    { "foreweave c++ --compiler=clang -c hidden.cc", "an object, by clang++" },
    { 0 },
};

#define DESCRIPTION                                                                                \
    "Takes all arguments of gcc or clang and runs it with them. Code is compiled with hooks at "   \
    "every access to memory and every branch, and what is linked (executables and shared "         \
    "libraries) gets Foreweave's runtime, which 'foreweave record' talks to. Without it the "      \
    "program runs as always. Debug information is up to you: with -g reports have lines and "      \
    "variables.\n\n"                                                                               \
    "Files compiled with -fno-sanitize=thread get no hooks. Dropped, with a note (none if "        \
    "FOREWEAVE_QUIET=1): -static, since the runtime is a shared library, and with gcc -flto, "     \
    "which would lose the hooks. A link without libc (-nostdlib) is left alone. Other "            \
    "sanitizers of memory (-fsanitize=address and relatives) are refused; "                        \
    "-fsanitize=undefined goes with gcc.\n\n"                                                      \
    "Build systems take it as CC='foreweave cc' and CXX='foreweave c++', or, where the compiler "  \
    "must be one word, as foreweave-cc and foreweave-c++. <foreweave/annotate.h> is found.\n\n"    \
    "As the only argument, -h and --help are about this command; foreweave-cc and foreweave-c++ "  \
    "hand them on to the compiler, like everything else."

const struct fw_command fw_cmd_cc = {
    .name = "cc",
    .summary = "compile and link C programs to be recorded",
    .operands = "ARGUMENT...",
    .description = DESCRIPTION,
    .options = options,
    .options_size = sizeof(struct wrapper),
    .max_operands = INT_MAX,
    .examples = cc_examples,
    .exits = exits,
    .run = run_cc,
    .foreign = true,
};

const struct fw_command fw_cmd_cxx = {
    .name = "c++",
    .summary = "compile and link C++ programs to be recorded",
    .operands = "ARGUMENT...",
    .description = DESCRIPTION,
    .options = options,
    .options_size = sizeof(struct wrapper),
    .max_operands = INT_MAX,
    .examples = cxx_examples,
    .exits = exits,
    .run = run_cxx,
    .foreign = true,
};
