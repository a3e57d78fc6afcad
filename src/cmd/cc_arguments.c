/*
 * cc_arguments.c - reads the compiler's arguments, in two passes: what is asked for; what is kept.
 *
 * Tables say what an argument means to us.  Names are those of gcc 12 to 14 and clang 14 to 19.
 */
#include "cmd/cc_arguments.h"

#include "base/alloc.h"
#include "base/vec.h"
#include "cmd/cc_response.h"

#include <stdlib.h>
#include <string.h>

/* Options whose value is the next argument, which is therefore no input. */
static const char *const takes_next[] = {
    "-o",
    "-x",
    "-I",
    "-L",
    "-D",
    "-U",
    "-B",
    "-T",
    "-u",
    "-z",
    "-e",
    "-h",
    "-A",
    "-G",
    "-R",
    "-l",
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-iprefix",
    "-isysroot",
    "-imultilib",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-include-pch",
    "-Xlinker",
    "-Xassembler",
    "-Xpreprocessor",
    "-Xclang",
    "-Xanalyzer",
    "-mllvm",
    "-target",
    "-arch",
    "-gcc-toolchain",
    "-aux-info",
    "-dumpbase",
    "-dumpbase-ext",
    "-dumpdir",
    "-wrapper",
    "-Ttext",
    "-Tdata",
    "-Tbss",
    "-rpath",
    "-resource-dir",
    "-working-directory",
    "-ivfsoverlay",
    "-fplugin-arg",
    "--param",
    "--sysroot",
    "--config",
    "--output",
    "--language",
    "--include",
    "--entry",
    NULL,
};

/* The call stops before the link. */
static const char *const stops[] = {
    "-c",
    "-S",
    "-E",
    "-M",
    "-MM",
    "-fsyntax-only",
    "-r",
    "-emit-ast",
    "-emit-pch",
    "--precompile",
    "--analyze",
    "--compile",
    "--assemble",
    "--preprocess",
    "--dependencies",
    "--user-dependencies",
    NULL,
};

static const char *const statics[] = { "-static", "--static", "-static-pie", NULL };
static const char *const no_libraries[] = { "-nostdlib", "-nodefaultlibs", "-nolibc", NULL };
static const char *const header_endings[] = {
    ".h", ".H", ".hh", ".hp", ".hpp", ".HPP", ".hxx", ".h++", ".tcc", NULL,
};

/* Sanitizers that own the memory or the runtime, as ours does; others are checks within a thread.
 */
static const char *const rivals[] = {
    "address", "kernel-address", "hwaddress", "kernel-hwaddress",
    "memory",  "kernel-memory",  "leak",      "dataflow",
    "fuzzer",  "safe-stack",     "memtag",    "scudo",
    "cfi",     "realtime",       "numerical", "type",
    NULL,
};

struct reader {
    struct fw_cc_call *call;
    enum fw_cc_family family;
    struct fw_words words; /* the arguments, response files read */
    const char *language;  /* of -x; NULL: told by the file's name */
    bool stops, shared, libc;
    bool traps;               /* sanitizers that need no library */
    bool headers, others;     /* among the inputs */
    const char *no_libraries; /* the option that says so */
    bool edited;
    struct fw_error *err;
};

static bool is_one_of(const char *const *names, const char *word)
{
    for (; *names; names++)
        if (strcmp(*names, word) == 0)
            return true;
    return false;
}

static bool begins(const char *word, const char *with)
{
    return strncmp(word, with, strlen(with)) == 0;
}

/* Is the item in a list with commas? */
static bool list_has(const char *list, const char *item)
{
    size_t len = strlen(item);

    for (; *list; list += strcspn(list, ",") + (list[strcspn(list, ",")] == ','))
        if (strncmp(list, item, len) == 0 && (!list[len] || list[len] == ','))
            return true;
    return false;
}

static void add_note(struct reader *r, char *note)
{
    fw_vec_push(&r->call->notes, note);
}

/* --- first pass: what is asked for ------------------------------------------------------------ */

static void read_input(struct reader *r, const char *word)
{
    const char *dot = strrchr(word, '.');
    size_t len = r->language ? strlen(r->language) : 0;

    if (r->language ? len > 7 && strcmp(r->language + len - 7, "-header") == 0
                    : dot && is_one_of(header_endings, dot))
        r->headers = true;
    else
        r->others = true;
}

static void read_pair(struct reader *r, const char *word, const char *value)
{
    if (strcmp(word, "-x") == 0 || strcmp(word, "--language") == 0)
        r->language = strcmp(value, "none") == 0 ? NULL : value;
    if (strcmp(word, "-l") == 0 || strcmp(word, "-Xlinker") == 0)
        r->others = true;
    r->libc |= strcmp(word, "-l") == 0 && strcmp(value, "c") == 0;
    r->stops |= strcmp(word, "-Xlinker") == 0 &&
                (strcmp(value, "-r") == 0 || strcmp(value, "--relocatable") == 0);
}

static int read_sanitizers(struct reader *r, const char *list)
{
    for (const char *const *rival = rivals; *rival; rival++)
        if (list_has(list, *rival))
            return fw_error_set(r->err,
                                "-fsanitize=%s and Foreweave do not go together: both keep "
                                "their own picture of memory; build without it",
                                *rival);
    if (list_has(list, "thread"))
        r->call->hooks = true;
    return 0;
}

static int read_word(struct reader *r, const char *word)
{
    if (word[0] != '-' || !word[1]) {
        read_input(r, word);
        return 0;
    }
    if (is_one_of(no_libraries, word))
        r->no_libraries = word;
    r->stops |= is_one_of(stops, word);
    r->shared |= strcmp(word, "-shared") == 0 || strcmp(word, "--shared") == 0;
    r->libc |= strcmp(word, "-lc") == 0;
    if (begins(word, "-l") || begins(word, "-Wl,"))
        r->others = true;
    if (begins(word, "-Wl,"))
        r->stops |= list_has(word + 4, "-r") || list_has(word + 4, "--relocatable");
    r->traps |= begins(word, "-fsanitize-trap") || begins(word, "-fsanitize-undefined-trap");
    if (begins(word, "-x"))
        r->language = strcmp(word + 2, "none") == 0 ? NULL : word + 2;
    if (begins(word, "-fno-sanitize=") &&
        (list_has(word + 14, "thread") || list_has(word + 14, "all")))
        r->call->hooks = false;
    return begins(word, "-fsanitize=") ? read_sanitizers(r, word + 11) : 0;
}

static int read_all(struct reader *r)
{
    const struct fw_words *words = &r->words;

    for (size_t i = 0; i < words->len; i++) {
        if (is_one_of(takes_next, words->at[i]) && i + 1 < words->len) {
            read_pair(r, words->at[i], words->at[i + 1]);
            i++;
        } else if (read_word(r, words->at[i]) < 0) {
            return -1;
        }
    }
    return 0;
}

static void decide(struct reader *r)
{
    struct fw_cc_call *call = r->call;

    call->works = r->headers || r->others;
    call->links = r->others && !r->stops;
    call->runtime = call->links && (!r->no_libraries || r->libc);
    if (!call->links || call->runtime)
        return;
    call->hooks = false; /* nothing would answer them */
    add_note(r, fw_xasprintf("%s: the runtime needs libc, so it is not linked, and this call adds "
                             "no hooks",
                             r->no_libraries));
}

/* --- second pass: what is kept ------------------------------------------------------------------
 */

static void drop(struct reader *r, const char *word, const char *why)
{
    r->edited = true;
    for (size_t i = 0; i < r->call->notes.len; i++)
        if (strstr(r->call->notes.at[i], why))
            return; /* -flto=auto -ffat-lto-objects: said once */
    add_note(r, fw_xasprintf("%s is dropped: %s", word, why));
}

static void keep(struct reader *r, const char *word)
{
    fw_vec_push(&r->call->args, word);
}

/* "-fsanitize=" and the list without thread; the caller frees it. */
static char *without_thread(const char *list)
{
    char *text = fw_xstrdup("-fsanitize="), *longer;

    for (size_t len; *list; list += len + (list[len] == ',')) {
        len = strcspn(list, ",");
        if (len == 6 && memcmp(list, "thread", 6) == 0)
            continue;
        longer = fw_xasprintf("%s%s%.*s", text, text[strlen(text) - 1] == '=' ? "" : ",", (int)len,
                              list);
        free(text);
        text = longer;
    }
    return text;
}

/*
 * -fsanitize=thread,undefined: the first is what we do ourselves.  clang links a library for the
 * others that has hooks of branches, too, and these would be found before ours.
 */
static void keep_sanitizers(struct reader *r, const char *word)
{
    bool thread = list_has(word + strlen("-fsanitize="), "thread");
    char *others = without_thread(word + strlen("-fsanitize="));
    bool any = others[strlen(others) - 1] != '=';

    fw_vec_push(&r->call->owned, others);
    r->edited |= thread;
    if (any && r->family == FW_CC_CLANG && !r->traps)
        drop(r, others,
             "clang's library for it takes Foreweave's hooks; -fsanitize-trap=all works");
    else if (any)
        keep(r, others);
    if (thread && r->family == FW_CC_CLANG && r->call->hooks)
        keep(r, "-fsanitize=thread"); /* after a -fno-sanitize=thread; it links nothing */
}

/* Link-time optimisation by gcc builds code from a form without hooks.  clang puts them in before.
 */
static bool is_lost_by_gcc(const char *word)
{
    return strcmp(word, "-flto") == 0 || begins(word, "-flto=") ||
           strcmp(word, "-ffat-lto-objects") == 0 || strcmp(word, "-fwhole-program") == 0;
}

static void keep_word(struct reader *r, const char *word)
{
    if (r->family == FW_CC_GCC && is_lost_by_gcc(word)) {
        drop(r, word, "gcc loses the hooks in link-time optimisation");
    } else if (r->call->runtime && is_one_of(statics, word)) {
        drop(r, word, "the runtime is a shared library");
        if (!r->shared && strcmp(word, "-static-pie") != 0)
            keep(r, "-no-pie"); /* as before: code that was compiled for a fixed place is welcome */
    } else if (begins(word, "-fsanitize-coverage=")) {
        drop(r, word, "its hooks are Foreweave's own");
    } else if (strcmp(word, "-ltsan") == 0) {
        drop(r, word, "the runtime stands in its place");
    } else if (begins(word, "-fsanitize=")) {
        keep_sanitizers(r, word);
    } else {
        keep(r, word);
    }
}

static void keep_all(struct reader *r)
{
    const struct fw_words *words = &r->words;

    for (size_t i = 0; i < words->len; i++) {
        if (is_one_of(takes_next, words->at[i]) && i + 1 < words->len) {
            keep(r, words->at[i++]);
            keep(r, words->at[i]);
        } else {
            keep_word(r, words->at[i]);
        }
    }
}

int fw_cc_call_read(struct fw_cc_call *call, enum fw_cc_family family, int argc, char **argv,
                    struct fw_error *err)
{
    struct reader r = { .call = call, .family = family, .err = err };
    unsigned files;
    int result;

    memset(call, 0, sizeof *call);
    call->hooks = true;
    files = fw_cc_response_expand(argc, argv, &r.words, &call->owned);
    result = read_all(&r);
    decide(&r);
    if (result == 0 && call->works)
        keep_all(&r);
    if (!call->works || (files && !r.edited)) { /* response files are there for a reason */
        fw_vec_clear(&call->args);
        for (int i = 0; i < argc; i++)
            keep(&r, argv[i]);
    }
    fw_vec_release(&r.words);
    return result;
}

static void release_owned(struct fw_words *words)
{
    for (size_t i = 0; i < words->len; i++)
        free((char *)words->at[i]);
    fw_vec_release(words);
}

void fw_cc_call_release(struct fw_cc_call *call)
{
    release_owned(&call->notes);
    release_owned(&call->owned);
    fw_vec_release(&call->args);
}
