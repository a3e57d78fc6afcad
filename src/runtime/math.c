/*
 * math.c - functions of libm that store a result through a pointer.
 *
 * Their names have versions, not as default ones, for the reason that library.h tells: a program
 * linked without libm must not seem to have it.
 */
#include "runtime/library.h"

#define TELL(pointer) fw_writes(t, pointer, sizeof *(pointer), FW_PC)

#define MATH(name, version, type, parameters, call, ...)                                           \
    LIBRARY("libm.so.6", name, #name, version, type, parameters)                                   \
    {                                                                                              \
        struct fw_thread *t;                                                                       \
        type result;                                                                               \
                                                                                                   \
        fw_call_begins(FW_PC, #name "()");                                                         \
        result = real_##name() call;                                                               \
        t = fw_tell_after();                                                                       \
        __VA_ARGS__;                                                                               \
        fw_done(t);                                                                                \
        return result;                                                                             \
    }

#define SINCOS(name, version, type)                                                                \
    LIBRARY("libm.so.6", name, #name, version, void, (type angle, type * sine, type * cosine))     \
    {                                                                                              \
        struct fw_thread *t;                                                                       \
                                                                                                   \
        fw_call_begins(FW_PC, #name "()");                                                         \
        real_##name()(angle, sine, cosine);                                                        \
        t = fw_tell_after();                                                                       \
        TELL(sine);                                                                                \
        TELL(cosine);                                                                              \
        fw_done(t);                                                                                \
    }

/* For double, float and long double. */
#define ALL(suffix, type)                                                                          \
    MATH(modf##suffix, "GLIBC_2.2.5", type, (type value, type * whole), (value, whole),            \
         TELL(whole))                                                                              \
    MATH(frexp##suffix, "GLIBC_2.2.5", type, (type value, int *exponent), (value, exponent),       \
         TELL(exponent))                                                                           \
    MATH(remquo##suffix, "GLIBC_2.2.5", type, (type a, type b, int *quotient), (a, b, quotient),   \
         TELL(quotient))                                                                           \
    MATH(lgamma##suffix##_r, "GLIBC_2.2.5", type, (type value, int *sign), (value, sign),          \
         TELL(sign))                                                                               \
    SINCOS(sincos##suffix, "GLIBC_2.2.5", type)

ALL(, double)
ALL(f, float)
ALL(l, long double)
