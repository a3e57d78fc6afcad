/*
 * helgrind.h - Helgrind's requests for programs built with `foreweave cc`.
 *
 * The real header comes first, if there is one; its ANNOTATE_ and VALGRIND_HG_ macros are then
 * defined anew (foreweave_annotations.h).
 */
#if defined __has_include_next
#if __has_include_next(<valgrind/helgrind.h>)
#include_next <valgrind/helgrind.h>
#endif
#endif

#include "foreweave_annotations.h"

#undef VALGRIND_HG_MUTEX_INIT_POST
#undef VALGRIND_HG_MUTEX_LOCK_PRE
#undef VALGRIND_HG_MUTEX_LOCK_POST
#undef VALGRIND_HG_MUTEX_UNLOCK_PRE
#undef VALGRIND_HG_MUTEX_UNLOCK_POST
#undef VALGRIND_HG_MUTEX_DESTROY_PRE
#undef VALGRIND_HG_SEM_INIT_POST
#undef VALGRIND_HG_SEM_WAIT_POST
#undef VALGRIND_HG_SEM_POST_PRE
#undef VALGRIND_HG_SEM_DESTROY_PRE
#undef VALGRIND_HG_BARRIER_INIT_PRE
#undef VALGRIND_HG_BARRIER_WAIT_PRE
#undef VALGRIND_HG_BARRIER_RESIZE_PRE
#undef VALGRIND_HG_BARRIER_DESTROY_PRE
#undef VALGRIND_HG_CLEAN_MEMORY
#undef VALGRIND_HG_DISABLE_CHECKING
#undef VALGRIND_HG_ENABLE_CHECKING

#define VALGRIND_HG_MUTEX_INIT_POST(mutex, recursive) FOREWEAVE_LOCK_CREATED(mutex)
#define VALGRIND_HG_MUTEX_LOCK_PRE(mutex, is_try)     FOREWEAVE_NOTHING
#define VALGRIND_HG_MUTEX_LOCK_POST(mutex)            FOREWEAVE_LOCK_ACQUIRED(mutex)
#define VALGRIND_HG_MUTEX_UNLOCK_PRE(mutex)           FOREWEAVE_LOCK_RELEASED(mutex)
#define VALGRIND_HG_MUTEX_UNLOCK_POST(mutex)          FOREWEAVE_NOTHING
#define VALGRIND_HG_MUTEX_DESTROY_PRE(mutex)          FOREWEAVE_LOCK_DESTROYED(mutex)
#define VALGRIND_HG_SEM_INIT_POST(sem, value)         FOREWEAVE_NOTHING
#define VALGRIND_HG_SEM_WAIT_POST(sem)                FOREWEAVE_HAPPENS_AFTER(sem)
#define VALGRIND_HG_SEM_POST_PRE(sem)                 FOREWEAVE_HAPPENS_BEFORE(sem)
#define VALGRIND_HG_SEM_DESTROY_PRE(sem)              FOREWEAVE_NOTHING
#define VALGRIND_HG_BARRIER_INIT_PRE(bar, count, r)   FOREWEAVE_NOTHING
#define VALGRIND_HG_BARRIER_WAIT_PRE(bar)             FOREWEAVE_NOTHING
#define VALGRIND_HG_BARRIER_RESIZE_PRE(bar, count)    FOREWEAVE_NOTHING
#define VALGRIND_HG_BARRIER_DESTROY_PRE(bar)          FOREWEAVE_NOTHING
#define VALGRIND_HG_CLEAN_MEMORY(start, bytes)        FOREWEAVE_NEW_MEMORY(start, bytes)
#define VALGRIND_HG_DISABLE_CHECKING(start, bytes)    FOREWEAVE_EXPECT_RACE(start, bytes, "")
#define VALGRIND_HG_ENABLE_CHECKING(start, bytes)     FOREWEAVE_NOTHING
