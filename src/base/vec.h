/*
 * vec.h - growable arrays of any type.
 *
 *     FW_VEC(uint32_t) ids = { 0 };          empty, no memory yet
 *     fw_vec_push(&ids, 7);                   amortised O(1)
 *     for (size_t i = 0; i < ids.len; i++) use(ids.at[i]);
 *     fw_vec_release(&ids);                   empty again
 *
 * Pointers into a vector are good until the next push or reserve.
 */
#ifndef FW_BASE_VEC_H
#define FW_BASE_VEC_H

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* An anonymous vector type; FW_VEC_TYPE names one that is passed around. */
#define FW_VEC(type)                                                                               \
    struct {                                                                                       \
        type *at;                                                                                  \
        size_t len, cap;                                                                           \
    }

#define FW_VEC_TYPE(name, type)                                                                    \
    struct name {                                                                                  \
        type *at;                                                                                  \
        size_t len, cap;                                                                           \
    }

#define fw_vec_reserve(v, want)                                                                    \
    do {                                                                                           \
        if ((v)->cap < (size_t)(want)) {                                                           \
            size_t fw_cap_ = (v)->cap ? (v)->cap * 2 : 8;                                          \
            if (fw_cap_ < (size_t)(want))                                                          \
                fw_cap_ = (want);                                                                  \
            (v)->at = fw_xrealloc((v)->at, fw_cap_, sizeof *(v)->at);                              \
            (v)->cap = fw_cap_;                                                                    \
        }                                                                                          \
    } while (0)

#define fw_vec_push(v, item)                                                                       \
    do {                                                                                           \
        fw_vec_reserve(v, (v)->len + 1);                                                           \
        (v)->at[(v)->len++] = (item);                                                              \
    } while (0)

/* Makes len at least `want`, new items all zero. */
#define fw_vec_extend(v, want)                                                                     \
    do {                                                                                           \
        size_t fw_want_ = (want);                                                                  \
        if ((v)->len < fw_want_) {                                                                 \
            fw_vec_reserve(v, fw_want_);                                                           \
            memset((v)->at + (v)->len, 0, (fw_want_ - (v)->len) * sizeof *(v)->at);                \
            (v)->len = fw_want_;                                                                   \
        }                                                                                          \
    } while (0)

#define fw_vec_pop(v)   ((v)->at[--(v)->len])
#define fw_vec_last(v)  ((v)->at[(v)->len - 1])
#define fw_vec_clear(v) ((void)((v)->len = 0))

#define fw_vec_release(v)                                                                          \
    do {                                                                                           \
        free((v)->at);                                                                             \
        (v)->at = NULL;                                                                            \
        (v)->len = (v)->cap = 0;                                                                   \
    } while (0)

#endif
