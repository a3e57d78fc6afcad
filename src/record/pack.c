/* pack.c - see pack.h. */
#include "record/pack.h"

#include "record/units.h"
#include "trace/fwt_block.h"

#define HEAD       12u
#define ENTRY      12u /* bytes of an entry of the dictionary */
#define RECORD     6u
#define SLOTS      (1u << 17) /* a power of two, at least twice the entries of a block */

struct entry {
    uint64_t b;
    uint32_t high; /* a >> 32: kind, n, upper half of the operand */
    uint32_t last; /* lower half of the latest record */
};

struct fw_packer {
    uint32_t *slots; /* round << 16 | entry: those of earlier rounds are free */
    uint16_t round;
    struct entry *entries;
    uint32_t count;
    uint16_t *codes;
    uint32_t *steps;
    FW_VEC(struct fw_wire_unit) more;
};

struct fw_packer *fw_packer_create(void)
{
    struct fw_packer *p = fw_xcalloc(1, sizeof *p);

    p->slots = fw_xcalloc(SLOTS, sizeof *p->slots);
    p->entries = fw_xmalloc(FW_PACK_UNITS * sizeof *p->entries);
    p->codes = fw_xmalloc(FW_PACK_UNITS * sizeof *p->codes);
    p->steps = fw_xmalloc(FW_PACK_UNITS * sizeof *p->steps);
    return p;
}

void fw_packer_destroy(struct fw_packer *p)
{
    if (!p)
        return;
    free(p->slots);
    free(p->entries);
    free(p->codes);
    free(p->steps);
    fw_vec_release(&p->more);
    free(p);
}

static void next_round(struct fw_packer *p)
{
    p->count = 0;
    p->more.len = 0;
    if (++p->round == 0) {
        memset(p->slots, 0, SLOTS * sizeof *p->slots);
        p->round = 1;
    }
}

/* The dictionary's entry for the unit, made if it is new. */
static inline uint32_t find_entry(struct fw_packer *p, const struct fw_wire_unit *unit)
{
    uint32_t high = (uint32_t)(unit->a >> 32);
    uint64_t hash = (unit->b ^ (uint64_t)high << 24) * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t i = (uint32_t)(hash >> 47) & (SLOTS - 1);

    for (; p->slots[i] >> 16 == p->round; i = (i + 1) & (SLOTS - 1)) {
        const struct entry *entry = &p->entries[p->slots[i] & 0xffff];

        if (entry->b == unit->b && entry->high == high)
            return p->slots[i] & 0xffff;
    }
    p->slots[i] = (uint32_t)p->round << 16 | p->count;
    p->entries[p->count] = (struct entry) { unit->b, high, 0 };
    return p->count++;
}

static size_t pack_records(struct fw_packer *p, const struct fw_wire_unit *units, size_t count)
{
    size_t records = 0, size;

    for (size_t at = 0; at < count; at += size) {
        const struct fw_wire_unit *unit = &units[at];
        uint32_t code = find_entry(p, unit);
        uint32_t low = (uint32_t)unit->a;

        size = 1 + (size_t)fw_wire_more(unit);
        p->codes[records] = (uint16_t)code;
        p->steps[records++] = low - p->entries[code].last;
        p->entries[code].last = low;
        for (size_t i = 1; i < size; i++)
            fw_vec_push(&p->more, units[at + i]);
    }
    return records;
}

/* The sections behind the head; returns where they end. */
static unsigned char *write_sections(const struct fw_packer *p, size_t records, unsigned char *to)
{
    for (uint32_t i = 0; i < p->count; i++, to += 4)
        fw_put32(to, p->entries[i].high);
    for (uint32_t i = 0; i < p->count; i++, to += 8)
        fw_put64(to, p->entries[i].b);
    for (size_t i = 0; i < records; i++, to += 2)
        fw_put16(to, p->codes[i]);
    for (size_t i = 0; i < records; i++, to += 4)
        fw_put32(to, p->steps[i]);
    for (size_t i = 0; i < p->more.len; i++, to += 16) {
        fw_put64(to, p->more.at[i].a);
        fw_put64(to + 8, p->more.at[i].b);
    }
    return to;
}

size_t fw_pack(struct fw_packer *p, const struct fw_wire_unit *units, size_t count,
               struct fw_packed *to)
{
    size_t records;

    next_round(p);
    records = pack_records(p, units, count);
    fw_vec_reserve(to, HEAD + p->count * ENTRY + records * RECORD + p->more.len * 16);
    fw_put32(to->at, p->count);
    fw_put32(to->at + 4, (uint32_t)records);
    fw_put32(to->at + 8, (uint32_t)p->more.len);
    to->len = (size_t)(write_sections(p, records, to->at + HEAD) - to->at);
    return records;
}

/* An entry while unpacking: the first unit of its latest record, and how many units it has. */
struct known {
    struct fw_wire_unit unit;
    size_t size;
};

/* A payload whose sizes fit together. */
struct payload {
    size_t entries, records, more;
    const unsigned char *highs, *bs, *codes, *steps, *units;
    struct known *known; /* by entry */
};

static bool open_payload(struct payload *p, const unsigned char *bytes, size_t size, size_t count)
{
    if (size < HEAD)
        return false;
    p->entries = fw_get32(bytes);
    p->records = fw_get32(bytes + 4);
    p->more = fw_get32(bytes + 8);
    if (p->entries > p->records || p->records + p->more != count || count > FW_PACK_UNITS ||
        size != HEAD + p->entries * ENTRY + p->records * RECORD + p->more * 16)
        return false;
    p->highs = bytes + HEAD;
    p->bs = p->highs + p->entries * 4;
    p->codes = p->bs + p->entries * 8;
    p->steps = p->codes + p->records * 2;
    p->units = p->steps + p->records * 4;
    return true;
}

/* False: an entry is not possible. */
static bool open_entries(struct payload *p)
{
    for (size_t i = 0; i < p->entries; i++) {
        struct known *known = &p->known[i];

        known->unit.a = (uint64_t)fw_get32(p->highs + i * 4) << 32;
        known->unit.b = fw_get64(p->bs + i * 8);
        known->size = fw_units_record(&known->unit, FW_PACK_UNITS);
        if (!known->size)
            return false;
    }
    return true;
}

/* The next record; false: it is not possible. */
static inline bool take_record(struct payload *p, size_t i, struct fw_units *to, size_t count)
{
    size_t code = fw_get16(p->codes + i * 2);
    struct fw_wire_unit *unit = &to->at[to->len];
    struct known *known = &p->known[code];

    if (code >= p->entries || known->size > count - to->len || known->size - 1 > p->more)
        return false;
    known->unit.a = (known->unit.a & ~UINT64_C(0xffffffff)) |
                    (uint32_t)(known->unit.a + fw_get32(p->steps + i * 4));
    *unit = known->unit;
    for (size_t k = 1; k < known->size; k++, p->units += 16, p->more--)
        unit[k] = (struct fw_wire_unit) { fw_get64(p->units), fw_get64(p->units + 8) };
    to->len += known->size;
    return true;
}

int fw_unpack(const unsigned char *bytes, size_t size, size_t count, struct fw_units *to,
              struct fw_error *err)
{
    struct payload p;
    size_t i = 0;

    to->len = 0;
    if (!open_payload(&p, bytes, size, count))
        return fw_error_set(err, "sizes of the records do not fit together");
    fw_vec_reserve(to, count + 1);
    p.known = fw_xcalloc(p.entries + 1, sizeof *p.known);
    if (open_entries(&p))
        while (i < p.records && take_record(&p, i, to, count))
            i++;
    free(p.known);
    if (i < p.records || to->len != count)
        return fw_error_set(err, "record %zu is damaged", i);
    return 0;
}
