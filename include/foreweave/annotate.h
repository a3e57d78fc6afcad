/*
 * foreweave/annotate.h - what a program can tell Foreweave about itself.  C and C++.
 *
 * The macros cost a test of a pointer in a program that is not recorded: the functions behind them
 * are weak, and only the runtime that `foreweave cc` links has them.  So this header may be used
 * with any compiler and needs no library.  docs/annotations.md explains each.
 */
#ifndef FOREWEAVE_ANNOTATE_H
#define FOREWEAVE_ANNOTATE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef FOREWEAVE_WEAK
#define FOREWEAVE_WEAK __attribute__((weak))
#endif

/* Atomic blocks. */
void foreweave_begin(const char *label) FOREWEAVE_WEAK;
void foreweave_end(const char *label) FOREWEAVE_WEAK;

/* Ignoring. */
void foreweave_ignore_begin(void) FOREWEAVE_WEAK;
void foreweave_ignore_end(void) FOREWEAVE_WEAK;
void foreweave_ignore_reads_begin(void) FOREWEAVE_WEAK;
void foreweave_ignore_reads_end(void) FOREWEAVE_WEAK;
void foreweave_ignore_writes_begin(void) FOREWEAVE_WEAK;
void foreweave_ignore_writes_end(void) FOREWEAVE_WEAK;
void foreweave_ignore_sync_begin(void) FOREWEAVE_WEAK;
void foreweave_ignore_sync_end(void) FOREWEAVE_WEAK;

/* Races that are meant. */
void foreweave_expect_race(const volatile void *address, size_t bytes,
                           const char *why) FOREWEAVE_WEAK;

/* Order that Foreweave cannot see. */
void foreweave_happens_before(const volatile void *object) FOREWEAVE_WEAK;
void foreweave_happens_after(const volatile void *object) FOREWEAVE_WEAK;

/* Locks of your own. */
void foreweave_lock_created(const volatile void *lock) FOREWEAVE_WEAK;
void foreweave_lock_destroyed(const volatile void *lock) FOREWEAVE_WEAK;
void foreweave_lock_acquired(const volatile void *lock) FOREWEAVE_WEAK;
void foreweave_lock_try_acquired(const volatile void *lock) FOREWEAVE_WEAK;
void foreweave_lock_try_failed(const volatile void *lock) FOREWEAVE_WEAK;
void foreweave_lock_shared_acquired(const volatile void *lock) FOREWEAVE_WEAK;
void foreweave_lock_shared_try_acquired(const volatile void *lock) FOREWEAVE_WEAK;
void foreweave_lock_released(const volatile void *lock) FOREWEAVE_WEAK;

/* The calling thread's name. */
void foreweave_thread_name(const char *name) FOREWEAVE_WEAK;

#ifdef __cplusplus
}
#endif

#define FOREWEAVE_CALL(function, arguments) ((function) ? (function)arguments : (void)0)

/* What is between the two should look as if it ran alone. */
#define FOREWEAVE_ATOMIC_BEGIN(label) FOREWEAVE_CALL(foreweave_begin, (label))
#define FOREWEAVE_ATOMIC_END(label)   FOREWEAVE_CALL(foreweave_end, (label))

/* What the calling thread does between the two is not recorded.  They nest. */
#define FOREWEAVE_IGNORE_BEGIN()        FOREWEAVE_CALL(foreweave_ignore_begin, ())
#define FOREWEAVE_IGNORE_END()          FOREWEAVE_CALL(foreweave_ignore_end, ())
#define FOREWEAVE_IGNORE_READS_BEGIN()  FOREWEAVE_CALL(foreweave_ignore_reads_begin, ())
#define FOREWEAVE_IGNORE_READS_END()    FOREWEAVE_CALL(foreweave_ignore_reads_end, ())
#define FOREWEAVE_IGNORE_WRITES_BEGIN() FOREWEAVE_CALL(foreweave_ignore_writes_begin, ())
#define FOREWEAVE_IGNORE_WRITES_END()   FOREWEAVE_CALL(foreweave_ignore_writes_end, ())
#define FOREWEAVE_IGNORE_SYNC_BEGIN()   FOREWEAVE_CALL(foreweave_ignore_sync_begin, ())
#define FOREWEAVE_IGNORE_SYNC_END()     FOREWEAVE_CALL(foreweave_ignore_sync_end, ())

/* Races on this memory are known and meant: they are not reported. */
#define FOREWEAVE_EXPECT_RACE(address, bytes, why)                                                 \
    FOREWEAVE_CALL(foreweave_expect_race, ((address), (bytes), (why)))

/* Everything before the first comes before everything after the second. */
#define FOREWEAVE_HAPPENS_BEFORE(object) FOREWEAVE_CALL(foreweave_happens_before, (object))
#define FOREWEAVE_HAPPENS_AFTER(object)  FOREWEAVE_CALL(foreweave_happens_after, (object))

/* The address stands for the lock.  ACQUIRED comes after the lock was taken, RELEASED before it is
 * given back; TRY_FAILED after a try that found it held by another thread. */
#define FOREWEAVE_LOCK_CREATED(lock)      FOREWEAVE_CALL(foreweave_lock_created, (lock))
#define FOREWEAVE_LOCK_DESTROYED(lock)    FOREWEAVE_CALL(foreweave_lock_destroyed, (lock))
#define FOREWEAVE_LOCK_ACQUIRED(lock)     FOREWEAVE_CALL(foreweave_lock_acquired, (lock))
#define FOREWEAVE_LOCK_TRY_ACQUIRED(lock) FOREWEAVE_CALL(foreweave_lock_try_acquired, (lock))
#define FOREWEAVE_LOCK_TRY_FAILED(lock)   FOREWEAVE_CALL(foreweave_lock_try_failed, (lock))
#define FOREWEAVE_LOCK_SHARED_ACQUIRED(lock)                                                       \
    FOREWEAVE_CALL(foreweave_lock_shared_acquired, (lock))
#define FOREWEAVE_LOCK_SHARED_TRY_ACQUIRED(lock)                                                   \
    FOREWEAVE_CALL(foreweave_lock_shared_try_acquired, (lock))
#define FOREWEAVE_LOCK_RELEASED(lock) FOREWEAVE_CALL(foreweave_lock_released, (lock))

#define FOREWEAVE_THREAD_NAME(name) FOREWEAVE_CALL(foreweave_thread_name, (name))

#ifdef __cplusplus
namespace foreweave
{
/* An atomic block as long as the object lives. */
class atomic_block
{
public:
    explicit atomic_block(const char *label) : label_(label)
    {
        FOREWEAVE_ATOMIC_BEGIN(label_);
    }
    ~atomic_block()
    {
        FOREWEAVE_ATOMIC_END(label_);
    }

private:
    atomic_block(const atomic_block &);
    atomic_block &operator=(const atomic_block &);
    const char *label_;
};

/* Nothing is recorded as long as the object lives. */
class ignore
{
public:
    ignore()
    {
        FOREWEAVE_IGNORE_BEGIN();
    }
    ~ignore()
    {
        FOREWEAVE_IGNORE_END();
    }

private:
    ignore(const ignore &);
    ignore &operator=(const ignore &);
};
} // namespace foreweave
#endif

#endif
