/* violations.c - see violations.h. */
#include "learn/violations.h"

#include "base/alloc.h"
#include "base/words.h"
#include "iroot/iroot.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TRANSACTIONS "lifetx"

/* --- writing --------------------------------------------------------------------------------- */

void fw_violations_begin(struct fw_output *out)
{
    struct fw_json json = { .out = out };

    fw_json_object(&json, NULL);
    fw_json_text(&json, "foreweave", "violations");
    fw_json_number(&json, "version", 1);
    fw_json_end(&json);
}

static const char *const does[] = { "r", "w", "-" }; /* enum fw_learnt_does */

static void put_site(struct fw_json *json, const char *key, const struct fw_learnt_site *site)
{
    fw_json_object(json, key);
    fw_json_text(json, "does", does[site->does]);
    fw_json_text(json, "module", site->module);
    fw_json_text(json, "function", site->function);
    fw_json_text(json, "file", site->at.file);
    fw_json_number(json, "line", site->at.line);
    fw_json_number(json, "ordinal", site->at.ordinal);
    if (site->at.has_offset && site->at.offset >= 0)
        fw_json_number(json, "offset", (uint64_t)site->at.offset);
    if (site->at.text)
        fw_json_text(json, "text", site->at.text);
    fw_json_end(json);
}

static uint32_t intern(struct fw_strtab *accesses, const struct fw_learnt_site *site)
{
    struct fw_access access = {
        .does = site->does == FW_LEARNT_WRITE ? FW_DOES_WRITE : FW_DOES_READ,
        .module = site->module,
        .function = site->function,
        .line = site->at.has_offset && site->at.offset >= 0 ? (unsigned)site->at.offset : 0,
        .ordinal = site->at.has_offset && site->at.offset >= 0 ? site->at.ordinal : 0,
    };

    return fw_access_intern(accesses, &access);
}

static void put_iroot(struct fw_json *json, const struct fw_learnt_site *access,
                      const struct fw_learnt_site *after)
{
    struct fw_iroot iroot = { .idiom = 1 };
    struct fw_strtab accesses;
    struct fw_output text;

    fw_strtab_init(&accesses);
    fw_output_open_memory(&text);
    iroot.access[0] = intern(&accesses, after);
    iroot.access[1] = intern(&accesses, access);
    fw_iroot_print(&iroot, &accesses, &text);
    fw_output_bytes(&text, "", 1);
    fw_json_text(json, "iroot", text.buffer);
    fw_output_abandon(&text);
    fw_strtab_release(&accesses);
}

void fw_violation_sites(struct fw_json *json, const struct fw_learnt_site *access,
                        const struct fw_learnt_site *after, unsigned also)
{
    put_site(json, "access", access);
    if (!after) {
        fw_json_text(json, "after",
                     also & FW_AFTER_READ   ? "read"
                     : also & FW_AFTER_SELF ? "self"
                                            : "none");
        return;
    }
    put_site(json, "after", after);
    put_iroot(json, access, after);
}

void fw_violation_transactions(struct fw_json *json, const struct fw_learnt_site *access,
                               const struct fw_learnt_site *after)
{
    fw_json_text(json, "kind", TRANSACTIONS);
    put_site(json, "access", access);
    if (after)
        put_site(json, "after", after);
}

void fw_violation_cut(struct fw_json *json, const struct fw_learnt_site *call)
{
    put_site(json, "cut", call);
}

/* --- reading --------------------------------------------------------------------------------- */

#define NOT_LOGGED "not a violation as 'foreweave guard' logs them"

struct reader {
    struct fw_constraints *constraints;
    const char *name;
    unsigned line;
    struct fw_error *err;
    int64_t added;
    struct fw_accepted transactions;
};

static int complain(const struct reader *reader, const char *what)
{
    return fw_error_set(reader->err, "%s:%u: %s", reader->name, reader->line, what);
}

static const char *text_of(const cJSON *object, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));

    return text && *text ? text : NULL;
}

/* A number from `least` on that fits; false: it is none. */
static bool number_of(const cJSON *object, const char *key, uint32_t least, uint32_t *number)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

    if (!cJSON_IsNumber(item) || item->valuedouble < least || item->valuedouble > 100000000)
        return false;
    *number = (uint32_t)item->valuedouble;
    return true;
}

static bool read_does(const cJSON *object, enum fw_learnt_does *what)
{
    const char *text = text_of(object, "does");

    for (unsigned i = 0; text && i < sizeof does / sizeof *does; i++)
        if (strcmp(text, does[i]) == 0) {
            *what = (enum fw_learnt_does)i;
            return true;
        }
    return false;
}

/* Texts are borrowed. */
static bool read_place(const cJSON *object, struct fw_learnt_site *site)
{
    uint32_t offset = 0;

    *site = (struct fw_learnt_site) {
        .module = (char *)(uintptr_t)text_of(object, "module"),
        .function = (char *)(uintptr_t)text_of(object, "function"),
        .at.file = (char *)(uintptr_t)text_of(object, "file"),
        .at.text = (char *)(uintptr_t)cJSON_GetStringValue(
            cJSON_GetObjectItemCaseSensitive(object, "text")),
    };
    if (!read_does(object, &site->does) || !site->module || !site->function || !site->at.file ||
        !number_of(object, "line", 1, &site->at.line) ||
        !number_of(object, "ordinal", 1, &site->at.ordinal))
        return false;
    site->at.has_offset = number_of(object, "offset", 0, &offset);
    site->at.offset = (int32_t)offset;
    site->at.write = site->does == FW_LEARNT_WRITE;
    return true;
}

static bool read_site(const cJSON *object, struct fw_learnt_site *site)
{
    return read_place(object, site) && site->does != FW_LEARNT_PLACE;
}

/* None of another thread. */
static int take_local(struct reader *reader, const struct fw_learnt_site *access, const char *after)
{
    unsigned also = !strcmp(after, "self")   ? FW_AFTER_SELF
                    : !strcmp(after, "none") ? FW_AFTER_NOBODY
                    : !strcmp(after, "read") ? FW_AFTER_READ
                                             : 0;
    uint32_t site;

    if (!also)
        return complain(reader, "an access comes after another one, \"self\", \"none\" or "
                                "\"read\"");
    site = fw_constraints_site(reader->constraints, access);
    fw_constraints_share(reader->constraints, site);
    reader->added += fw_constraints_allow(reader->constraints, site, also);
    return 0;
}

static int take_transactions(struct reader *reader, const cJSON *line)
{
    struct fw_constraints *constraints = reader->constraints;
    const cJSON *after = cJSON_GetObjectItemCaseSensitive(line, "after");
    const cJSON *cut = cJSON_GetObjectItemCaseSensitive(line, "cut");
    struct fw_learnt_site site;

    if (!read_site(cJSON_GetObjectItemCaseSensitive(line, "access"), &site) ||
        (after && !read_site(after, &site)) ||
        (cut && (!read_place(cut, &site) || site.does != FW_LEARNT_PLACE)))
        return complain(reader, NOT_LOGGED);
    reader->transactions.lines++;
    if (cut)
        reader->transactions.cuts += fw_constraints_add_cut(
            constraints, FW_CUT_ACCESS, fw_constraints_site(constraints, &site));
    return 0;
}

static int take(struct reader *reader, const cJSON *line)
{
    struct fw_constraints *constraints = reader->constraints;
    struct fw_learnt_site access, after;
    const cJSON *first = cJSON_GetObjectItemCaseSensitive(line, "access");
    const cJSON *second = cJSON_GetObjectItemCaseSensitive(line, "after");
    const char *kind = text_of(line, "kind");

    if (!first && !second)
        return 0; /* a head, or something that was only told */
    if (kind && strcmp(kind, TRANSACTIONS) == 0)
        return take_transactions(reader, line);
    if (cJSON_IsString(second) && read_site(first, &access))
        return take_local(reader, &access, cJSON_GetStringValue(second));
    if (!read_site(first, &access) || !read_site(second, &after) ||
        (!access.at.write && !after.at.write))
        return complain(reader, NOT_LOGGED);
    reader->added += fw_constraints_add_pair(constraints, fw_constraints_site(constraints, &access),
                                             fw_constraints_site(constraints, &after));
    return 0;
}

static int read_line(struct reader *reader, const char *text, size_t bytes)
{
    cJSON *line = cJSON_ParseWithLength(text, bytes);
    int status = line ? 0 : complain(reader, "not a line of JSON");
    uint32_t version;

    if (!status && reader->line == 1 &&
        (!text_of(line, "foreweave") || strcmp(text_of(line, "foreweave"), "violations") != 0))
        status = complain(reader, "not a log of violations");
    if (!status && reader->line == 1 && (!number_of(line, "version", 0, &version) || version != 1))
        status = complain(reader, "a log of violations of an unknown version");
    if (!status)
        status = take(reader, line);
    cJSON_Delete(line);
    return status;
}

int64_t fw_violations_accept_memory(struct fw_constraints *constraints, const char *text,
                                    size_t bytes, const char *name,
                                    struct fw_accepted *transactions, struct fw_error *err)
{
    struct reader reader = { .constraints = constraints, .name = name, .err = err };
    const char *end = text + bytes;

    if (!bytes)
        return fw_error_set(err, "%s: not a log of violations: it is empty", name);
    while (text < end) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        size_t len = (size_t)((stop ? stop : end) - text);

        reader.line++;
        if (len && read_line(&reader, text, len) < 0)
            return -1;
        text += len + (stop != NULL);
    }
    *transactions = reader.transactions;
    return reader.added;
}

int64_t fw_violations_accept(struct fw_constraints *constraints, const char *path,
                             struct fw_accepted *transactions, struct fw_error *err)
{
    char *text, *name;
    size_t bytes;
    int64_t added;

    if (fw_text_read(path, "log of violations", &text, &bytes, &name, err) < 0)
        return -1;
    added = fw_violations_accept_memory(constraints, text, bytes, name, transactions, err);
    free(text);
    free(name);
    return added;
}
