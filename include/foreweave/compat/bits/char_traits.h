/*
 * bits/char_traits.h - libstdc++'s, with calls where it names builtins (foreweave_calls.h).
 */
#pragma GCC system_header
#include "../foreweave_calls_begin.h"
#include_next <bits/char_traits.h>
#include "../foreweave_calls_end.h"
