/*
 * foreweave_calls_begin.h - from here on the builtins are calls; foreweave_calls_end.h ends it.
 * May be nested.
 */
#if defined(__SANITIZE_THREAD__) && !defined(__clang__)
#include "foreweave_calls.h"
#pragma push_macro("__builtin_memcpy")
#pragma push_macro("__builtin_memmove")
#pragma push_macro("__builtin_memset")
#pragma push_macro("__builtin_memcmp")
#pragma push_macro("__builtin_memchr")
#define __builtin_memcpy  ::foreweave_memcpy
#define __builtin_memmove ::foreweave_memmove
#define __builtin_memset  ::foreweave_memset
#define __builtin_memcmp  ::foreweave_memcmp
#define __builtin_memchr  ::foreweave_memchr
#endif
