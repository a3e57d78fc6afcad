/*
 * result_read.c - see result_read.h.
 *
 * cJSON parses (and refuses nesting deeper than 1,000); here every value is
 * checked before it is used.  Numbers arrive as doubles, so an index is exact
 * up to 2^53, far above what a trace can have.
 */
#include "report/result_read.h"

#include "base/alloc.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST_INDEX 9007199254740992.0 /* 2^53 */

/* Where we are in the file, for messages. */
struct place {
    const char *file;
    size_t finding; /* counted from 1; 0: at the top */
    const char *id; /* of the finding, or NULL */
    struct fw_error *err;
};

/* Puts the place in front of the error; returns -1. */
static int locate(const struct place *at)
{
    if (at->finding && at->id)
        fw_error_context(at->err, "finding %zu (id '%.64s')", at->finding, at->id);
    else if (at->finding)
        fw_error_context(at->err, "finding %zu", at->finding);
    return fw_error_context(at->err, "%s", at->file);
}

/*
 * The value of a key, in *value: NULL if there is none or it is null.
 * -1 if the key is there twice.
 */
static int get_field(const struct place *at, const cJSON *object, const char *key,
                     const cJSON **value)
{
    const cJSON *item;

    *value = NULL;
    cJSON_ArrayForEach(item, object)
    {
        if (!item->string || strcmp(item->string, key) != 0)
            continue;
        if (*value) {
            fw_error_set(at->err, "'%s' is there twice", key);
            return locate(at);
        }
        *value = item;
    }
    if (cJSON_IsNull(*value))
        *value = NULL;
    return 0;
}

/* A copy of a text field in *text; NULL if there is none. */
static int get_text(const struct place *at, const cJSON *object, const char *key, char **text)
{
    const cJSON *value;

    *text = NULL;
    if (get_field(at, object, key, &value) < 0)
        return -1;
    if (!value)
        return 0;
    if (!cJSON_IsString(value)) {
        fw_error_set(at->err, "'%s' is not a text", key);
        return locate(at);
    }
    *text = fw_xstrdup(value->valuestring);
    return 0;
}

/* An array in *array; NULL if there is none. */
static int get_array(const struct place *at, const cJSON *object, const char *key,
                     const cJSON **array)
{
    if (get_field(at, object, key, array) < 0)
        return -1;
    if (*array && !cJSON_IsArray(*array)) {
        fw_error_set(at->err, "'%s' is not a list", key);
        return locate(at);
    }
    return 0;
}

/* Is the number an index: not negative, whole, exact?  (Written so that NaN is not.) */
static bool to_index(const cJSON *value, uint64_t *index)
{
    double number = value->valuedouble;

    if (!cJSON_IsNumber(value) || !(number >= 0 && number <= LARGEST_INDEX))
        return false;
    *index = (uint64_t)number;
    return (double)*index == number;
}

/* ---- a finding ---- */

static int read_event(const struct place *at, const cJSON *item, const char *what,
                      struct fw_result_event *event)
{
    const cJSON *index;

    if (!cJSON_IsObject(item)) {
        fw_error_set(at->err, "%s is not an object", what);
        return locate(at);
    }
    if (get_field(at, item, "index", &index) < 0)
        return -1;
    if (!index || !to_index(index, &event->index)) {
        fw_error_set(at->err, "%s has no valid 'index'", what);
        return locate(at);
    }
    if (get_text(at, item, "thread", &event->thread) < 0 ||
        get_text(at, item, "op", &event->op) < 0 ||
        get_text(at, item, "target", &event->target) < 0 ||
        get_text(at, item, "site", &event->site) < 0)
        return -1;
    return 0;
}

static int read_saw(const struct place *at, const cJSON *object, struct fw_result_finding *finding)
{
    const cJSON *item;

    if (get_field(at, object, "saw", &item) < 0)
        return -1;
    if (!item)
        return 0;
    finding->saw = fw_xcalloc(1, sizeof *finding->saw);
    return read_event(at, item, "'saw'", finding->saw);
}

static int read_events(const struct place *at, const cJSON *object,
                       struct fw_result_finding *finding)
{
    const cJSON *array, *item;

    if (get_array(at, object, "events", &array) < 0)
        return -1;
    if (!array)
        return 0;
    finding->events = fw_xcalloc((size_t)cJSON_GetArraySize(array) + 1, sizeof *finding->events);
    cJSON_ArrayForEach(item, array)
    {
        size_t i = finding->event_count++;
        char what[48];

        snprintf(what, sizeof what, "item %zu of 'events'", i + 1);
        if (read_event(at, item, what, &finding->events[i]) < 0)
            return -1;
    }
    return 0;
}

static int read_witness(const struct place *at, const cJSON *object,
                        struct fw_result_finding *finding)
{
    const cJSON *array, *item;

    if (get_array(at, object, "witness", &array) < 0)
        return -1;
    if (!array)
        return 0;
    finding->has_witness = true;
    finding->witness = fw_xcalloc((size_t)cJSON_GetArraySize(array) + 1, sizeof(uint64_t));
    cJSON_ArrayForEach(item, array)
    {
        if (!to_index(item, &finding->witness[finding->witness_count++])) {
            fw_error_set(at->err, "item %zu of 'witness' is not the index of an event",
                         finding->witness_count);
            return locate(at);
        }
    }
    return 0;
}

/* What a witness of this kind of finding has to show, unless the finding says it itself. */
static int find_claim(const struct place *at, const char *name, struct fw_result_finding *finding)
{
    for (unsigned i = 0; i < FW_CLAIM_COUNT; i++) {
        if (strcmp(name, fw_claim_names[i]) == 0) {
            finding->claim = (enum fw_claim)i;
            return 0;
        }
    }
    fw_error_set(at->err, "has a witness, but its %s '%.64s' is not known",
                 name == finding->kind ? "kind" : "claim", name);
    return locate(at);
}

static int read_claim(const struct place *at, const cJSON *object,
                      struct fw_result_finding *finding)
{
    char *claim;
    int status;

    if (get_text(at, object, "claim", &claim) < 0)
        return -1;
    status = find_claim(at, claim ? claim : finding->kind, finding);
    free(claim);
    return status;
}

/* How far apart the accesses of an instance of an idiom may be. */
static int read_window(const struct place *at, const cJSON *object,
                       struct fw_result_finding *finding)
{
    const cJSON *value;
    uint64_t window = FW_VERIFY_WINDOW;

    if (get_field(at, object, "window", &value) < 0)
        return -1;
    if (value && (!to_index(value, &window) || window > UINT32_MAX)) {
        fw_error_set(at->err, "'window' is not a number of accesses");
        return locate(at);
    }
    finding->window = (uint32_t)window;
    return 0;
}

/* Whatever happens, *finding is fit for release_finding. */
static int read_finding(struct place *at, const cJSON *object, struct fw_result_finding *finding)
{
    if (!cJSON_IsObject(object)) {
        fw_error_set(at->err, "is not an object");
        return locate(at);
    }
    if (get_text(at, object, "id", &finding->id) < 0)
        return -1;
    at->id = finding->id;
    if (!finding->id)
        finding->id = fw_xasprintf("#%zu", at->finding);
    if (get_text(at, object, "kind", &finding->kind) < 0)
        return -1;
    if (!finding->kind) {
        fw_error_set(at->err, "has no 'kind'");
        return locate(at);
    }
    if (get_text(at, object, "status", &finding->status) < 0 ||
        get_text(at, object, "trace", &finding->trace) < 0 ||
        read_events(at, object, finding) < 0 || read_saw(at, object, finding) < 0 ||
        read_witness(at, object, finding) < 0)
        return -1;
    if (!finding->has_witness)
        return 0;
    if (!finding->events) {
        fw_error_set(at->err, "has a witness, but no 'events'");
        return locate(at);
    }
    return read_window(at, object, finding) < 0 ? -1 : read_claim(at, object, finding);
}

static void release_event(struct fw_result_event *event)
{
    free(event->thread);
    free(event->op);
    free(event->target);
    free(event->site);
}

static void release_finding(struct fw_result_finding *finding)
{
    for (size_t i = 0; i < finding->event_count; i++)
        release_event(&finding->events[i]);
    if (finding->saw)
        release_event(finding->saw);
    free(finding->saw);
    free(finding->events);
    free(finding->witness);
    free(finding->id);
    free(finding->kind);
    free(finding->status);
    free(finding->trace);
}

/* ---- the file ---- */

static int read_findings(struct place *at, const cJSON *root, struct fw_result *result)
{
    const cJSON *array, *item;

    if (get_array(at, root, "findings", &array) < 0)
        return -1;
    if (!array) {
        fw_error_set(at->err, "has no 'findings': is it a result of 'foreweave check'?");
        return locate(at);
    }
    result->findings = fw_xcalloc((size_t)cJSON_GetArraySize(array) + 1, sizeof *result->findings);
    cJSON_ArrayForEach(item, array)
    {
        struct fw_result_finding *finding = &result->findings[result->count++];

        at->finding = result->count;
        at->id = NULL;
        if (read_finding(at, item, finding) < 0)
            return -1;
    }
    return 0;
}

/* By which rule the findings are to be judged; none said: the strict one. */
static int read_values(const struct place *at, const cJSON *root, bool *values)
{
    const cJSON *value;

    if (get_field(at, root, "values", &value) < 0)
        return -1;
    if (value && !cJSON_IsBool(value)) {
        fw_error_set(at->err, "'values' is neither true nor false");
        return locate(at);
    }
    *values = cJSON_IsTrue(value);
    return 0;
}

/* Which trace the result is about, and how that was read. */
static int read_trace(const struct place *at, const cJSON *root, struct fw_result *result)
{
    const cJSON *trace, *dropped;
    uint64_t count = 0;

    if (get_field(at, root, "trace", &trace) < 0)
        return -1;
    if (!trace)
        return 0;
    if (!cJSON_IsObject(trace)) {
        fw_error_set(at->err, "'trace' is not an object");
        return locate(at);
    }
    if (get_text(at, trace, "name", &result->trace) < 0 ||
        get_field(at, trace, "dropped", &dropped) < 0)
        return -1;
    if (dropped && !to_index(dropped, &count)) {
        fw_error_set(at->err, "'dropped' is not a number of events");
        return locate(at);
    }
    result->repaired = count > 0;
    return 0;
}

static int read_root(struct place *at, const cJSON *root, struct fw_result *result)
{
    const cJSON *schema;
    uint64_t version = 0;

    if (!cJSON_IsObject(root)) {
        fw_error_set(at->err, "is not an object with 'findings'");
        return locate(at);
    }
    if (get_field(at, root, "schema", &schema) < 0)
        return -1;
    if (schema && (!to_index(schema, &version) || version != 1)) {
        fw_error_set(at->err, "its 'schema' is not 1, the one this version reads");
        return locate(at);
    }
    if (read_values(at, root, &result->values) < 0 || read_trace(at, root, result) < 0)
        return -1;
    return read_findings(at, root, result);
}

/* "result.json:3: not valid JSON"; where cJSON stopped is close enough to the mistake. */
static int refuse_text(const struct place *at, const char *text, const char *stopped)
{
    size_t line = 1;

    for (const char *c = text; c < stopped; c++)
        line += *c == '\n';
    return fw_error_set(at->err, "%s:%zu: not valid JSON (or cut, or nested too deeply)", at->file,
                        line);
}

static bool only_blanks(const char *text, const char *end)
{
    while (text < end && (*text == ' ' || *text == '\t' || *text == '\n' || *text == '\r'))
        text++;
    return text == end;
}

int fw_result_read_memory(struct fw_result **out, const char *text, size_t size, const char *name,
                          struct fw_error *err)
{
    struct place at = { .file = name, .err = err };
    const char *stopped = text;
    cJSON *root = size ? cJSON_ParseWithLengthOpts(text, size, &stopped, 0) : NULL;
    struct fw_result *result;
    int status;

    if (!root || !only_blanks(stopped, text + size)) {
        cJSON_Delete(root);
        return refuse_text(&at, text, stopped);
    }
    result = fw_xcalloc(1, sizeof *result);
    status = read_root(&at, root, result);
    cJSON_Delete(root);
    if (status < 0)
        fw_result_destroy(result);
    else
        *out = result;
    return status;
}

/* The whole file in memory; the caller frees. */
static char *slurp(FILE *file, size_t *size)
{
    size_t capacity = 1u << 16, used = 0, got;
    char *text = fw_xmalloc(capacity);

    while ((got = fread(text + used, 1, capacity - used, file)) > 0) {
        used += got;
        if (used == capacity) {
            capacity *= 2;
            text = fw_xrealloc(text, capacity, 1);
        }
    }
    *size = used;
    return text;
}

int fw_result_read(struct fw_result **result, const char *path, struct fw_error *err)
{
    bool standard = strcmp(path, "-") == 0;
    const char *name = standard ? "standard input" : path;
    FILE *file = standard ? stdin : fopen(path, "re");
    size_t size;
    char *text;
    int status;

    if (!file)
        return fw_error_errno(err, "cannot open result '%s'", path);
    text = slurp(file, &size);
    if (ferror(file))
        status = fw_error_errno(err, "cannot read result '%s'", name);
    else
        status = fw_result_read_memory(result, text, size, name, err);
    free(text);
    if (!standard)
        fclose(file);
    return status;
}

void fw_result_destroy(struct fw_result *result)
{
    if (!result)
        return;
    for (size_t i = 0; i < result->count; i++)
        release_finding(&result->findings[i]);
    free(result->findings);
    free(result->trace);
    free(result);
}
