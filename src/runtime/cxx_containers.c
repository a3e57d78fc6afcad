/*
 * cxx_containers.c - what libstdc++'s containers do to their nodes outside of their headers.
 *
 * Lists: the accesses are told as the functions make them.  Trees: rebalancing touches nodes on the
 * way to the root and some levels beside it; their words are compared before and after, and those
 * that changed were written.
 */
#include "runtime/library.h"

#define WRITES(t, field) fw_writes(t, &(field), sizeof(field), FW_PC)
#define READS(t, field)  fw_reads(t, &(field), sizeof(field), FW_PC)

/* --- lists ---------------------------------------------------------------------------------- */

struct list {
    struct list *next, *previous;
};

#define LIST "_ZNSt8__detail15_List_node_base"

CXX(list_hook, LIST "7_M_hookEPS0_", "GLIBCXX_3.4.15", void,
    (struct list *node, struct list *where))
{
    struct list *before = where->previous;
    struct fw_thread *t = fw_tell();

    READS(t, where->previous);
    WRITES(t, *node);
    WRITES(t, before->next);
    WRITES(t, where->previous);
    fw_done(t);
    real_cxx_list_hook()(node, where);
}

CXX(list_unhook, LIST "9_M_unhookEv", "GLIBCXX_3.4.15", void, (struct list *node))
{
    struct list *next = node->next, *previous = node->previous;
    struct fw_thread *t = fw_tell();

    READS(t, *node);
    WRITES(t, previous->next);
    WRITES(t, next->previous);
    fw_done(t);
    real_cxx_list_unhook()(node);
}

/* Nodes from first up to last (which is not moved) come before `where`. */
CXX(list_transfer, LIST "11_M_transferEPS0_S1_", "GLIBCXX_3.4.15", void,
    (struct list *where, struct list *first, struct list *last))
{
    struct list *ends[] = { where, first, last };
    struct fw_thread *t = where != last ? fw_tell() : NULL;

    for (int i = 0; t && i < 3; i++) {
        READS(t, ends[i]->previous);
        WRITES(t, ends[i]->previous->next);
        WRITES(t, ends[i]->previous);
    }
    fw_done(t);
    real_cxx_list_transfer()(where, first, last);
}

CXX(list_reverse, LIST "10_M_reverseEv", "GLIBCXX_3.4.15", void, (struct list *list))
{
    struct fw_thread *t = fw_enter();
    struct list *node = list;

    if (t) {
        do {
            READS(t, *node);
            WRITES(t, *node);
            node = node->next;
        } while (node != list);
        fw_leave(t);
    }
    real_cxx_list_reverse()(list);
}

static void tell_list_swapped(struct fw_thread *t, struct list *list, uintptr_t pc)
{
    fw_reads(t, list, sizeof *list, pc);
    if (list->next == list)
        return;
    fw_writes(t, &list->next->previous, sizeof list->next->previous, pc);
    fw_writes(t, &list->previous->next, sizeof list->previous->next, pc);
}

CXX(list_swap, LIST "4swapERS0_S1_", "GLIBCXX_3.4.15", void, (struct list *a, struct list *b))
{
    struct fw_thread *t = fw_tell();

    if (t) {
        bool both_empty = a->next == a && b->next == b;

        tell_list_swapped(t, a, FW_PC);
        tell_list_swapped(t, b, FW_PC);
        if (!both_empty) {
            WRITES(t, *a);
            WRITES(t, *b);
        }
        fw_leave(t);
    }
    real_cxx_list_swap()(a, b);
}

/* --- trees ---------------------------------------------------------------------------------- */

struct tree {
    int colour; /* RED or black */
    struct tree *parent, *left, *right;
};

enum { RED = 0 };

/* A field's value, told as read. */
#define GET(field) (fw_reads(t, &(field), sizeof(field), pc), (field))

static void tell_next(struct fw_thread *t, const struct tree *node, uintptr_t pc)
{
    const struct tree *parent;

    if (GET(node->right)) {
        for (node = node->right; GET(node->left); node = node->left)
            ;
        return;
    }
    for (parent = GET(node->parent); node == GET(parent->right); parent = GET(parent->parent))
        node = parent;
    (void)GET(node->right);
}

/* The header is red and its root's parent; before it comes the last one. */
static void tell_before(struct fw_thread *t, const struct tree *node, uintptr_t pc)
{
    const struct tree *parent;

    if (GET(node->colour) == RED && GET(GET(node->parent)->parent) == node) {
        (void)GET(node->right);
    } else if (GET(node->left)) {
        for (node = node->left; GET(node->right); node = node->right)
            ;
    } else {
        for (parent = GET(node->parent); node == GET(parent->left); parent = GET(parent->parent))
            node = parent;
    }
}

#define STEP(name, symbol, tell)                                                                   \
    CXX(name, symbol, "GLIBCXX_3.4", struct tree *, (const struct tree *node))                     \
    {                                                                                              \
        struct fw_thread *t = fw_tell();                                                           \
                                                                                                   \
        if (t) {                                                                                   \
            tell(t, node, FW_PC);                                                                  \
            fw_leave(t);                                                                           \
        }                                                                                          \
        return real_cxx_##name()(node);                                                            \
    }

STEP(tree_next, "_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base", tell_next)
STEP(tree_next_const, "_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base", tell_next)
STEP(tree_before, "_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base", tell_before)
STEP(tree_before_const, "_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base", tell_before)

/*
 * Nodes that rebalancing may change: those on the way to the root, and below them `levels` more
 * (where it recolours and rotates).  The holder's, as all of the runtime.
 */
#define MAX_KEPT 2048

static struct {
    struct tree *node, was;
} kept[MAX_KEPT];
static unsigned kept_count;

static void keep(struct tree *node, const struct tree *except, unsigned levels)
{
    if (!node || node == except || kept_count == MAX_KEPT)
        return;
    kept[kept_count].node = node;
    kept[kept_count++].was = *node;
    if (levels) {
        keep(node->left, except, levels - 1);
        keep(node->right, except, levels - 1);
    }
}

static void keep_way(struct tree *node, struct tree *header, unsigned levels)
{
    const struct tree *from = NULL;

    kept_count = 0;
    keep(header, NULL, 0);
    for (; node && node != header && kept_count < MAX_KEPT; node = node->parent) {
        keep(node, from, levels);
        from = node;
    }
}

static void tell_kept(struct fw_thread *t, uintptr_t pc)
{
#define TELL(field)                                                                                \
    do {                                                                                           \
        if (now->field != was->field) {                                                            \
            fw_reads(t, &now->field, sizeof now->field, pc);                                       \
            fw_writes(t, &now->field, sizeof now->field, pc);                                      \
        }                                                                                          \
    } while (0)
    for (unsigned i = 0; i < kept_count; i++) {
        const struct tree *now = kept[i].node, *was = &kept[i].was;

        TELL(colour);
        TELL(parent);
        TELL(left);
        TELL(right);
    }
#undef TELL
}

CXX(tree_insert, "_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_",
    "GLIBCXX_3.4", void,
    (bool left, struct tree *node, struct tree *parent, struct tree *header))
{
    struct fw_thread *t = fw_enter();

    if (!t) {
        real_cxx_tree_insert()(left, node, parent, header);
        return;
    }
    fw_reads(t, &header->parent, sizeof header->parent, FW_PC);
    keep_way(parent, header, 1);
    real_cxx_tree_insert()(left, node, parent, header);
    fw_writes(t, node, sizeof *node, FW_PC);
    fw_reads(t, &parent->colour, sizeof parent->colour, FW_PC);
    tell_kept(t, FW_PC);
    fw_leave(t);
}

/* What takes the node's place comes from below it: the next one, if it has two children. */
CXX(tree_erase, "_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_", "GLIBCXX_3.4",
    struct tree *, (struct tree *node, struct tree *header))
{
    struct fw_thread *t = fw_enter();
    struct tree *lowest = node, *result;

    if (!t)
        return real_cxx_tree_erase()(node, header);
    if (node->left && node->right)
        for (lowest = node->right; lowest->left; lowest = lowest->left)
            ;
    fw_reads(t, node, sizeof *node, FW_PC);
    keep_way(lowest, header, 3);
    result = real_cxx_tree_erase()(node, header);
    tell_kept(t, FW_PC);
    fw_leave(t);
    return result;
}

/* --- hash tables ---------------------------------------------------------------------------- */

struct policy {
    float max_load;
    size_t next_resize;
};

struct rehash {
    bool needed;
    size_t buckets;
};

static void tell_policy(const struct policy *policy, size_t before, uintptr_t pc)
{
    struct fw_thread *t = fw_tell_after_from(pc);

    fw_reads(t, &policy->next_resize, sizeof policy->next_resize, pc);
    if (policy->next_resize != before)
        fw_writes(t, &policy->next_resize, sizeof policy->next_resize, pc);
    fw_done(t);
}

CXX(need_rehash, "_ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm", "GLIBCXX_3.4.18",
    struct rehash, (const struct policy *policy, size_t buckets, size_t elements, size_t more))
{
    size_t before = policy->next_resize;
    struct rehash result = real_cxx_need_rehash()(policy, buckets, elements, more);

    tell_policy(policy, before, FW_PC);
    return result;
}

CXX(next_buckets, "_ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm", "GLIBCXX_3.4.18", size_t,
    (const struct policy *policy, size_t buckets))
{
    size_t before = policy->next_resize;
    size_t result = real_cxx_next_buckets()(policy, buckets);

    tell_policy(policy, before, FW_PC);
    return result;
}

CXX(hash_bytes, "_ZSt11_Hash_bytesPKvmm", "CXXABI_1.3.5", size_t,
    (const void *from, size_t bytes, size_t seed))
{
    struct fw_thread *t = fw_tell();

    fw_reads(t, from, bytes, FW_PC);
    fw_done(t);
    return real_cxx_hash_bytes()(from, bytes, seed);
}
