/* text_attrs.c - see text_attrs.h. */
#include "trace/text_attrs.h"

#include "trace/text_lines.h"

#include <string.h>

/* A piece of the line. */
struct piece {
    const char *from, *to;
};

struct item {
    struct piece key, value;
    enum fw_kind kind;
    const char *kind_name;
    struct fw_attr *attr;
    unsigned *order;
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

static int parse_order(struct item *item)
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
        if (piece_is(item->value, fw_order_names[i])) {
            *item->order = i;
            return 0;
        }
    }
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++) {
        if (piece_is(item->value, aliases[i].name)) {
            *item->order = aliases[i].order;
            return 0;
        }
    }
    return -1;
}

static int parse_rf(struct item *item)
{
    item->attr->has |= FW_ATTR_RF;
    return fw_text_parse_u64(item->value.from, piece_len(item->value), &item->attr->rf);
}

static int parse_size(struct item *item)
{
    uint64_t size;

    if (fw_text_parse_u64(item->value.from, piece_len(item->value), &size) < 0 || size > UINT32_MAX)
        return -1;
    item->attr->has |= FW_ATTR_SIZE;
    item->attr->size = (uint32_t)size;
    return 0;
}

static int parse_value(struct item *item)
{
    item->attr->has |= FW_ATTR_VALUE;
    return fw_text_parse_i64(item->value.from, piece_len(item->value), &item->attr->value);
}

static bool takes_order(enum fw_kind kind)
{
    return fw_is_class(kind, FW_CLASS_ATOMIC);
}

static bool takes_rf(enum fw_kind kind)
{
    return fw_is_read(kind) || kind == FW_WAKE || kind == FW_PEND;
}

static bool takes_size(enum fw_kind kind)
{
    return fw_is_class(kind, FW_CLASS_CONFLICT) || kind == FW_ALLOC;
}

static bool takes_value(enum fw_kind kind)
{
    return fw_is_class(kind, FW_CLASS_READ | FW_CLASS_WRITE);
}

/* A key; `mark` tells it apart in the set of keys that were seen. */
struct key {
    const char *name;
    unsigned mark;
    bool (*taken_by)(enum fw_kind kind);
    int (*parse)(struct item *item);
};

/* Found by the first letter, which differs. */
static const struct key *find_key(struct piece name)
{
    static const struct key keys[] = {
        { "ord", 8, takes_order, parse_order },
        { "rf", FW_ATTR_RF, takes_rf, parse_rf },
        { "size", FW_ATTR_SIZE, takes_size, parse_size },
        { "val", FW_ATTR_VALUE, takes_value, parse_value },
    };

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (name.from < name.to && *name.from == keys[i].name[0])
            return piece_is(name, keys[i].name) ? &keys[i] : NULL;
    return NULL;
}

static int parse_item(struct item *item, unsigned *seen, struct fw_error *err)
{
    const struct key *key = find_key(item->key);
    char quoted[FW_TEXT_QUOTE];

    if (!key)
        return fw_error_set(err, "unknown attribute '%s'", quote(quoted, item->key));
    if (!key->taken_by(item->kind))
        return fw_error_set(err, "'%s' takes no attribute '%s'", item->kind_name, key->name);
    if (*seen & key->mark)
        return fw_error_set(err, "attribute '%s' given twice", key->name);
    *seen |= key->mark;
    if (key->parse(item) < 0)
        return fw_error_set(err, "attribute '%s' cannot be '%s'", key->name,
                            quote(quoted, item->value));
    return 0;
}

int fw_text_parse_attrs(const char *list, size_t len, enum fw_kind kind, const char *kind_name,
                        struct fw_attr *attr, unsigned *order, struct fw_error *err)
{
    const char *end = list + len;
    unsigned seen = attr->has;
    char quoted[FW_TEXT_QUOTE];

    fw_text_trim(&list, &end);
    while (list < end) {
        const char *comma = memchr(list, ',', (size_t)(end - list));
        struct piece whole = { list, comma ? comma : end };
        const char *equals;
        struct item item = { .kind = kind, .kind_name = kind_name, .attr = attr, .order = order };

        fw_text_trim(&whole.from, &whole.to);
        equals = memchr(whole.from, '=', (size_t)(whole.to - whole.from));
        if (!equals)
            return fw_error_set(err, "'%s' is no attribute: key=value expected",
                                quote(quoted, whole));
        item.key = (struct piece) { whole.from, equals };
        item.value = (struct piece) { equals + 1, whole.to };
        if (parse_item(&item, &seen, err) < 0)
            return -1;
        if (comma && comma + 1 == end)
            return fw_error_set(err, "attribute list ends with a comma");
        list = comma ? comma + 1 : end;
    }
    return 0;
}
