/*
 * foreweave_no_branches.h - read before every source that 'foreweave cc --no-branches' compiles.
 *
 * Tells the runtime, when the module is loaded, that branches of this code are not seen: what
 * 'foreweave record' and its relatives conclude from a recording of it is not proven then.
 */
#ifndef FOREWEAVE_NO_BRANCHES_H
#define FOREWEAVE_NO_BRANCHES_H
#ifndef __ASSEMBLER__

#ifdef __cplusplus
extern "C" {
#endif
void __foreweave_no_branches(void) __attribute__((weak));
#ifdef __cplusplus
}
#endif

static __attribute__((constructor, no_sanitize("thread"))) void foreweave_tell_no_branches(void)
{
    if (__foreweave_no_branches)
        __foreweave_no_branches();
}

#endif
#endif
