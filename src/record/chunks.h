/*
 * chunks.h - something for every kilobyte of a program's memory that has come up.
 *
 * Open addressing by chunk number (address / 1024).  A slot has a number of its own for the user
 * (`tag`) and perhaps a chunk, whose layout is the user's.  In front of it stands a small cache,
 * since programs come back to where they were.
 *
 * Pointers to slots are good until the next fw_chunks_make or fw_chunks_remove; chunks stay where
 * they are.
 */
#ifndef FW_RECORD_CHUNKS_H
#define FW_RECORD_CHUNKS_H

#include "base/alloc.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define FW_CHUNK_SHIFT 10u
#define FW_CHUNK_BYTES (1u << FW_CHUNK_SHIFT)
#define FW_CHUNK_WORDS (FW_CHUNK_BYTES / 8)
#define FW_CHUNK_CACHE 2048u

struct fw_chunk_slot {
    uint64_t key; /* chunk number + 1; 0: free */
    void *chunk;
    uint32_t tag;
};

struct fw_chunks {
    struct fw_chunk_slot *slots;
    size_t size, count; /* size: a power of two, at least twice the count */
    struct {
        uint64_t key;
        void *chunk;
    } cache[FW_CHUNK_CACHE]; /* chunk: NULL: there is none, perhaps no slot either */
};

struct fw_chunks *fw_chunks_create(void);
/* Chunks are given to `destroy_chunk` first. */
void fw_chunks_destroy(struct fw_chunks *chunks, void (*destroy_chunk)(void *chunk));

/* The slot of a chunk number, or NULL. */
struct fw_chunk_slot *fw_chunks_slot(const struct fw_chunks *chunks, uint64_t number);
/* The same, made if it is new (tag 0, no chunk). */
struct fw_chunk_slot *fw_chunks_make(struct fw_chunks *chunks, uint64_t number);
/* The slot goes; its chunk must be gone already. */
void fw_chunks_remove(struct fw_chunks *chunks, struct fw_chunk_slot *slot);

/* Gives a slot its chunk. */
static inline void fw_chunks_set(struct fw_chunks *chunks, struct fw_chunk_slot *slot, void *chunk)
{
    size_t line = (slot->key - 1) & (FW_CHUNK_CACHE - 1);

    slot->chunk = chunk;
    chunks->cache[line].key = slot->key;
    chunks->cache[line].chunk = chunk;
}

/* The chunk of this number, or NULL. */
static inline void *fw_chunks_find(struct fw_chunks *chunks, uint64_t number)
{
    size_t line = number & (FW_CHUNK_CACHE - 1);
    struct fw_chunk_slot *slot;

    if (chunks->cache[line].key == number + 1)
        return chunks->cache[line].chunk;
    slot = fw_chunks_slot(chunks, number);
    chunks->cache[line].key = number + 1;
    chunks->cache[line].chunk = slot ? slot->chunk : NULL;
    return chunks->cache[line].chunk;
}

/*
 * The numbers in first..last that have a slot, ascending.  Copies them, so
 * that slots may be made and removed while they are gone through; the caller frees.
 */
uint64_t *fw_chunks_list(const struct fw_chunks *chunks, uint64_t first, uint64_t last,
                         size_t *count);

#endif
