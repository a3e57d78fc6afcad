/*
 * final_told.c - see final_state.h: what a trace says about its recording besides events.
 *
 * Keys are listed in docs/formats.md; values with several lines are lists.
 */
#include "record/final_state.h"

#include <inttypes.h>
#include <stdio.h>

#define MOST_TEXTS 4096u /* in one list */

void fw_final_texts_release(struct final_texts *texts)
{
    for (size_t i = 0; i < texts->len; i++)
        free(texts->at[i]);
    fw_vec_release(texts);
}

/* Adds a text that is not there yet; takes it over. */
static void add_text(struct final_texts *texts, char *text)
{
    for (size_t i = 0; i < texts->len; i++)
        if (strcmp(texts->at[i], text) == 0) {
            free(text);
            return;
        }
    if (texts->len < MOST_TEXTS)
        fw_vec_push(texts, text);
    else
        free(text);
}

static void tell(struct fw_final *f, const char *key, const char *value)
{
    fw_final_flush(f);
    if (value && !f->failed &&
        fw_fwt_write_metadata(fw_writer_encoder(f->writer), key, value, f->err) < 0)
        fw_final_fail(f);
}

static void tell_number(struct fw_final *f, const char *key, uint64_t value)
{
    char text[24];

    snprintf(text, sizeof text, "%" PRIu64, value);
    tell(f, key, text);
}

static void tell_list(struct fw_final *f, const char *key, char *const *texts, size_t count)
{
    struct fw_output list;

    if (!count)
        return;
    fw_output_open_memory(&list);
    for (size_t i = 0; i < count && list.used < FW_FWT_MAX_PAYLOAD / 2; i++)
        fw_output_printf(&list, "%s%s", i ? "\n" : "", texts[i]);
    fw_output_bytes(&list, "", 1);
    tell(f, key, list.buffer);
    fw_output_abandon(&list);
}

static char *clean_text(const struct fw_wire_unit *record)
{
    size_t len;
    const char *bytes = fw_unit_text(record, &len);
    char *text = fw_xstrndup(bytes, len);

    for (char *p = text; *p; p++)
        if ((unsigned char)*p < 0x20)
            *p = '?';
    return text;
}

void fw_final_note(struct fw_final *f, const struct fw_wire_unit *record)
{
    static const char *const keys[] = { "unmodelled=", "inexact=", "partial=", "off=",
                                              "shared=" };
    struct final_texts *const lists[] = { &f->unmodelled, &f->inexact, &f->partial, &f->off,
                                          &f->shared };
    char *text = clean_text(record);

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strncmp(text, keys[i], strlen(keys[i])) == 0) {
            add_text(lists[i], fw_xstrdup(text + strlen(keys[i])));
            /* Whoever reads only the beginning of the trace must know this. */
            if (lists[i] == &f->unmodelled)
                tell_list(f, "unmodelled", f->unmodelled.at, f->unmodelled.len);
            else if (lists[i] == &f->inexact)
                tell_list(f, "inexact", f->inexact.at, f->inexact.len);
            else if (lists[i] == &f->partial)
                tell_list(f, "partial", f->partial.at, f->partial.len);
            free(text);
            return;
        }
    add_text(&f->notes, text);
}

void fw_final_thread_name(struct fw_final *f, const struct fw_wire_unit *record)
{
    char *text = clean_text(record);

    add_text(&f->names, fw_xasprintf("T%" PRIu64 "=%s", fw_wire_operand(record), text));
    free(text);
}

void fw_final_module(struct fw_final *f, const struct fw_wire_unit *record)
{
    unsigned char id[FW_BUILD_ID_MAX];
    const struct fw_module *module;
    struct fw_fwt_module block;

    if (fw_wire_kind(record) == FW_WIRE_UNLOAD) {
        fw_modules_unload(&f->modules, record);
        fw_final_modules_changed(f);
        return;
    }
    if (!fw_modules_load(&f->modules, record))
        return;
    fw_final_modules_changed(f);
    fw_final_flush(f);
    module = &fw_vec_last(&f->modules.all);
    block = (struct fw_fwt_module) { .path = module->path,
                                     .base = module->base,
                                     .size = module->bytes,
                                     .build_id = id,
                                     .build_id_size = fw_elf_build_id(module->path, id) };
    if (!f->failed &&
        fw_fwt_write_modules(fw_writer_encoder(f->writer), &block, 1, f->err) < 0)
        fw_final_fail(f);
}

void fw_final_libraries(struct fw_final *f)
{
    size_t known = f->unmodelled.len;

    for (size_t i = 0; i < f->modules.all.len; i++) {
        const struct fw_module *module = &f->modules.all.at[i];
        const char *what = fw_module_synchronises(module->path);
        const char *slash = strrchr(module->path, '/');

        if (what && !(module->flags & FW_WIRE_MODULE_INSTRUMENTED))
            add_text(&f->unmodelled,
                     fw_xasprintf("%s (%s)", what, slash ? slash + 1 : module->path));
    }
    f->modules_asked = f->modules.all.len;
    if (f->unmodelled.len > known)
        tell_list(f, "unmodelled", f->unmodelled.at, f->unmodelled.len);
}

/* --- metadata -------------------------------------------------------------------------------- */

static int compare_ids(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* Variables by their ids: "3 17-19". */
static void tell_ids(struct fw_final *f, const char *key, const struct final_ids *list)
{
    const uint32_t *ids = list->at;
    struct fw_output text;

    if (!list->len)
        return;
    qsort(list->at, list->len, sizeof *list->at, compare_ids);
    fw_output_open_memory(&text);
    for (size_t i = 0, next; i < list->len; i = next) {
        for (next = i + 1; next < list->len && ids[next] - ids[next - 1] <= 1;)
            next++;
        fw_output_printf(&text, "%s%" PRIu32, i ? " " : "", ids[i]);
        if (ids[next - 1] != ids[i])
            fw_output_printf(&text, "-%" PRIu32, ids[next - 1]);
    }
    fw_output_bytes(&text, "", 1);
    if (text.used < FW_FWT_MAX_PAYLOAD / 2)
        tell(f, key, text.buffer);
    fw_output_abandon(&text);
}

static void tell_modules(struct fw_final *f)
{
    struct final_texts plain = { 0 }, system = { 0 };
    bool instrumented = false;

    for (size_t i = 0; i < f->modules.all.len; i++) {
        const struct fw_module *module = &f->modules.all.at[i];

        if (module->flags & FW_WIRE_MODULE_INSTRUMENTED)
            instrumented = true;
        else if (!fw_module_is_system(module->path))
            add_text(&plain, fw_xstrdup(module->path));
        else if (!strstr(module->path, "libforeweave_rt") && !strstr(module->path, "vdso"))
            add_text(&system, fw_xstrdup(module->path));
    }
    f->result->accesses = instrumented;
    tell_list(f, "uninstrumented", plain.at, plain.len);
    tell_list(f, "uninstrumented-system", system.at, system.len);
    tell(f, "accesses", instrumented ? "yes" : "none");
    fw_final_texts_release(&plain);
    fw_final_texts_release(&system);
}

/* How the program ended: what the recorder saw counts more than what the program said. */
static void tell_end(struct fw_final *f, const struct fw_spool_reader *spool)
{
    bool seen = fw_spool_value(spool, "exit") || fw_spool_value(spool, "signal");

    for (size_t i = 0; i < f->setup->pair_count; i++) {
        tell(f, f->setup->pairs[i].key, f->setup->pairs[i].value);
        seen = true;
    }
    if (!seen && f->signal >= 0)
        tell_number(f, "signal", (uint64_t)f->signal);
    else if (!seen && f->exit_status >= 0)
        tell_number(f, "exit", (uint64_t)f->exit_status);
    tell(f, "exec", f->exec);
}

void fw_final_pairs(struct fw_final *f, const struct fw_spool_reader *spool)
{
    for (; f->pairs_told < spool->pairs.len; f->pairs_told++)
        tell(f, spool->pairs.at[f->pairs_told].key, spool->pairs.at[f->pairs_told].value);
}

void fw_final_metadata(struct fw_final *f, const struct fw_spool_reader *spool)
{
    struct fw_final_result *result = f->result;

    fw_final_pairs(f, spool);
    tell_end(f, spool);
    tell_modules(f);
    fw_final_libraries(f);
    tell_list(f, "off", f->off.at, f->off.len);
    tell_list(f, "notes", f->notes.at, f->notes.len);
    tell_list(f, "shared", f->shared.at, f->shared.len);
    tell_list(f, "waiting", f->waits.at, f->waits.len);
    tell_list(f, "thread-names", f->names.at, f->names.len);
    tell_ids(f, "expected", &f->expected);
    tell_ids(f, "unseen", &f->unseen);
    if (f->status.dropped) {
        tell_number(f, "dropped", f->status.dropped);
        tell(f, "first-drop", f->status.first_drop);
    }
    if (result->damage[0])
        tell(f, "damage", result->damage);
    result->inexact = f->inexact.len > 0;
    result->unseen = f->unseen.len;
    result->unmodelled = (uint32_t)f->unmodelled.len;
    if (f->unmodelled.len)
        snprintf(result->first_unmodelled, sizeof result->first_unmodelled, "%.159s",
                 f->unmodelled.at[0]);
    if (f->off.len)
        snprintf(result->off, sizeof result->off, "%.159s", f->off.at[0]);
}
