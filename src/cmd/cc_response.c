/* cc_response.c - reads response files, by the rules of libiberty's expandargv. */
#include "cmd/cc_response.h"

#include "base/alloc.h"
#include "base/vec.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FILES_MAX 2000u /* a file that names itself must end; the compilers give up as well */

struct expander {
    struct fw_words *words, *owned;
    unsigned files;
};

/* The next word of the text, in place; NULL at its end. */
static char *next_word(char **rest)
{
    char *from = *rest, *to, *word, quote = 0;

    while (isspace((unsigned char)*from))
        from++;
    if (!*from)
        return NULL;
    for (word = to = from; *from && (quote || !isspace((unsigned char)*from)); from++) {
        if (*from == '\\' && from[1] && quote != '\'')
            *to++ = *++from;
        else if (*from == quote)
            quote = 0;
        else if (!quote && (*from == '"' || *from == '\''))
            quote = *from;
        else
            *to++ = *from;
    }
    *rest = *from ? from + 1 : from;
    *to = '\0';
    return word;
}

/* The file's text, owned by the caller; NULL if it is no file that can be read. */
static char *read_text(const char *path)
{
    struct stat info;
    FILE *file = stat(path, &info) == 0 && !S_ISDIR(info.st_mode) ? fopen(path, "re") : NULL;
    FW_VEC(char) text = { 0 };
    size_t got;

    if (!file)
        return NULL;
    do {
        fw_vec_reserve(&text, text.len + 4096);
        got = fread(text.at + text.len, 1, text.cap - text.len - 1, file);
        text.len += got;
    } while (got);
    text.at[text.len] = '\0';
    fclose(file);
    return text.at;
}

static void add(struct expander *e, const char *word)
{
    char *text = NULL, *rest;

    if (word[0] == '@' && word[1] && e->files < FILES_MAX)
        text = read_text(word + 1);
    if (!text) {
        fw_vec_push(e->words, word);
        return;
    }
    e->files++;
    fw_vec_push(e->owned, text);
    rest = text;
    while ((word = next_word(&rest)))
        add(e, word);
}

unsigned fw_cc_response_expand(int argc, char **argv, struct fw_words *words,
                               struct fw_words *owned)
{
    struct expander e = { words, owned, 0 };

    for (int i = 0; i < argc; i++)
        add(&e, argv[i]);
    return e.files;
}
