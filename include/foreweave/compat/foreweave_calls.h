/*
 * foreweave_calls.h - functions for __builtin_memcpy and relatives, in C++ with gcc.
 *
 * gcc expands the builtins of a small constant size after it has put in its hooks, so that what
 * they do is not seen.  libstdc++'s headers name the builtins; the headers beside this one make them
 * call libc's functions, where the runtime stands.  The templates are constexpr for the sake of the
 * constexpr functions that call them where nothing is constant.
 */
#ifndef FOREWEAVE_CALLS_H
#define FOREWEAVE_CALLS_H
#pragma GCC system_header

#if __cplusplus >= 201103L
#define FOREWEAVE_CONSTEXPR constexpr
#else
#define FOREWEAVE_CONSTEXPR
#endif

extern "C" {
void *foreweave_call_memcpy(void *, const void *, __SIZE_TYPE__) __asm__("memcpy")
    __attribute__((nothrow));
void *foreweave_call_memmove(void *, const void *, __SIZE_TYPE__) __asm__("memmove")
    __attribute__((nothrow));
void *foreweave_call_memset(void *, int, __SIZE_TYPE__) __asm__("memset")
    __attribute__((nothrow));
int foreweave_call_memcmp(const void *, const void *, __SIZE_TYPE__) __asm__("memcmp")
    __attribute__((nothrow, pure));
void *foreweave_call_memchr(const void *, int, __SIZE_TYPE__) __asm__("memchr")
    __attribute__((nothrow, pure));
}

#define FOREWEAVE_CALL(type, name, first, second)                                                  \
    template <typename Size>                                                                       \
    __attribute__((always_inline, artificial)) inline FOREWEAVE_CONSTEXPR type                     \
        foreweave_##name(first a, second b, Size bytes)                                            \
    {                                                                                              \
        return foreweave_call_##name(a, b, (__SIZE_TYPE__)bytes);                                  \
    }

FOREWEAVE_CALL(void *, memcpy, void *, const void *)
FOREWEAVE_CALL(void *, memmove, void *, const void *)
FOREWEAVE_CALL(void *, memset, void *, int)
FOREWEAVE_CALL(int, memcmp, const void *, const void *)
FOREWEAVE_CALL(void *, memchr, const void *, int)

#undef FOREWEAVE_CALL
#undef FOREWEAVE_CONSTEXPR
#endif
