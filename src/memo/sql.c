/* sql.c - see sql.h. */
#include "memo/sql.h"

#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool fw_sql_is_url(const char *where)
{
    return strncmp(where, "postgresql://", 13) == 0 || strncmp(where, "postgres://", 11) == 0;
}

/* It was meant to be one: no file is called so.  Perhaps there is a password in it. */
static bool is_broken_url(const char *where)
{
    return !fw_sql_is_url(where) &&
           (strncmp(where, "postgresql:", 11) == 0 || strncmp(where, "postgres:", 9) == 0);
}

int fw_sql_open(struct fw_sql **sql, const char *where, const struct fw_sql_way *way,
                struct fw_error *err)
{
    struct fw_sql_way own = *way;

    if (!own.patience)
        own.patience = FW_SQL_PATIENCE;
    if (is_broken_url(where))
        return fw_error_set(err, "the URL of a database is postgresql://[USER@]HOST[:PORT]/NAME");
    if (fw_sql_is_url(where))
        return fw_sql_open_postgres(sql, where, &own, err);
    return fw_sql_open_sqlite(sql, where, &own, err);
}

void fw_sql_close(struct fw_sql *sql)
{
    if (sql)
        sql->kind->close(sql);
}

/* --- transactions ---------------------------------------------------------------------------- */

int fw_sql_do(struct fw_sql *sql, const char *text, struct fw_error *err)
{
    return sql->kind->run(sql, text, NULL, 0, NULL, NULL, err);
}

int fw_sql_now(struct fw_sql *sql, int64_t *ms, struct fw_error *err)
{
    return sql->kind->now(sql, ms, err);
}

static int transact(struct fw_sql *sql, bool write, fw_sql_body *body, void *context,
                    struct fw_error *err)
{
    struct fw_error ignored; /* what failed has undone it already */
    int result;

    if (sql->kind->begin(sql, write, err) < 0)
        return -1;
    result = body(context, err);
    if (result >= 0 && fw_sql_do(sql, "COMMIT", err) < 0)
        result = -1;
    if (result < 0)
        fw_sql_do(sql, "ROLLBACK", &ignored);
    return result;
}

static int transact_safely(struct fw_sql *sql, bool write, fw_sql_body *body, void *context,
                           struct fw_error *err)
{
    int result = transact(sql, write, body, context, err);

    if (result < 0 && sql->kind->again(sql))
        result = transact(sql, write, body, context, err);
    return result;
}

int fw_sql_write(struct fw_sql *sql, fw_sql_body *body, void *context, struct fw_error *err)
{
    return transact_safely(sql, true, body, context, err);
}

int fw_sql_read(struct fw_sql *sql, fw_sql_body *body, void *context, struct fw_error *err)
{
    return transact_safely(sql, false, body, context, err);
}

/* --- queries --------------------------------------------------------------------------------- */

void fw_query_say(struct fw_query *q, const char *fmt, ...)
{
    char *text;
    va_list args;
    int len;

    if (!q->open)
        fw_output_open_memory(&q->text);
    q->open = true;
    va_start(args, fmt);
    len = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    text = fw_output_reserve(&q->text, (size_t)len + 1);
    va_start(args, fmt);
    vsnprintf(text, (size_t)len + 1, fmt, args);
    va_end(args);
    fw_output_advance(&q->text, (size_t)len);
}

void fw_query_text(struct fw_query *q, const char *text)
{
    fw_vec_push(&q->values, text ? fw_sql_clean(text) : NULL);
    fw_query_say(q, "$%zu", q->values.len);
}

static void empty(struct fw_query *q)
{
    q->text.used = 0;
    for (size_t i = 0; i < q->values.len; i++)
        free(q->values.at[i]);
    fw_vec_clear(&q->values);
}

int fw_query_run(struct fw_query *q, struct fw_sql *sql, fw_sql_take *take, void *context,
                 struct fw_error *err)
{
    int result;

    fw_query_say(q, "%c", '\0');
    result = sql->kind->run(sql, q->text.buffer, (const char *const *)q->values.at, q->values.len,
                            take, context, err);
    empty(q);
    return result;
}

void fw_query_release(struct fw_query *q)
{
    if (q->open) {
        empty(q);
        fw_output_abandon(&q->text);
    }
    fw_vec_release(&q->values);
    q->open = false;
}

int64_t fw_sql_number(const struct fw_sql_row *row, unsigned cell)
{
    return row->at[cell] ? strtoll(row->at[cell], NULL, 10) : 0;
}

const char *fw_sql_text(const struct fw_sql_row *row, unsigned cell)
{
    return row->at[cell] ? row->at[cell] : "";
}

int fw_sql_take_number(void *context, const struct fw_sql_row *row)
{
    *(int64_t *)context = fw_sql_number(row, 0);
    return 0;
}

char *fw_sql_clean(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    char *clean = fw_xmalloc(strlen(text) * 3 + 1), *to = clean;

    while (*s) {
        size_t len = fw_utf8_length(s);

        memcpy(to, len ? (const char *)s : "\xef\xbf\xbd", len ? len : 3);
        to += len ? len : 3;
        s += len ? len : 1;
    }
    *to = '\0';
    return clean;
}
