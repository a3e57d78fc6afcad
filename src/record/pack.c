/* pack.c - see pack.h. */
#include "record/pack.h"

#include "record/units.h"
#include "trace/fwt_block.h"

#define HEAD       16u
#define SLOTS      (1u << 17) /* a power of two, at least twice the entries of a block */
#define OPERAND    UINT64_C(0xffffffffffff)
#define MOST_BYTES 8u /* of the varint of a 49-bit difference, zigzag */

struct entry {
    uint16_t high; /* kind and n */
    uint64_t b;
    uint64_t last; /* operand of the latest record */
};

struct fw_packer {
    uint32_t *slots; /* round << 16 | entry: those of earlier rounds are free */
    uint16_t round;
    struct entry *entries;
    uint32_t count;
    uint16_t *codes;
    FW_VEC(unsigned char) operands;
    FW_VEC(struct fw_wire_unit) more;
};

struct fw_packer *fw_packer_create(void)
{
    struct fw_packer *p = fw_xcalloc(1, sizeof *p);

    p->slots = fw_xcalloc(SLOTS, sizeof *p->slots);
    p->entries = fw_xmalloc(FW_PACK_UNITS * sizeof *p->entries);
    p->codes = fw_xmalloc(FW_PACK_UNITS * sizeof *p->codes);
    return p;
}

void fw_packer_destroy(struct fw_packer *p)
{
    if (!p)
        return;
    free(p->slots);
    free(p->entries);
    free(p->codes);
    fw_vec_release(&p->operands);
    fw_vec_release(&p->more);
    free(p);
}

static void next_round(struct fw_packer *p)
{
    p->count = 0;
    p->operands.len = 0;
    p->more.len = 0;
    if (++p->round == 0) {
        memset(p->slots, 0, SLOTS * sizeof *p->slots);
        p->round = 1;
    }
}

/* The dictionary's entry for the unit, made if it is new. */
static uint32_t find_entry(struct fw_packer *p, const struct fw_wire_unit *unit)
{
    uint16_t high = (uint16_t)(unit->a >> 48);
    uint64_t hash = (unit->b ^ (uint64_t)high << 40) * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t i = (uint32_t)(hash >> 47) & (SLOTS - 1);

    for (; p->slots[i] >> 16 == p->round; i = (i + 1) & (SLOTS - 1)) {
        const struct entry *entry = &p->entries[p->slots[i] & 0xffff];

        if (entry->b == unit->b && entry->high == high)
            return p->slots[i] & 0xffff;
    }
    p->slots[i] = (uint32_t)p->round << 16 | p->count;
    p->entries[p->count] = (struct entry) { high, unit->b, 0 };
    return p->count++;
}

static size_t pack_records(struct fw_packer *p, const struct fw_wire_unit *units, size_t count)
{
    size_t records = 0, size;

    fw_vec_reserve(&p->operands, count * MOST_BYTES);
    for (size_t at = 0; at < count; at += size) {
        const struct fw_wire_unit *unit = &units[at];
        uint32_t code = find_entry(p, unit);
        uint64_t operand = unit->a & OPERAND;
        uint64_t step = fw_zigzag((int64_t)(operand - p->entries[code].last));

        size = 1 + (size_t)fw_wire_more(unit);
        p->entries[code].last = operand;
        p->codes[records++] = (uint16_t)code;
        p->operands.len += fw_varint_put(p->operands.at + p->operands.len, step);
        for (size_t i = 1; i < size; i++)
            fw_vec_push(&p->more, units[at + i]);
    }
    return records;
}

/* The sections behind the head; returns where they end. */
static unsigned char *write_sections(const struct fw_packer *p, size_t records, unsigned char *to)
{
    for (uint32_t i = 0; i < p->count; i++, to += 2)
        fw_put16(to, p->entries[i].high);
    for (uint32_t i = 0; i < p->count; i++, to += 8)
        fw_put64(to, p->entries[i].b);
    for (size_t i = 0; i < records; i++)
        *to++ = (unsigned char)p->codes[i];
    for (size_t i = 0; i < records; i++)
        *to++ = (unsigned char)(p->codes[i] >> 8);
    if (p->operands.len)
        memcpy(to, p->operands.at, p->operands.len);
    to += p->operands.len;
    for (size_t i = 0; i < p->more.len; i++, to += 16) {
        fw_put64(to, p->more.at[i].a);
        fw_put64(to + 8, p->more.at[i].b);
    }
    return to;
}

void fw_pack(struct fw_packer *p, const struct fw_wire_unit *units, size_t count,
             struct fw_packed *to)
{
    size_t records;

    next_round(p);
    records = pack_records(p, units, count);
    fw_vec_reserve(to, HEAD + p->count * 10 + records * 2 + p->operands.len + p->more.len * 16);
    fw_put32(to->at, p->count);
    fw_put32(to->at + 4, (uint32_t)records);
    fw_put32(to->at + 8, (uint32_t)p->operands.len);
    fw_put32(to->at + 12, (uint32_t)p->more.len);
    to->len = (size_t)(write_sections(p, records, to->at + HEAD) - to->at);
}

/* A payload whose sizes fit together. */
struct payload {
    size_t entries, records, more;
    const unsigned char *highs, *bs, *low, *high, *units;
    struct fw_cursor operands;
    uint64_t *last; /* by entry */
};

static bool open_payload(struct payload *p, const unsigned char *bytes, size_t size, size_t count)
{
    size_t operands, need;

    if (size < HEAD)
        return false;
    p->entries = fw_get32(bytes);
    p->records = fw_get32(bytes + 4);
    operands = fw_get32(bytes + 8);
    p->more = fw_get32(bytes + 12);
    if (p->entries > p->records || p->records + p->more != count || count > FW_PACK_UNITS ||
        operands > count * FW_VARINT_MAX)
        return false;
    need = HEAD + p->entries * 10 + p->records * 2 + operands + p->more * 16;
    if (need != size)
        return false;
    p->highs = bytes + HEAD;
    p->bs = p->highs + p->entries * 2;
    p->low = p->bs + p->entries * 8;
    p->high = p->low + p->records;
    p->operands.at = p->high + p->records;
    p->operands.end = p->operands.at + operands;
    p->operands.bad = false;
    p->units = p->operands.end;
    return true;
}

/* The next record; false: it is not possible. */
static bool take_record(struct payload *p, size_t i, struct fw_units *to, size_t count)
{
    size_t code = p->low[i] | (size_t)p->high[i] << 8;
    struct fw_wire_unit *unit = &to->at[to->len];
    size_t size;

    if (code >= p->entries)
        return false;
    p->last[code] += (uint64_t)fw_unzigzag(fw_cursor_varint(&p->operands));
    if (p->operands.bad || p->last[code] > OPERAND)
        return false;
    unit->a = p->last[code] | (uint64_t)fw_get16(p->highs + code * 2) << 48;
    unit->b = fw_get64(p->bs + code * 8);
    size = fw_units_record(unit, count - to->len);
    if (!size || size - 1 > p->more)
        return false;
    for (size_t k = 1; k < size; k++, p->units += 16)
        unit[k] = (struct fw_wire_unit) { fw_get64(p->units), fw_get64(p->units + 8) };
    p->more -= size - 1;
    to->len += size;
    return true;
}

int fw_unpack(const unsigned char *bytes, size_t size, size_t count, struct fw_units *to,
              struct fw_error *err)
{
    struct payload p;
    size_t i;

    to->len = 0;
    if (!open_payload(&p, bytes, size, count))
        return fw_error_set(err, "sizes of the records do not fit together");
    fw_vec_reserve(to, count + 1);
    p.last = fw_xcalloc(p.entries + 1, sizeof *p.last);
    for (i = 0; i < p.records && to->len < count; i++)
        if (!take_record(&p, i, to, count))
            break;
    free(p.last);
    if (i < p.records || to->len != count)
        return fw_error_set(err, "record %zu is damaged", i);
    return 0;
}
