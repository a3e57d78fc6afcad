/*
 * foreweave_calls_end.h - see foreweave_calls_begin.h.
 */
#if defined(__SANITIZE_THREAD__) && !defined(__clang__)
#pragma pop_macro("__builtin_memcpy")
#pragma pop_macro("__builtin_memmove")
#pragma pop_macro("__builtin_memset")
#pragma pop_macro("__builtin_memcmp")
#pragma pop_macro("__builtin_memchr")
#endif
