/* text_attrs.c - see text_attrs.h. */
#include "trace/text_attrs.h"

#include "trace/text_lines.h"

#include <string.h>

/* A piece of the line. */
struct piece {
    const char *from, *to;
};

static size_t piece_len(struct piece p)
{
    return (size_t)(p.to - p.from);
}

static bool piece_is(struct piece p, const char *word)
{
    size_t len = strlen(word);

    return piece_len(p) == len && memcmp(p.from, word, len) == 0;
}

static const char *quote(char to[FW_TEXT_QUOTE], struct piece p)
{
    return fw_text_quote(to, p.from, piece_len(p));
}

int fw_text_parse_u64(const char *text, size_t len, uint64_t *number)
{
    uint64_t n = 0;

    if (len == 0)
        return -1;
    for (size_t i = 0; i < len; i++) {
        unsigned digit = (unsigned char)text[i] - '0';

        if (digit > 9 || __builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, digit, &n))
            return -1;
    }
    *number = n;
    return 0;
}

int fw_text_parse_i64(const char *text, size_t len, int64_t *number)
{
    bool negative = len > 0 && *text == '-';
    uint64_t n, limit = (uint64_t)INT64_MAX + negative;

    if (fw_text_parse_u64(text + negative, len - negative, &n) < 0 || n > limit)
        return -1;
    *number = (int64_t)(negative ? 0 - n : n);
    return 0;
}

static int parse_order(struct piece value, unsigned *order)
{
    static const struct {
        const char *name;
        enum fw_order order;
    } aliases[] = {
        { "relaxed", FW_ORDER_RELAXED }, { "consume", FW_ORDER_CONSUME },
        { "acquire", FW_ORDER_ACQUIRE }, { "release", FW_ORDER_RELEASE },
        { "sc", FW_ORDER_SEQ_CST },      { "ar", FW_ORDER_ACQ_REL },
    };

    for (unsigned i = 0; i < FW_ORDER_COUNT; i++) {
        if (piece_is(value, fw_order_names[i])) {
            *order = i;
            return 0;
        }
    }
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++) {
        if (piece_is(value, aliases[i].name)) {
            *order = aliases[i].order;
            return 0;
        }
    }
    return -1;
}

static int parse_size(struct piece value, uint32_t *size)
{
    uint64_t number;

    if (fw_text_parse_u64(value.from, piece_len(value), &number) < 0 || number > UINT32_MAX)
        return -1;
    *size = (uint32_t)number;
    return 0;
}

/* Marks of keys that were seen; the others are those of struct fw_attr. */
#define MARK_ORDER 8u

/* A key, its mark, and the classes and single kinds that take it. */
struct key {
    const char *name;
    unsigned mark;
    unsigned classes;
    uint64_t kinds;
};

_Static_assert(FW_RAW_KIND_COUNT <= 64, "a set of kinds is a word");

#define BIT(kind) (UINT64_C(1) << (kind))

static const struct key key_order = { "ord", MARK_ORDER, FW_CLASS_ATOMIC, 0 };
static const struct key key_rf = { "rf", FW_ATTR_RF, FW_CLASS_READ, BIT(FW_WAKE) | BIT(FW_PEND) };
static const struct key key_size = { "size", FW_ATTR_SIZE, FW_CLASS_CONFLICT, BIT(FW_ALLOC) };
static const struct key key_value = { "val", FW_ATTR_VALUE, FW_CLASS_READ | FW_CLASS_WRITE, 0 };

/* Takes the word off the front of the piece, if it stands there. */
#define TAKE(piece, word)                                                                          \
    (piece_len(*(piece)) >= sizeof word - 1 &&                                                     \
     memcmp((piece)->from, word, sizeof word - 1) == 0 && ((piece)->from += sizeof word - 1))

/* The key at the beginning of an item, of which the value is left. */
static const struct key *take_key(struct piece *item)
{
    if (TAKE(item, "size="))
        return &key_size;
    if (TAKE(item, "val="))
        return &key_value;
    if (TAKE(item, "rf="))
        return &key_rf;
    if (TAKE(item, "ord="))
        return &key_order;
    return NULL;
}

static bool takes(enum fw_kind kind, const struct key *key)
{
    return fw_is_class(kind, key->classes) || key->kinds >> kind & 1;
}

static int parse_value(const struct key *key, struct piece value, struct fw_attr *attr,
                       unsigned *order)
{
    switch (key->mark) {
    case FW_ATTR_RF:
        return fw_text_parse_u64(value.from, piece_len(value), &attr->rf);
    case FW_ATTR_SIZE:
        return parse_size(value, &attr->size);
    case FW_ATTR_VALUE:
        return fw_text_parse_i64(value.from, piece_len(value), &attr->value);
    default:
        return parse_order(value, order);
    }
}

static int refuse_item(struct piece item, struct fw_error *err)
{
    const char *equals = memchr(item.from, '=', piece_len(item));
    char quoted[FW_TEXT_QUOTE];

    if (!equals)
        return fw_error_set(err, "'%s' is no attribute: key=value expected", quote(quoted, item));
    item.to = equals;
    return fw_error_set(err, "unknown attribute '%s'", quote(quoted, item));
}

static int parse_item(struct piece item, enum fw_kind kind, const char *kind_name, unsigned *seen,
                      struct fw_attr *attr, unsigned *order, struct fw_error *err)
{
    struct piece value = item;
    const struct key *key = take_key(&value);
    char quoted[FW_TEXT_QUOTE];

    if (!key)
        return refuse_item(item, err);
    if (!takes(kind, key))
        return fw_error_set(err, "'%s' takes no attribute '%s'", kind_name, key->name);
    if (*seen & key->mark)
        return fw_error_set(err, "attribute '%s' given twice", key->name);
    *seen |= key->mark;
    if (parse_value(key, value, attr, order) < 0)
        return fw_error_set(err, "attribute '%s' cannot be '%s'", key->name, quote(quoted, value));
    return 0;
}

int fw_text_parse_attrs(const char *list, size_t len, enum fw_kind kind, const char *kind_name,
                        struct fw_attr *attr, unsigned *order, struct fw_error *err)
{
    const char *end = list + len;
    unsigned seen = attr->has;

    fw_text_trim(&list, &end);
    while (list < end) {
        const char *comma = list;
        struct piece item;

        while (comma < end && *comma != ',')
            comma++;
        item = (struct piece) { list, comma };
        fw_text_trim(&item.from, &item.to);
        if (parse_item(item, kind, kind_name, &seen, attr, order, err) < 0)
            return -1;
        if (comma + 1 == end)
            return fw_error_set(err, "attribute list ends with a comma");
        list = comma < end ? comma + 1 : end;
    }
    attr->has = seen & ~MARK_ORDER;
    return 0;
}
