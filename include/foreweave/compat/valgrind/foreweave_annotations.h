/*
 * foreweave_annotations.h - Valgrind's ANNOTATE_ macros as calls that Foreweave's runtime has.
 *
 * Included by helgrind.h and drd.h beside it, which `foreweave cc` puts before the real ones.  The
 * functions are weak: a program that is not recorded does nothing here.  The real macros are client
 * requests, which only Valgrind sees; they are gone in a program compiled this way.
 */
#ifndef FOREWEAVE_COMPAT_ANNOTATIONS_H
#define FOREWEAVE_COMPAT_ANNOTATIONS_H

#include <foreweave/annotate.h>

#ifdef __cplusplus
extern "C" {
#endif
void AnnotateNewMemory(const char *file, int line, const volatile void *address,
                       unsigned long bytes) FOREWEAVE_WEAK;
void foreweave_barrier_in(void *barrier) FOREWEAVE_WEAK;
void foreweave_barrier_out(void *barrier) FOREWEAVE_WEAK;
#ifdef __cplusplus
}
#endif

#define FOREWEAVE_NOTHING ((void)0)
#define FOREWEAVE_LOCK_GOT(lock, is_w)                                                             \
    ((is_w) ? FOREWEAVE_LOCK_ACQUIRED(lock) : FOREWEAVE_LOCK_SHARED_ACQUIRED(lock))
#define FOREWEAVE_NEW_MEMORY(address, bytes)                                                       \
    FOREWEAVE_CALL(AnnotateNewMemory, (__FILE__, __LINE__, (address), (unsigned long)(bytes)))

#endif

/* Each of the two headers defines these anew, so there is no guard here. */
#undef ANNOTATE_HAPPENS_BEFORE
#undef ANNOTATE_HAPPENS_AFTER
#undef ANNOTATE_HAPPENS_BEFORE_FORGET_ALL
#undef ANNOTATE_CONDVAR_LOCK_WAIT
#undef ANNOTATE_CONDVAR_WAIT
#undef ANNOTATE_CONDVAR_SIGNAL
#undef ANNOTATE_CONDVAR_SIGNAL_ALL
#undef ANNOTATE_PCQ_CREATE
#undef ANNOTATE_PCQ_DESTROY
#undef ANNOTATE_PCQ_PUT
#undef ANNOTATE_PCQ_GET
#undef ANNOTATE_SEM_INIT_PRE
#undef ANNOTATE_SEM_DESTROY_POST
#undef ANNOTATE_SEM_WAIT_PRE
#undef ANNOTATE_SEM_WAIT_POST
#undef ANNOTATE_SEM_POST_PRE
#undef ANNOTATE_RWLOCK_CREATE
#undef ANNOTATE_RWLOCK_DESTROY
#undef ANNOTATE_RWLOCK_ACQUIRED
#undef ANNOTATE_RWLOCK_RELEASED
#undef ANNOTATE_READERLOCK_ACQUIRED
#undef ANNOTATE_READERLOCK_RELEASED
#undef ANNOTATE_WRITERLOCK_ACQUIRED
#undef ANNOTATE_WRITERLOCK_RELEASED
#undef ANNOTATE_BARRIER_INIT
#undef ANNOTATE_BARRIER_DESTROY
#undef ANNOTATE_BARRIER_WAIT_BEFORE
#undef ANNOTATE_BARRIER_WAIT_AFTER
#undef ANNOTATE_BENIGN_RACE
#undef ANNOTATE_BENIGN_RACE_SIZED
#undef ANNOTATE_EXPECT_RACE
#undef ANNOTATE_IGNORE_READS_BEGIN
#undef ANNOTATE_IGNORE_READS_END
#undef ANNOTATE_IGNORE_WRITES_BEGIN
#undef ANNOTATE_IGNORE_WRITES_END
#undef ANNOTATE_IGNORE_READS_AND_WRITES_BEGIN
#undef ANNOTATE_IGNORE_READS_AND_WRITES_END
#undef ANNOTATE_NEW_MEMORY
#undef ANNOTATE_THREAD_NAME

/* Order. */
#define ANNOTATE_HAPPENS_BEFORE(object)            FOREWEAVE_HAPPENS_BEFORE(object)
#define ANNOTATE_HAPPENS_AFTER(object)             FOREWEAVE_HAPPENS_AFTER(object)
#define ANNOTATE_HAPPENS_BEFORE_FORGET_ALL(object) FOREWEAVE_NOTHING
#define ANNOTATE_CONDVAR_LOCK_WAIT(cv, lock)       FOREWEAVE_HAPPENS_AFTER(cv)
#define ANNOTATE_CONDVAR_WAIT(cv)                  FOREWEAVE_HAPPENS_AFTER(cv)
#define ANNOTATE_CONDVAR_SIGNAL(cv)                FOREWEAVE_HAPPENS_BEFORE(cv)
#define ANNOTATE_CONDVAR_SIGNAL_ALL(cv)            FOREWEAVE_HAPPENS_BEFORE(cv)
#define ANNOTATE_PCQ_CREATE(pcq)                   FOREWEAVE_NOTHING
#define ANNOTATE_PCQ_DESTROY(pcq)                  FOREWEAVE_NOTHING
#define ANNOTATE_PCQ_PUT(pcq)                      FOREWEAVE_HAPPENS_BEFORE(pcq)
#define ANNOTATE_PCQ_GET(pcq)                      FOREWEAVE_HAPPENS_AFTER(pcq)
#define ANNOTATE_SEM_INIT_PRE(sem, value)          FOREWEAVE_NOTHING
#define ANNOTATE_SEM_DESTROY_POST(sem)             FOREWEAVE_NOTHING
#define ANNOTATE_SEM_WAIT_PRE(sem)                 FOREWEAVE_NOTHING
#define ANNOTATE_SEM_WAIT_POST(sem)                FOREWEAVE_HAPPENS_AFTER(sem)
#define ANNOTATE_SEM_POST_PRE(sem)                 FOREWEAVE_HAPPENS_BEFORE(sem)

/* Locks and barriers. */
#define ANNOTATE_RWLOCK_CREATE(lock)             FOREWEAVE_LOCK_CREATED(lock)
#define ANNOTATE_RWLOCK_DESTROY(lock)            FOREWEAVE_LOCK_DESTROYED(lock)
#define ANNOTATE_RWLOCK_ACQUIRED(lock, is_w)     FOREWEAVE_LOCK_GOT(lock, is_w)
#define ANNOTATE_RWLOCK_RELEASED(lock, is_w)     FOREWEAVE_LOCK_RELEASED(lock)
#define ANNOTATE_READERLOCK_ACQUIRED(lock)       FOREWEAVE_LOCK_SHARED_ACQUIRED(lock)
#define ANNOTATE_READERLOCK_RELEASED(lock)       FOREWEAVE_LOCK_RELEASED(lock)
#define ANNOTATE_WRITERLOCK_ACQUIRED(lock)       FOREWEAVE_LOCK_ACQUIRED(lock)
#define ANNOTATE_WRITERLOCK_RELEASED(lock)       FOREWEAVE_LOCK_RELEASED(lock)
#define ANNOTATE_BARRIER_INIT(barrier, count, r) FOREWEAVE_NOTHING
#define ANNOTATE_BARRIER_DESTROY(barrier)        FOREWEAVE_NOTHING
#define ANNOTATE_BARRIER_WAIT_BEFORE(barrier)    FOREWEAVE_CALL(foreweave_barrier_in, (barrier))
#define ANNOTATE_BARRIER_WAIT_AFTER(barrier)     FOREWEAVE_CALL(foreweave_barrier_out, (barrier))

/* Memory. */
#define ANNOTATE_BENIGN_RACE(address, why) FOREWEAVE_EXPECT_RACE(address, 1, why)
#define ANNOTATE_BENIGN_RACE_SIZED(address, bytes, why) FOREWEAVE_EXPECT_RACE(address, bytes, why)
#define ANNOTATE_EXPECT_RACE(address, why)              FOREWEAVE_EXPECT_RACE(address, 1, why)
#define ANNOTATE_NEW_MEMORY(address, bytes)             FOREWEAVE_NEW_MEMORY(address, bytes)
#define ANNOTATE_IGNORE_READS_BEGIN()                   FOREWEAVE_IGNORE_READS_BEGIN()
#define ANNOTATE_IGNORE_READS_END()                     FOREWEAVE_IGNORE_READS_END()
#define ANNOTATE_IGNORE_WRITES_BEGIN()                  FOREWEAVE_IGNORE_WRITES_BEGIN()
#define ANNOTATE_IGNORE_WRITES_END()                    FOREWEAVE_IGNORE_WRITES_END()
#define ANNOTATE_IGNORE_READS_AND_WRITES_BEGIN()                                                   \
    (FOREWEAVE_IGNORE_READS_BEGIN(), FOREWEAVE_IGNORE_WRITES_BEGIN())
#define ANNOTATE_IGNORE_READS_AND_WRITES_END()                                                     \
    (FOREWEAVE_IGNORE_WRITES_END(), FOREWEAVE_IGNORE_READS_END())

#define ANNOTATE_THREAD_NAME(name) FOREWEAVE_THREAD_NAME(name)
