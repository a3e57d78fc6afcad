/*
 * harmless.c - see harmless.h.
 *
 * What allocates is not here: allocators have locks of their own, and their interceptors let go of
 * what is held.
 */
#include "sections/harmless.h"

#include <stddef.h>
#include <string.h>

/* A * at the end: whatever begins so. */
static const char *const harmless[] = {
    /* hooks; not __tsan_atomic* */
    "__tsan_read*", "__tsan_write*", "__tsan_unaligned_*", "__tsan_volatile_*", "__tsan_vptr_*",
    "__tsan_func_*", "__tsan_mem*", "__tsan_init", "__sanitizer_cov_*", "__foreweave_*",
    /* memory and strings */
    "memcpy", "memmove", "memset", "memcmp", "memchr", "memrchr", "rawmemchr", "memmem", "mempcpy",
    "bcmp", "bcopy", "bzero", "strlen", "strnlen", "strcpy", "strncpy", "stpcpy", "stpncpy",
    "strcat", "strncat", "strcmp", "strncmp", "strcasecmp", "strncasecmp", "strchr", "strrchr",
    "strchrnul", "strstr", "strcasestr", "strspn", "strcspn", "strpbrk", "strsep", "strtok_r",
    "__memcpy_chk", "__memmove_chk", "__memset_chk", "__strcpy_chk", "__strcat_chk",
    "__strncpy_chk", "wcslen", "wcscpy", "wcscmp", "wmemcpy", "wmemset", "wmemcmp",
    /* numbers and characters */
    "abs", "labs", "llabs", "div", "ldiv", "atoi", "atol", "atoll", "strtol", "strtoul", "strtoll",
    "strtoull", "ffs", "ffsl", "__ctype_b_loc", "__ctype_tolower_loc", "__ctype_toupper_loc",
    "isalpha", "isdigit", "isalnum", "isspace", "toupper", "tolower", "__errno_location",
    "sqrt", "sqrtf", "cbrt", "pow", "powf", "exp", "exp2", "log", "log2", "log10", "sin", "cos",
    "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "floor", "floorf", "ceil",
    "ceilf", "round", "roundf", "lround", "llround", "trunc", "fmod", "fabs", "fmin", "fmax",
    "hypot", "ldexp", "frexp", "modf", "rint", "lrint",
};

static const char *const final[] = {
    "abort", "exit", "_exit", "_Exit", "quick_exit", "__assert_fail", "__assert_perror_fail",
    "__stack_chk_fail", "__fortify_fail", "__chk_fail", "pthread_exit", "thrd_exit", "longjmp",
    "_longjmp", "siglongjmp", "__longjmp_chk", "__cxa_throw", "__cxa_rethrow", "_Unwind_Resume",
    "_ZSt9terminatev", "__cxa_throw_bad_array_new_length", "_ZSt17__throw_bad_allocv",
};

static bool is_among(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(names[i]);

        if (names[i][length - 1] == '*' ? strncmp(names[i], name, length - 1) == 0
                                        : strcmp(names[i], name) == 0)
            return true;
    }
    return false;
}

bool fw_callee_is_harmless(const char *name)
{
    return is_among(harmless, sizeof harmless / sizeof *harmless, name);
}

bool fw_callee_never_returns(const char *name)
{
    return is_among(final, sizeof final / sizeof *final, name);
}
