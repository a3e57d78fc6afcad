/*
 * regions.c - see regions.h.
 */
#include "cmd/regions.h"

#include "base/alloc.h"
#include "cmd/cmd.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* --- copies ---------------------------------------------------------------------------------- */

static bool is_of_copy(const struct fw_placed *placed, const struct fw_placed *entry)
{
    return placed->section == entry->section && placed->copy == entry->copy;
}

static bool has_exit(const struct fw_placement *placement, const struct fw_placed *entry,
                     uint32_t which)
{
    for (size_t i = 0; i < placement->placed.len; i++)
        if (is_of_copy(&placement->placed.at[i], entry) &&
            placement->placed.at[i].role == FW_PLACE_EXIT && placement->placed.at[i].which == which)
            return true;
    return false;
}

/* Why the copy that has this entry would be watched for too long, or NULL. */
static const char *refusal(const struct fw_sections *sections, const struct fw_placement *placement,
                           const struct fw_placed *entry)
{
    const struct fw_atomic_section *section = &sections->at.at[entry->section];

    for (uint32_t i = 0; i < section->exits.len; i++)
        if (!has_exit(placement, entry, i))
            return "one of its exits is not placed";
    for (size_t i = 0; i < placement->placed.len && !section->circular; i++)
        if (is_of_copy(&placement->placed.at[i], entry) &&
            placement->placed.at[i].role == FW_PLACE_END &&
            placement->placed.at[i].returns == entry->returns)
            return "its entry is one of its ends, and it is not circular";
    return NULL;
}

/* --- placing --------------------------------------------------------------------------------- */

static bool is_placed(const struct fw_placements *placements, uint32_t section)
{
    for (size_t i = 0; i < placements->len; i++)
        if (fw_placement_has(&placements->at[i], section))
            return true;
    return false;
}

/* Why a section is in no file: what the file says that has its function, or else the first one. */
static const char *reason_of(const struct fw_placements *placements, uint32_t section,
                             bool *foreign)
{
    const char *reason = NULL;

    *foreign = true;
    for (size_t i = 0; i < placements->len; i++)
        for (size_t k = 0; k < placements->at[i].unplaced.len; k++) {
            const struct fw_unplaced *unplaced = &placements->at[i].unplaced.at[k];

            if (unplaced->section != section || !unplaced->whole)
                continue;
            if (!reason || !unplaced->foreign)
                reason = unplaced->reason;
            *foreign &= unplaced->foreign;
        }
    return reason ? reason : "it is in none of the files";
}

static void tell_left_out(const struct fw_sections *sections,
                          const struct fw_placements *placements, uint32_t section)
{
    bool foreign;
    const char *reason = reason_of(placements, section, &foreign);

    fw_cmd_warning("section '%s' is left out: %s%s", sections->at.at[section].name, reason,
                   foreign && placements->len == 1 ? " (other files are looked into by --module)"
                                                   : "");
}

static void tell_missing_parts(const struct fw_sections *sections,
                               const struct fw_placements *placements)
{
    for (size_t i = 0; i < placements->len; i++)
        for (size_t k = 0; k < placements->at[i].unplaced.len; k++) {
            const struct fw_unplaced *unplaced = &placements->at[i].unplaced.at[k];

            if (!unplaced->whole)
                fw_cmd_warning("section '%s': %s", sections->at.at[unplaced->section].name,
                               unplaced->reason);
        }
}

static void tell_refused(const struct fw_sections *sections, const struct fw_placements *placements)
{
    for (size_t i = 0; i < placements->len; i++)
        for (size_t k = 0; k < placements->at[i].placed.len; k++) {
            const struct fw_placed *placed = &placements->at[i].placed.at[k];
            const char *why = placed->role == FW_PLACE_ENTRY
                                  ? refusal(sections, &placements->at[i], placed)
                                  : NULL;

            if (why)
                fw_cmd_warning("section '%s' is not watched: %s",
                               sections->at.at[placed->section].name, why);
        }
}

int fw_regions_place(const struct fw_sections *sections, const char *const *files, size_t count,
                     bool quiet, struct fw_placements *placements)
{
    int placed = 0;

    for (size_t i = 0; i < count; i++) {
        struct fw_placement placement;
        struct fw_error err;

        if (fw_sections_place(sections, files[i], &placement, &err) < 0) {
            fw_cmd_error("%s", err.message);
            return -1;
        }
        fw_vec_push(placements, placement);
    }
    for (uint32_t i = 0; i < sections->at.len; i++) {
        if (is_placed(placements, i))
            placed++;
        else if (!quiet)
            tell_left_out(sections, placements, i);
    }
    if (!quiet) {
        tell_missing_parts(sections, placements);
        tell_refused(sections, placements);
    }
    return placed;
}

void fw_placements_release(struct fw_placements *placements)
{
    for (size_t i = 0; i < placements->len; i++)
        fw_placement_release(&placements->at[i]);
    fw_vec_release(placements);
}

/* --- the file -------------------------------------------------------------------------------- */

struct tables {
    const struct fw_sections *sections;
    const bool *left_out;
    FW_VEC(struct fw_regions_section) sections_;
    FW_VEC(struct fw_regions_entry) entries;
    FW_VEC(struct fw_regions_end) ends;
    FW_VEC(struct fw_regions_exit) exits;
    FW_VEC(char) texts;
};

static void add_section(struct tables *tables, const struct fw_atomic_section *section)
{
    struct fw_regions_section row = { .name = tables->texts.len,
                                      .flags = section->recursive ? FW_REGIONS_RECURSIVE : 0 };

    for (const char *c = section->name;; c++) {
        fw_vec_push(&tables->texts, *c);
        if (!*c)
            break;
    }
    fw_vec_push(&tables->sections_, row);
}

/* What belongs to the copy that this entry is in. */
static void add_copy(struct tables *tables, const struct fw_placement *placement,
                     const struct fw_placed *entry)
{
    const struct fw_atomic_section *section = &tables->sections->at.at[entry->section];
    struct fw_regions_entry row = {
        .place = { placement->device, placement->inode, entry->returns },
        .section = entry->section,
        .write = entry->write,
        .first_end = (uint32_t)tables->ends.len,
        .first_exit = (uint32_t)tables->exits.len,
        .allow = FW_REGIONS_READS | FW_REGIONS_WRITES,
        .anew = entry->anew,
    };
    uint32_t number = (uint32_t)tables->entries.len;

    for (size_t i = 0; i < placement->placed.len; i++) {
        const struct fw_placed *placed = &placement->placed.at[i];
        struct fw_regions_place place = { placement->device, placement->inode, placed->returns };

        if (placed->section != entry->section || placed->copy != entry->copy)
            continue;
        if (placed->role == FW_PLACE_END) {
            unsigned allow = section->ends.at[placed->which].allow;

            fw_vec_push(&tables->ends, ((struct fw_regions_end){ .place = place,
                                                                 .entry = number,
                                                                 .end = placed->which,
                                                                 .write = placed->write,
                                                                 .allow = allow }));
            row.allow &= allow;
            row.ends++;
        } else if (placed->role == FW_PLACE_EXIT) {
            fw_vec_push(&tables->exits, ((struct fw_regions_exit){ place, number, 0 }));
            row.exits++;
        }
    }
    fw_vec_push(&tables->entries, row);
}

static void fill(struct tables *tables, const struct fw_placements *placements)
{
    _Static_assert((int)FW_ALLOW_READS == (int)FW_REGIONS_READS &&
                       (int)FW_ALLOW_WRITES == (int)FW_REGIONS_WRITES,
                   "what is allowed is written in the same way");
    for (size_t i = 0; i < tables->sections->at.len; i++)
        add_section(tables, &tables->sections->at.at[i]);
    for (size_t i = 0; i < placements->len; i++)
        for (size_t k = 0; k < placements->at[i].placed.len; k++) {
            const struct fw_placed *placed = &placements->at[i].placed.at[k];

            if (placed->role == FW_PLACE_ENTRY &&
                !(tables->left_out && tables->left_out[placed->section]) &&
                !refusal(tables->sections, &placements->at[i], placed))
                add_copy(tables, &placements->at[i], placed);
        }
}

static uint64_t lay_out(struct fw_regions_head *head, const struct tables *tables)
{
    uint64_t at = sizeof *head;

    *head = (struct fw_regions_head){ .magic = FW_REGIONS_MAGIC,
                                      .version = FW_REGIONS_VERSION,
                                      .section_count = (uint32_t)tables->sections_.len,
                                      .entry_count = (uint32_t)tables->entries.len,
                                      .end_count = (uint32_t)tables->ends.len,
                                      .exit_count = (uint32_t)tables->exits.len,
                                      .text_bytes = tables->texts.len };
    head->sections_at = at;
    head->entries_at = at += tables->sections_.len * sizeof *tables->sections_.at;
    head->ends_at = at += tables->entries.len * sizeof *tables->entries.at;
    head->exits_at = at += tables->ends.len * sizeof *tables->ends.at;
    head->texts_at = at += tables->exits.len * sizeof *tables->exits.at;
    return head->bytes = at + tables->texts.len;
}

static void put(struct fw_regions_head *head, uint64_t at, const void *bytes, size_t size)
{
    if (size)
        memcpy((char *)head + at, bytes, size);
}

static int write_file(struct fw_regions_file *file, const struct tables *tables,
                      struct fw_error *err)
{
    struct fw_regions_head head;
    uint64_t bytes = lay_out(&head, tables);
    void *at;

    file->fd = memfd_create("foreweave-sections", MFD_CLOEXEC);
    if (file->fd < 0 || ftruncate(file->fd, (off_t)bytes) < 0)
        return fw_error_errno(err, "cannot make shared memory");
    at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file->fd, 0);
    if (at == MAP_FAILED)
        return fw_error_errno(err, "cannot map shared memory");
    file->head = at;
    *file->head = head;
    put(at, head.sections_at, tables->sections_.at,
        tables->sections_.len * sizeof *tables->sections_.at);
    put(at, head.entries_at, tables->entries.at, tables->entries.len * sizeof *tables->entries.at);
    put(at, head.ends_at, tables->ends.at, tables->ends.len * sizeof *tables->ends.at);
    put(at, head.exits_at, tables->exits.at, tables->exits.len * sizeof *tables->exits.at);
    put(at, head.texts_at, tables->texts.at, tables->texts.len);
    snprintf(file->path, sizeof file->path, "/proc/%d/fd/%d", (int)getpid(), file->fd);
    return 0;
}

int fw_regions_file_make(struct fw_regions_file *file, const struct fw_sections *sections,
                         const struct fw_placements *placements, const bool *left_out,
                         struct fw_error *err)
{
    struct tables tables = { .sections = sections, .left_out = left_out };
    int status;

    *file = (struct fw_regions_file){ .fd = -1 };
    fill(&tables, placements);
    status = write_file(file, &tables, err);
    fw_vec_release(&tables.sections_);
    fw_vec_release(&tables.entries);
    fw_vec_release(&tables.ends);
    fw_vec_release(&tables.exits);
    fw_vec_release(&tables.texts);
    return status;
}

void fw_regions_file_release(struct fw_regions_file *file)
{
    if (file->head)
        munmap(file->head, file->head->bytes);
    if (file->fd >= 0)
        close(file->fd);
    *file = (struct fw_regions_file){ .fd = -1 };
}

struct fw_regions_end *fw_regions_file_ends(const struct fw_regions_file *file)
{
    return (struct fw_regions_end *)((char *)file->head + file->head->ends_at);
}
