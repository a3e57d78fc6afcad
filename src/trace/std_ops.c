/* std_ops.c - see std_ops.h. */
#include "trace/std_ops.h"

#include "base/bug.h"

/* Spellings met in the wild, beside those of the list of kinds. */
static const struct {
    const char *name;
    enum fw_kind kind;
} dialects[] = {
    { "request", FW_REQUEST }, { "wait", FW_RAW_WAIT }, { "branch", FW_BRANCH },
    { "enter", FW_CALL },      { "exit", FW_RETURN },
};

/* Names that are no word. */
static const struct {
    const char *name;
    struct fw_std_op op;
} long_names[] = {
    { "notifyall", { .kind = FW_NOTIFY_ALL, .space = FW_SPACE_CONDITION } },
    { "notifyAll", { .kind = FW_NOTIFY_ALL, .space = FW_SPACE_CONDITION } },
};

static void add(struct fw_std_ops *ops, const char *name, enum fw_kind kind)
{
    enum fw_space space = fw_kind_info[kind].space;
    char padded[FW_STD_SHORT] = { 0 };
    struct fw_std_op *op;
    uint64_t word;

    memcpy(padded, name, strlen(name));
    word = fw_std_word(padded, sizeof padded);
    op = &ops->at[fw_std_ops_place(ops, word) - ops->at];
    if (op->word)
        FW_BUG("operation '%s' has no place: choose another factor in std_ops.h", name);
    *op = (struct fw_std_op) {
        .word = word,
        .kind = (uint8_t)kind,
        .space = (uint8_t)space,
        .bare = space == FW_SPACE_NONE || space == FW_SPACE_BLOCK,
        .plain = space != FW_SPACE_NONE && kind != FW_ALLOC,
    };
}

void fw_std_ops_init(struct fw_std_ops *ops)
{
    memset(ops, 0, sizeof *ops);
    for (unsigned kind = 0; kind < FW_KIND_COUNT; kind++) {
        const char *name = fw_kind_info[kind].std_name;

        if (strlen(name) <= FW_STD_SHORT)
            add(ops, name, kind);
        else
            FW_ASSERT(fw_std_ops_find(ops, name, strlen(name))->kind == kind);
    }
    for (size_t i = 0; i < sizeof dialects / sizeof *dialects; i++)
        add(ops, dialects[i].name, dialects[i].kind);
}

const struct fw_std_op *fw_std_ops_find(const struct fw_std_ops *ops, const char *name, size_t len)
{
    const struct fw_std_op *op;
    uint64_t word;

    if (len > 0 && len <= FW_STD_SHORT) {
        word = fw_std_word(name, len);
        op = fw_std_ops_place(ops, word);
        return op->word == word ? op : NULL;
    }
    for (size_t i = 0; i < sizeof long_names / sizeof *long_names; i++)
        if (strlen(long_names[i].name) == len && memcmp(long_names[i].name, name, len) == 0)
            return &long_names[i].op;
    return NULL;
}
