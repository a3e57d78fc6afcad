/*
 * fwt_slice.c - makes events out of an open event block (fwt_events.h).
 *
 * Speed: events are made in pieces that stay in the first cache.  The bytes of
 * a column's planes are put together sixteen at a time; then the inner loop
 * takes one look at the dictionary for each event and has no branch.  Every
 * code and thread index, masked, has an entry, the ones beyond the tables have
 * values that no good one has, and whatever is wrong only raises a flag that
 * is looked at once a slice.
 */
#include "base/bug.h"
#include "trace/fwt_events.h"

#include <inttypes.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "events are made of 64-bit words");

/* Stands for a plane that is not stored. */
static const unsigned char zeros[FW_FWT_PIECE];

static const unsigned char *plane(const unsigned char *bytes, uint32_t from)
{
    return bytes ? bytes + from : zeros;
}

#define VECTOR 16u

typedef uint8_t bytes __attribute__((vector_size(VECTOR)));
typedef uint16_t words __attribute__((vector_size(VECTOR)));

static inline bytes load(const unsigned char *from)
{
    bytes v;

    memcpy(&v, from, sizeof v);
    return v;
}

/* a0 b0 a1 b1 ...: the low half of the result and the high one. */
static inline words zip_low(bytes a, bytes b)
{
    return (words)__builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7,
                                          23);
}

static inline words zip_high(bytes a, bytes b)
{
    return (words)__builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14,
                                          30, 15, 31);
}

/* n numbers of 16 bits out of two planes. */
static void join_two(uint16_t *to, const unsigned char *const planes[2], uint32_t at, uint32_t n)
{
    const unsigned char *p0 = plane(planes[0], at), *p1 = plane(planes[1], at);
    uint32_t i = 0;

    for (; i + VECTOR <= n; i += VECTOR) {
        bytes b0 = load(p0 + i), b1 = load(p1 + i);
        words pair[2] = { zip_low(b0, b1), zip_high(b0, b1) };

        memcpy(to + i, pair, sizeof pair);
    }
    for (; i < n; i++)
        to[i] = (uint16_t)(p0[i] | p1[i] << 8);
}

/* n numbers of 32 bits: the low and the high halves, zipped. */
static inline void zip_words(uint32_t *to, words low, words high)
{
    words v[2] = { __builtin_shufflevector(low, high, 0, 8, 1, 9, 2, 10, 3, 11),
                   __builtin_shufflevector(low, high, 4, 12, 5, 13, 6, 14, 7, 15) };

    memcpy(to, v, sizeof v);
}

static void join_four(uint32_t *to, const unsigned char *const planes[4], uint32_t at, uint32_t n)
{
    const unsigned char *p0 = plane(planes[0], at), *p1 = plane(planes[1], at);
    const unsigned char *p2 = plane(planes[2], at), *p3 = plane(planes[3], at);
    uint32_t i = 0;

    for (; i + VECTOR <= n; i += VECTOR) {
        bytes b0 = load(p0 + i), b1 = load(p1 + i), b2 = load(p2 + i), b3 = load(p3 + i);

        zip_words(to + i, zip_low(b0, b1), zip_low(b2, b3));
        zip_words(to + i + VECTOR / 2, zip_high(b0, b1), zip_high(b2, b3));
    }
    for (; i < n; i++)
        to[i] = p0[i] | (uint32_t)p1[i] << 8 | (uint32_t)p2[i] << 16 | (uint32_t)p3[i] << 24;
}

/*
 * The inner loop: events `from` to `to` of the piece.  `single`: each has its
 * thread index, otherwise all are of `thread`.  The top bit of the result says
 * that something does not exist; events are made nevertheless.
 */
static inline __attribute__((always_inline)) uint64_t
make_events(struct fw_fwt_events *ev, struct fw_event *events, uint32_t from, uint32_t to,
            bool single, uint32_t thread, bool delta)
{
    struct fw_fwt_entry *entries = ev->entries;
    uint32_t mask = ev->entry_mask, codes = 0, indices = 0, threads = 0;
    uint64_t bad = 0;

    for (size_t i = from; i < to; i++) {
        uint32_t code = ev->codes[i], target = ev->targets[i];
        struct fw_fwt_entry *entry = &entries[code & mask];
        uint64_t low, high;

        if (delta)
            entry->last = target = entry->last + (target >> 1 ^ (0 - (target & 1)));
        if (single) {
            indices |= ev->thread_indices[i];
            thread = ev->threads[ev->thread_indices[i] & ev->thread_mask];
            threads |= thread;
        }
        codes |= code;
        bad |= entry->highest - target; /* below zero: the top bit */
        /* One sum and one or: alike, they would be joined to a vector, which is slower. */
        low = entry->low + target;
        high = entry->high | thread;
        memcpy(&events[i], &low, 8);
        memcpy((char *)&events[i] + 8, &high, 8);
    }
    if (codes > mask || indices > ev->thread_mask || threads & FW_FWT_NO_THREAD)
        return UINT64_MAX;
    return bad;
}

/* Events of a piece, run by run. */
static uint64_t make_runs(struct fw_fwt_events *ev, struct fw_event *events, uint32_t n)
{
    bool delta = ev->layout.target_mode == FW_FWT_TARGET_DELTA;
    uint64_t bad = 0;

    for (uint32_t from = 0, to; from < n; from = to) {
        if (!ev->run_left) {
            ev->run_left = 1 + fw_fwt_pair(ev->run_length, ev->run);
            ev->run_thread = ev->threads[fw_fwt_pair(ev->thread_index, ev->run)];
            ev->run++;
        }
        to = ev->run_left < n - from ? from + ev->run_left : n;
        ev->run_left -= to - from;
        bad |= delta ? make_events(ev, events, from, to, false, ev->run_thread, true)
                     : make_events(ev, events, from, to, false, ev->run_thread, false);
    }
    return bad;
}

static uint64_t make_singles(struct fw_fwt_events *ev, struct fw_event *events, uint32_t n)
{
    return ev->layout.target_mode == FW_FWT_TARGET_DELTA
               ? make_events(ev, events, 0, n, true, 0, true)
               : make_events(ev, events, 0, n, true, 0, false);
}

/* The next n events; false if one of them is wrong, and find_bad tells which. */
static bool make_slice(struct fw_fwt_events *ev, struct fw_event *events, uint32_t n)
{
    uint64_t bad = 0;

    for (uint32_t i = 0; i < n; i += FW_FWT_PIECE) {
        uint32_t at = ev->done + i, here = n - i < FW_FWT_PIECE ? n - i : FW_FWT_PIECE;

        join_two(ev->codes, ev->code, at, here);
        join_four(ev->targets, ev->target, at, here);
        if (ev->layout.run_count) {
            bad |= make_runs(ev, events + i, here);
        } else {
            join_two(ev->thread_indices, ev->thread_index, at, here);
            bad |= make_singles(ev, events + i, here);
        }
    }
    return !(bad >> 63);
}

/* The first event of the slice whose code or target does not exist. */
static uint32_t find_bad(struct fw_fwt_events *ev, const struct fw_event *events, uint32_t n,
                         struct fw_error *err)
{
    for (uint32_t i = 0; i < n; i++) {
        uint64_t position = ev->first + ev->done + i;
        uint32_t code = fw_fwt_pair(ev->code, ev->done + i);

        if (code >= ev->layout.dictionary_count) {
            fw_error_set(err, "event %" PRIu64 " has an unknown code", position);
            return i;
        }
        if (!ev->layout.run_count &&
            fw_fwt_pair(ev->thread_index, ev->done + i) >= ev->layout.thread_count) {
            fw_error_set(err, "event %" PRIu64 " has an unknown thread index", position);
            return i;
        }
        if ((ev->entries[code].highest - events[i].target) >> 63) {
            fw_error_set(err, "event %" PRIu64 ": target %" PRIu32 " of '%s' does not exist",
                         position, events[i].target, fw_kind_info[events[i].kind].std_name);
            return i;
        }
    }
    FW_BUG("a slice was found bad, but none of its events is");
}

/* Reads the event's own attributes on top of what its code says. */
static int read_attr(struct fw_fwt_events *ev, struct fw_attr *attr, uint64_t position,
                     struct fw_error *err)
{
    uint64_t distance = attr->has & FW_ATTR_RF ? fw_cursor_varint(&ev->rf) : 0;

    if (attr->has & FW_ATTR_VALUE)
        attr->value = fw_unzigzag(fw_cursor_varint(&ev->value));
    if (ev->rf.bad || ev->value.bad)
        return fw_error_set(err, "event %" PRIu64 ": its attributes are missing", position);
    if (!(attr->has & FW_ATTR_RF))
        return 0;
    if (distance < 1 || distance > position)
        return fw_error_set(err, "event %" PRIu64 ": rf is not before it", position);
    attr->rf = position - distance;
    return 0;
}

/* Gives events with rf or a value their own attribute record; returns the number of good ones. */
static uint32_t read_own_attrs(struct fw_fwt_events *ev, struct fw_event *events, uint32_t n,
                               struct fw_error *err)
{
    uint32_t next = 1 + ev->layout.dictionary_count;

    for (uint32_t i = 0; i < n; i++) {
        struct fw_attr attr = ev->attrs[1 + fw_fwt_pair(ev->code, ev->done + i)];

        if (!(attr.has & (FW_ATTR_RF | FW_ATTR_VALUE)))
            continue;
        if (read_attr(ev, &attr, ev->first + ev->done + i, err) < 0)
            return i;
        ev->attrs[next] = attr;
        events[i].attr = next++;
    }
    return n;
}

uint32_t fw_fwt_events_take(struct fw_fwt_events *ev, struct fw_event *events, struct fw_error *err)
{
    uint32_t n = fw_fwt_events_slice(ev), good = n;

    if (FW_UNLIKELY(!make_slice(ev, events, n)))
        good = find_bad(ev, events, n, err);
    if (ev->own_attrs)
        good = read_own_attrs(ev, events, good, err);
    if (good == ev->count - ev->done &&
        (ev->rf.at != ev->rf.end || ev->value.at != ev->value.end)) {
        fw_error_set(err, "attributes behind those of the last event");
        good--;
    }
    ev->done += good;
    return good;
}
