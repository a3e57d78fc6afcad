/*
 * list.h - circular lists whose links lie in their members.  A member that is in no list is linked
 * with itself.
 */
#ifndef FW_RUNTIME_LIST_H
#define FW_RUNTIME_LIST_H

struct fw_list {
    struct fw_list *next, *previous;
};

static inline void fw_list_init(struct fw_list *list)
{
    list->next = list->previous = list;
}

static inline void fw_list_append(struct fw_list *list, struct fw_list *item)
{
    item->previous = list->previous;
    item->next = list;
    list->previous->next = item;
    list->previous = item;
}

static inline void fw_list_remove(struct fw_list *item)
{
    item->previous->next = item->next;
    item->next->previous = item->previous;
    fw_list_init(item);
}

#endif
