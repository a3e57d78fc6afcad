/*
 * cxx_streams.c - input through libstdc++'s streams, and numbers to and from text.
 *
 * What is stored for the program is told as written when the call is over.  Of the stream itself
 * (its state, the count of the last read, the position in its buffer) the words that changed are:
 * other threads may look at them through the headers' inline functions.  Streams call the program
 * back (buffers of its own) and throw, so the real functions run as the program's own code.
 *
 * Objects look as libstdc++'s ABI says, which has not changed since its first version.
 */
#include "runtime/library.h"

#include <string.h>

/* --- streams -------------------------------------------------------------------------------- */

struct base { /* std::basic_ios, a virtual base */
    void *table;
    long precision, width;
    int flags, exceptions, state;
    char between[196];
    struct buffer *buffer;
};

struct buffer { /* std::basic_streambuf */
    void *table;
    const char *in[3], *out[3]; /* begin, next, end */
};

struct stream { /* std::basic_istream */
    const long *table; /* table[-3]: where the base is */
    long count;
};

_Static_assert(offsetof(struct base, buffer) == 232, "as libstdc++ has it");

static struct base *base_of(struct stream *stream)
{
    return (struct base *)((char *)stream + stream->table[-3]);
}

/* What a call may change. */
struct before {
    int flags, state;
    long width, count;
    struct buffer buffer;
};

static inline void remember(struct before *before, struct stream *stream)
{
    const struct base *base = base_of(stream);

    before->state = base->state;
    if (!fw_self)
        return;
    before->flags = base->flags;
    before->width = base->width;
    before->count = stream->count;
    if (base->buffer)
        before->buffer = *base->buffer;
}

static void tell_word(struct fw_thread *t, const void *now, const void *before, size_t bytes,
                      uintptr_t pc)
{
    if (memcmp(now, before, bytes) == 0)
        return;
    fw_reads(t, now, bytes, pc);
    fw_writes(t, now, bytes, pc);
}

static void tell_stream(struct fw_thread *t, struct stream *stream, const struct before *before,
                        uintptr_t pc)
{
    const struct base *base = base_of(stream);

    fw_reads(t, &base->state, sizeof base->state, pc);
    tell_word(t, &base->state, &before->state, sizeof base->state, pc);
    tell_word(t, &base->flags, &before->flags, sizeof base->flags, pc);
    tell_word(t, &base->width, &before->width, sizeof base->width, pc);
    tell_word(t, &stream->count, &before->count, sizeof stream->count, pc);
    for (int i = 0; base->buffer && i < 3; i++) {
        tell_word(t, &base->buffer->in[i], &before->buffer.in[i], sizeof(char *), pc);
        tell_word(t, &base->buffer->out[i], &before->buffer.out[i], sizeof(char *), pc);
    }
}

/*
 * A function whose first parameter is a stream.  `stored` tells what it has stored for the program,
 * which is nothing if the stream was no good to begin with.  Whatever it returns is in one
 * register.
 */
#define INPUT(name, symbol, version, parameters, call, stored)                                     \
    CXX(name, symbol, version, uintptr_t, parameters)                                              \
    {                                                                                              \
        struct before before;                                                                      \
        struct fw_thread *t;                                                                       \
        uintptr_t result;                                                                          \
                                                                                                   \
        remember(&before, stream);                                                                 \
        result = real_cxx_##name() call;                                                           \
        t = fw_enter();                                                                            \
        if (!t)                                                                                    \
            return result;                                                                         \
        if (before.state == 0)                                                                     \
            stored;                                                                                \
        tell_stream(t, stream, &before, FW_PC);                                                    \
        fw_leave(t);                                                                               \
        return result;                                                                             \
    }

#define WIDE "_ZNSt13basic_istreamIwSt11char_traitsIwEE"

/* --- values --------------------------------------------------------------------------------- */

#define VALUE(name, symbol, version, type)                                                         \
    INPUT(name, symbol, version, (struct stream * stream, type * value), (stream, value),          \
          fw_writes(t, value, sizeof *value, FW_PC))
#define EXTRACT(name, letter, type)                                                                \
    VALUE(get_##name, "_ZNSi10_M_extractI" letter "EERSiRT_", "GLIBCXX_3.4.9", type)               \
    VALUE(wide_get_##name, WIDE "10_M_extractI" letter "EERS2_RT_", "GLIBCXX_3.4.9", type)

EXTRACT(bool, "b", bool)
EXTRACT(ushort, "t", unsigned short)
EXTRACT(uint, "j", unsigned)
EXTRACT(long, "l", long)
EXTRACT(ulong, "m", unsigned long)
EXTRACT(llong, "x", long long)
EXTRACT(ullong, "y", unsigned long long)
EXTRACT(float, "f", float)
EXTRACT(double, "d", double)
EXTRACT(ldouble, "e", long double)
EXTRACT(pointer, "Pv", void *)
VALUE(get_int, "_ZNSirsERi", "GLIBCXX_3.4", int)
VALUE(get_short, "_ZNSirsERs", "GLIBCXX_3.4", short)
VALUE(wide_get_int, WIDE "rsERi", "GLIBCXX_3.4", int)
VALUE(wide_get_short, WIDE "rsERs", "GLIBCXX_3.4", short)

/* --- characters ----------------------------------------------------------------------------- */

enum { FAILED = 4 }; /* std::ios_base::failbit */

#define CHARACTER(name, symbol, type)                                                              \
    INPUT(name, symbol, "GLIBCXX_3.4", (struct stream * stream, type * value), (stream, value),    \
          if (!(base_of(stream)->state & FAILED)) fw_writes(t, value, sizeof *value, FW_PC))
#define SHIFT "_ZStrsIcSt11char_traitsIcEERSt13basic_istreamIT_T0_ES6_"

CHARACTER(member_char, "_ZNSi3getERc", char)
CHARACTER(wide_member_char, WIDE "3getERw", wchar_t)
CHARACTER(get_char, SHIFT "RS3_", char)

/* Text in a buffer of the program, with a zero at its end. */
static void tell_text(struct fw_thread *t, const char *text, long room, uintptr_t pc)
{
    if (room > 0)
        fw_writes(t, text, fw_text_length(text) + 1, pc);
}

#define TEXT(name, symbol)                                                                         \
    INPUT(name, symbol, "GLIBCXX_3.4", (struct stream * stream, char *text, long room, char end),  \
          (stream, text, room, end), tell_text(t, text, room, FW_PC))

TEXT(get_text, "_ZNSi3getEPclc")
TEXT(get_line, "_ZNSi7getlineEPclc")
INPUT(shift_text, SHIFT "PS3_", "GLIBCXX_3.4", (struct stream * stream, char *text),
      (stream, text), tell_text(t, text, 1, FW_PC))
INPUT(extract_text, "_ZSt17__istream_extractRSiPcl", "GLIBCXX_3.4.29",
      (struct stream * stream, char *text, long room), (stream, text, room),
      tell_text(t, text, room, FW_PC))
INPUT(read, "_ZNSi4readEPcl", "GLIBCXX_3.4", (struct stream * stream, char *to, long bytes),
      (stream, to, bytes), fw_writes(t, to, (size_t)stream->count, FW_PC))
INPUT(read_some, "_ZNSi8readsomeEPcl", "GLIBCXX_3.4",
      (struct stream * stream, char *to, long bytes), (stream, to, bytes),
      fw_writes(t, to, (size_t)stream->count, FW_PC))

/* Those that store nothing. */
#define MOVE(name, symbol, version)                                                                \
    INPUT(name, symbol, version, (struct stream * stream, uintptr_t a, uintptr_t b),               \
          (stream, a, b), (void)0)

MOVE(next, "_ZNSi3getEv", "GLIBCXX_3.4")
MOVE(peek, "_ZNSi4peekEv", "GLIBCXX_3.4")
MOVE(unget, "_ZNSi5ungetEv", "GLIBCXX_3.4")
MOVE(put_back, "_ZNSi7putbackEc", "GLIBCXX_3.4")
MOVE(seek, "_ZNSi5seekgESt4fposI11__mbstate_tE", "GLIBCXX_3.4")
MOVE(seek_by, "_ZNSi5seekgElSt12_Ios_Seekdir", "GLIBCXX_3.4")
MOVE(ignore, "_ZNSi6ignoreEv", "GLIBCXX_3.4.5")
MOVE(ignore_some, "_ZNSi6ignoreEl", "GLIBCXX_3.4.5")
MOVE(ignore_to, "_ZNSi6ignoreEli", "GLIBCXX_3.4")

/* --- strings -------------------------------------------------------------------------------- */

struct string {
    char *data;
    size_t length;
    size_t room; /* or the first characters, where data points then */
};

static void tell_string(struct fw_thread *t, const struct string *now, const struct string *before,
                        size_t unit, uintptr_t pc)
{
    tell_word(t, &now->data, &before->data, sizeof now->data, pc);
    if (now->data != (const char *)&now->room)
        tell_word(t, &now->room, &before->room, sizeof now->room, pc);
    fw_writes(t, &now->length, sizeof now->length, pc);
    fw_writes(t, now->data, (now->length + 1) * unit, pc);
}

/* Of the old ABI: one pointer, behind the length, the room and a count of references. */
static void tell_old_string(struct fw_thread *t, char *const *now, char *const *before,
                            size_t unit, uintptr_t pc)
{
    const size_t *length = (const size_t *)(*now - 3 * sizeof(size_t));

    tell_word(t, now, before, sizeof *now, pc);
    if (*length) {
        fw_writes(t, length, sizeof *length, pc);
        fw_writes(t, *now, (*length + 1) * unit, pc);
    }
}

#define STRING(name, symbol, version, string_type, tell, unit)                                     \
    CXX(name, symbol, version, uintptr_t,                                                          \
        (struct stream * stream, string_type * string, uintptr_t end))                             \
    {                                                                                              \
        string_type was = *string;                                                                 \
        struct before before;                                                                      \
        struct fw_thread *t;                                                                       \
        uintptr_t result;                                                                          \
                                                                                                   \
        remember(&before, stream);                                                                 \
        result = real_cxx_##name()(stream, string, end);                                           \
        t = fw_enter();                                                                            \
        if (!t)                                                                                    \
            return result;                                                                         \
        if (before.state == 0)                                                                     \
            tell(t, string, &was, unit, FW_PC);                                                    \
        tell_stream(t, stream, &before, FW_PC);                                                    \
        fw_leave(t);                                                                               \
        return result;                                                                             \
    }

/* >> and both kinds of getline, for both ABIs. */
#define STRINGS(name, letter, unit)                                                                \
    STRING(name##_shift, "_ZStrs" ARGUMENTS(letter) NEW, "GLIBCXX_3.4.21", struct string,          \
           tell_string, unit)                                                                      \
    STRING(name##_line, "_ZSt7getline" ARGUMENTS(letter) NEW, "GLIBCXX_3.4.21", struct string,     \
           tell_string, unit)                                                                      \
    STRING(name##_line_to, "_ZSt7getline" ARGUMENTS(letter) NEW "S4_", "GLIBCXX_3.4.21",           \
           struct string, tell_string, unit)                                                       \
    STRING(old_##name##_shift, "_ZStrs" ARGUMENTS(letter) OLD, "GLIBCXX_3.4", char *,              \
           tell_old_string, unit)                                                                  \
    STRING(old_##name##_line, "_ZSt7getline" ARGUMENTS(letter) OLD, "GLIBCXX_3.4", char *,         \
           tell_old_string, unit)                                                                  \
    STRING(old_##name##_line_to, "_ZSt7getline" ARGUMENTS(letter) OLD "S4_", "GLIBCXX_3.4",        \
           char *, tell_old_string, unit)
#define ARGUMENTS(letter)                                                                          \
    "I" letter "St11char_traitsI" letter "ESaI" letter "EERSt13basic_istreamIT_T0_ES7_"
#define NEW "RNSt7__cxx1112basic_stringIS4_S5_T1_EE"
#define OLD "RSbIS4_S5_T1_E"

STRINGS(string, "c", 1)
STRINGS(wide_string, "w", sizeof(wchar_t))

/* --- state ---------------------------------------------------------------------------------- */

#define CLEAR(name, letter)                                                                        \
    CXX(name, "_ZNSt9basic_iosI" letter "St11char_traitsI" letter "EE5clearESt12_Ios_Iostate",     \
        "GLIBCXX_3.4", void, (struct base * base, int state))                                      \
    {                                                                                              \
        struct fw_thread *t = fw_enter();                                                          \
                                                                                                   \
        fw_reads(t, &base->buffer, sizeof base->buffer, FW_PC);                                    \
        fw_writes(t, &base->state, sizeof base->state, FW_PC);                                     \
        fw_done(t);                                                                                \
        real_cxx_##name()(base, state);                                                            \
    }

CLEAR(clear, "c")
CLEAR(wide_clear, "w")

/* --- numbers -------------------------------------------------------------------------------- */

struct parsed { /* std::from_chars_result, std::to_chars_result */
    char *end;
    int error;
};

#define PARSE(name, letter, type)                                                                  \
    CXX(name, "_ZSt10from_charsPKcS0_R" letter "St12chars_format", "GLIBCXX_3.4.29",               \
        struct parsed, (char *from, char *to, type *value, int format))                            \
    {                                                                                              \
        struct parsed result = real_cxx_##name()(from, to, value, format);                         \
        struct fw_thread *t = fw_enter();                                                          \
                                                                                                   \
        fw_reads(t, from, (size_t)(result.end - from) + (result.end < to), FW_PC);                 \
        if (!result.error)                                                                         \
            fw_writes(t, value, sizeof *value, FW_PC);                                             \
        fw_done(t);                                                                                \
        return result;                                                                             \
    }

PARSE(parse_float, "f", float)
PARSE(parse_double, "d", double)
PARSE(parse_ldouble, "e", long double)

#define PRINT(name, letters, parameters, call)                                                     \
    CXX(name, "_ZSt8to_charsPcS_" letters, "GLIBCXX_3.4.29", struct parsed, parameters)            \
    {                                                                                              \
        struct parsed result = real_cxx_##name() call;                                             \
        struct fw_thread *t = result.error ? NULL : fw_enter();                                    \
                                                                                                   \
        fw_writes(t, from, (size_t)(result.end - from), FW_PC);                                    \
        fw_done(t);                                                                                \
        return result;                                                                             \
    }
#define PRINTS(name, letter, type)                                                                 \
    PRINT(name, letter, (char *from, char *to, type value), (from, to, value))                     \
    PRINT(name##_as, letter "St12chars_format", (char *from, char *to, type value, int format),    \
          (from, to, value, format))                                                               \
    PRINT(name##_to, letter "St12chars_formati",                                                   \
          (char *from, char *to, type value, int format, int precision),                           \
          (from, to, value, format, precision))

PRINTS(print_float, "f", float)
PRINTS(print_double, "d", double)
PRINTS(print_ldouble, "e", long double)
