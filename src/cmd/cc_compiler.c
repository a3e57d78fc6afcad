/*
 * cc_compiler.c - the choice of the compiler, and whether it is a gcc or a clang.
 *
 * The family is told by the name, or by the name of the file behind its links (cc, c++).  Only a
 * name that says nothing costs a process: the compiler is asked for its version.
 */
#include "cmd/cc_compiler.h"

#include "base/alloc.h"
#include "base/vec.h"
#include "cmd/run.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* The C++ compiler that belongs to a C compiler: only the name of the program is changed. */
static char *cxx_twin(const char *path)
{
    static const struct {
        const char *c, *cxx;
    } twins[] = { { "clang", "clang++" }, { "gcc", "g++" }, { "cc", "c++" } };
    const char *base = base_name(path);

    for (size_t i = 0; i < sizeof twins / sizeof *twins; i++) {
        const char *at = strstr(base, twins[i].c);
        const char *rest = at ? at + strlen(twins[i].c) : NULL;

        /* clang-14, x86_64-linux-gnu-gcc-12, but not clang++, ccache */
        if (at && (at == base || at[-1] == '-') && (!*rest || *rest == '-'))
            return fw_xasprintf("%.*s%s%s", (int)(at - path), path, twins[i].cxx, rest);
    }
    return fw_xstrdup(path);
}

static void split(struct fw_words *words, const char *text)
{
    for (text += strspn(text, " \t"); *text; text += strspn(text, " \t")) {
        size_t len = strcspn(text, " \t");

        fw_vec_push(words, fw_xstrndup(text, len));
        text += len;
    }
}

static const char *from_environment(const char *name)
{
    const char *text = getenv(name);

    return text && text[strspn(text, " \t")] ? text : NULL;
}

/* The family that a name tells; -1 if it tells none. */
static int family_of_name(const char *name)
{
    if (strstr(name, "clang"))
        return FW_CC_CLANG;
    return strstr(name, "gcc") || strstr(name, "g++") ? FW_CC_GCC : -1;
}

/* The file that a name on PATH leads to, links resolved; -1 if there is none. */
static int resolve(const char *name, char path[PATH_MAX])
{
    const char *dirs = getenv("PATH");
    char try[PATH_MAX];

    if (strchr(name, '/'))
        return realpath(name, path) ? 0 : -1;
    while (dirs && *dirs) {
        int len = (int)strcspn(dirs, ":");

        snprintf(try, sizeof try, "%.*s%s%s", len, dirs, len ? "/" : "", name);
        if (access(try, X_OK) == 0 && realpath(try, path))
            return 0;
        dirs += len + (dirs[len] == ':');
    }
    return -1;
}

static enum fw_cc_family family_by_asking(const struct fw_words *words)
{
    struct fw_words command = { 0 };
    char version[256];
    int got;

    for (size_t i = 0; i < words->len; i++)
        fw_vec_push(&command, words->at[i]);
    fw_vec_push(&command, "--version");
    fw_vec_push(&command, NULL);
    got = fw_run_first_line((char *const *)command.at, version, sizeof version);
    fw_vec_release(&command);
    return got == 0 && strstr(version, "clang") ? FW_CC_CLANG : FW_CC_GCC;
}

static enum fw_cc_family find_family(const struct fw_words *words)
{
    const char *name = fw_vec_last(words);
    char path[PATH_MAX];
    int family = family_of_name(base_name(name));

    if (family < 0 && resolve(name, path) == 0)
        family = family_of_name(base_name(path));
    return family < 0 ? family_by_asking(words) : (enum fw_cc_family)family;
}

int fw_cc_compiler_find(struct fw_cc_compiler *compiler, const char *asked, bool cxx,
                        struct fw_error *err)
{
    const char *text = asked;
    char *twin;

    memset(compiler, 0, sizeof *compiler);
    if (!text && cxx)
        text = from_environment("FOREWEAVE_CXX");
    if (!text)
        text = from_environment("FOREWEAVE_CC");
    split(&compiler->words, text ? text : "gcc");
    if (!compiler->words.len)
        return fw_error_set(err, "option '--compiler' names no compiler");
    if (cxx) {
        twin = cxx_twin(fw_vec_last(&compiler->words));
        free((char *)fw_vec_last(&compiler->words));
        fw_vec_last(&compiler->words) = twin;
    }
    for (size_t i = 0; i < compiler->words.len; i++)
        if (strncmp(base_name(compiler->words.at[i]), "foreweave", strlen("foreweave")) == 0)
            return fw_error_set(err, "'%s' is no compiler but Foreweave itself", text);
    compiler->family = find_family(&compiler->words);
    return 0;
}

void fw_cc_compiler_release(struct fw_cc_compiler *compiler)
{
    for (size_t i = 0; i < compiler->words.len; i++)
        free((char *)compiler->words.at[i]);
    fw_vec_release(&compiler->words);
}
