/*
 * sync_cells.c - a table of what we know about objects of the program, in memory of our own.
 *
 * A chained hash table: cells do not move when it grows.  Cells and small pieces come from chunks
 * that are never given back, and go to free lists.
 */
#include "runtime/control_quick.h"
#include "runtime/futex.h"
#include "runtime/sink.h"
#include "runtime/sync.h"

#include <string.h>

#define CHUNK       (64u * 1024)
#define FIRST_ORDER 10u /* buckets: 2^10 at first */
#define PIECE       64u

union piece {
    union piece *next;
    char bytes[PIECE];
};

static struct {
    struct fw_cell **buckets; /* 2^order */
    unsigned order;
    size_t used;
    struct fw_cell *free;
    union piece *free_pieces;
    char *chunk; /* what is left of the newest one */
    size_t left;
} cells;

static void *map(size_t bytes)
{
    void *memory = fw_map_memory(bytes);

    if (!memory)
        fw_note("inexact", "no memory to follow synchronisation");
    return memory;
}

static void *take(size_t bytes)
{
    void *memory;

    if (cells.left < bytes) {
        char *chunk = map(CHUNK);

        if (!chunk)
            return NULL;
        cells.chunk = chunk;
        cells.left = CHUNK;
    }
    memory = cells.chunk;
    cells.chunk += bytes;
    cells.left -= bytes;
    return memory;
}

void *fw_piece_get(void)
{
    union piece *piece = cells.free_pieces;

    if (!piece)
        return take(sizeof *piece);
    cells.free_pieces = piece->next;
    return memset(piece, 0, sizeof *piece);
}

void fw_piece_drop(void *piece)
{
    ((union piece *)piece)->next = cells.free_pieces;
    cells.free_pieces = piece;
}

static struct fw_cell **bucket(enum fw_cell_kind kind, const void *object, uint32_t number)
{
    uint64_t hash =
        ((uintptr_t)object ^ (uint64_t)number << 40 ^ (uint64_t)kind << 56) * 0x9e3779b97f4a7c15u;

    return &cells.buckets[hash >> (64 - cells.order)];
}

/* Without memory it stays as small as it is. */
static void grow(void)
{
    struct fw_cell **old = cells.buckets;
    unsigned order = cells.order;
    struct fw_cell **buckets = map(sizeof *buckets << (order ? order + 2 : FIRST_ORDER));

    if (!buckets)
        return;
    cells.buckets = buckets;
    cells.order = order ? order + 2 : FIRST_ORDER;
    if (!order)
        return;
    for (size_t i = 0; i < (size_t)1 << order; i++) {
        struct fw_cell *cell = old[i], *next;

        for (; cell; cell = next) {
            struct fw_cell **to = bucket(cell->kind, cell->object, cell->number);

            next = cell->next;
            cell->next = *to;
            *to = cell;
        }
    }
    fw_call(SYS_munmap, old, sizeof *old << order, 0, 0);
}

struct fw_cell *fw_cell_find(enum fw_cell_kind kind, const void *object, uint32_t number)
{
    struct fw_cell *cell;

    if (FW_UNLIKELY(fw_quick_held) && kind == FW_CELL_LOCK)
        fw_quick_settle();
    if (!cells.order)
        return NULL;
    for (cell = *bucket(kind, object, number); cell; cell = cell->next)
        if (cell->object == object && cell->kind == kind && cell->number == number)
            return cell;
    return NULL;
}

struct fw_cell *fw_cell_get(enum fw_cell_kind kind, const void *object, uint32_t number)
{
    struct fw_cell *cell = fw_cell_find(kind, object, number), **to;

    if (cell)
        return cell;
    if (!cells.order || cells.used >> cells.order)
        grow();
    if (!cells.order)
        return NULL;
    cell = cells.free;
    if (cell)
        cells.free = cell->next;
    else
        cell = take(sizeof *cell);
    if (!cell)
        return NULL;
    to = bucket(kind, object, number);
    *cell = (struct fw_cell) { .next = *to, .object = object, .number = number, .kind = kind };
    *to = cell;
    cells.used++;
    return cell;
}

void fw_cell_drop(struct fw_cell *cell)
{
    struct fw_cell **at = bucket(cell->kind, cell->object, cell->number);

    while (*at != cell)
        at = &(*at)->next;
    *at = cell->next;
    cell->next = cells.free;
    cells.free = cell;
    cells.used--;
}

void fw_cell_each(enum fw_cell_kind kind, void (*visit)(struct fw_cell *cell, void *context),
                  void *context)
{
    if (fw_quick_held)
        fw_quick_settle();
    for (size_t i = 0; cells.order && i < (size_t)1 << cells.order; i++) {
        struct fw_cell *cell = cells.buckets[i], *next;

        for (; cell; cell = next) {
            next = cell->next;
            if (cell->kind == kind)
                visit(cell, context);
        }
    }
}

/*
 * What hangs on cells is given up with them: it is little, and a child's memory is its own.
 * Semaphores keep their tokens, whose posts the child's trace does not have.
 */
void fw_sync_forked(void)
{
    fw_quick_forked();
    if (!cells.order)
        return;
    memset(cells.buckets, 0, sizeof *cells.buckets << cells.order);
    cells.used = 0;
}
