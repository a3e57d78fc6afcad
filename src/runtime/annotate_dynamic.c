/*
 * annotate_dynamic.c - "dynamic annotations": the functions behind the ANNOTATE_ macros that race
 * detectors have shared for long.
 *
 * A queue (PCQ) and a condition are objects that order what was put or signalled before what was
 * taken or waited for.
 */
#include "runtime/annotate.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

typedef const char *file_t;
typedef const volatile void *object_t;

/* An annotation of an object that is `what`, with FW_PC. */
#define OBJECT(name, what)                                                                         \
    FW_EXPORT void Annotate##name(file_t file, int line, object_t object)                          \
    {                                                                                              \
        (void)file, (void)line;                                                                    \
        what;                                                                                      \
    }
#define NOTHING(name)                                                                              \
    FW_EXPORT void Annotate##name(void)                                                            \
    {                                                                                              \
    }
#define PLAIN(name, what)                                                                          \
    FW_EXPORT void Annotate##name(file_t file, int line)                                           \
    {                                                                                              \
        (void)file, (void)line;                                                                    \
        what;                                                                                      \
    }

/* --- order --------------------------------------------------------------------------------- */

OBJECT(HappensBefore, fw_annotate_sync(FW_WIRE_BEFORE, object, FW_PC))
OBJECT(HappensAfter, fw_annotate_sync(FW_WIRE_AFTER, object, FW_PC))
OBJECT(CondVarSignal, fw_annotate_sync(FW_WIRE_BEFORE, object, FW_PC))
OBJECT(CondVarSignalAll, fw_annotate_sync(FW_WIRE_BEFORE, object, FW_PC))
OBJECT(PCQPut, fw_annotate_sync(FW_WIRE_BEFORE, object, FW_PC))
OBJECT(PCQGet, fw_annotate_sync(FW_WIRE_AFTER, object, FW_PC))
NOTHING(PCQCreate)
NOTHING(PCQDestroy)

FW_EXPORT void AnnotateCondVarWait(file_t file, int line, object_t condition, object_t lock)
{
    (void)file, (void)line, (void)lock;
    fw_annotate_sync(FW_WIRE_AFTER, condition, FW_PC);
}

FW_EXPORT void WTFAnnotateHappensBefore(file_t file, int line, object_t object)
{
    (void)file, (void)line;
    fw_annotate_sync(FW_WIRE_BEFORE, object, FW_PC);
}

FW_EXPORT void WTFAnnotateHappensAfter(file_t file, int line, object_t object)
{
    (void)file, (void)line;
    fw_annotate_sync(FW_WIRE_AFTER, object, FW_PC);
}

/* --- locks --------------------------------------------------------------------------------- */

OBJECT(RWLockCreate, fw_annotate_lock_gone(object, FW_PC))
OBJECT(RWLockCreateStatic, fw_annotate_lock_gone(object, FW_PC))
OBJECT(RWLockDestroy, fw_annotate_lock_gone(object, FW_PC))

FW_EXPORT void AnnotateRWLockAcquired(file_t file, int line, object_t lock, uintptr_t write)
{
    (void)file, (void)line;
    fw_annotate_lock_got(lock, write ? FW_WIRE_ACQUIRE : FW_WIRE_SHARED_ACQUIRE, 0, FW_PC);
}

FW_EXPORT void AnnotateRWLockReleased(file_t file, int line, object_t lock, uintptr_t write)
{
    (void)file, (void)line, (void)write;
    fw_annotate_lock_released(lock, false, FW_PC);
}

/* --- memory -------------------------------------------------------------------------------- */

OBJECT(BenignRace, fw_annotate_expect(object, 1, FW_PC))
OBJECT(ExpectRace, fw_annotate_expect(object, 1, FW_PC))

FW_EXPORT void AnnotateBenignRaceSized(file_t file, int line, object_t address, uintptr_t bytes,
                                       const char *why)
{
    (void)file, (void)line, (void)why;
    fw_annotate_expect(address, bytes, FW_PC);
}

FW_EXPORT void WTFAnnotateBenignRaceSized(file_t file, int line, object_t address, uintptr_t bytes,
                                          const char *why)
{
    (void)file, (void)line, (void)why;
    fw_annotate_expect(address, bytes, FW_PC);
}

FW_EXPORT void AnnotateNewMemory(file_t file, int line, object_t address, uintptr_t bytes)
{
    (void)file, (void)line;
    fw_annotate_fresh(address, bytes);
}

/* --- ignoring ------------------------------------------------------------------------------ */

PLAIN(IgnoreReadsBegin, fw_annotate_ignore(FW_IGNORE_READS, 1))
PLAIN(IgnoreReadsEnd, fw_annotate_ignore(FW_IGNORE_READS, -1))
PLAIN(IgnoreWritesBegin, fw_annotate_ignore(FW_IGNORE_WRITES, 1))
PLAIN(IgnoreWritesEnd, fw_annotate_ignore(FW_IGNORE_WRITES, -1))
PLAIN(IgnoreSyncBegin, fw_annotate_ignore(FW_IGNORE_SYNC, 1))
PLAIN(IgnoreSyncEnd, fw_annotate_ignore(FW_IGNORE_SYNC, -1))

FW_EXPORT void AnnotateEnableRaceDetection(file_t file, int line, int enable)
{
    (void)file, (void)line;
    fw_annotate_ignore(FW_IGNORE_ACCESSES, enable ? -1 : 1);
}

/* --- the rest ------------------------------------------------------------------------------ */

FW_EXPORT void AnnotateThreadName(file_t file, int line, const char *name)
{
    (void)file, (void)line;
    fw_annotate_name(name);
}

/* Hints for detectors of other kinds; they say nothing about the order of events. */
NOTHING(FlushState)
NOTHING(FlushExpectedRaces)
NOTHING(NoOp)
NOTHING(TraceMemory)
NOTHING(MutexIsNotPHB)
NOTHING(MutexIsUsedAsCondVar)
NOTHING(PublishMemoryRange)
NOTHING(UnpublishMemoryRange)
NOTHING(MemoryIsInitialized)
NOTHING(MemoryIsUninitialized)

FW_EXPORT int RunningOnValgrind(void)
{
    return 0;
}

FW_EXPORT double ValgrindSlowdown(void)
{
    return 1.0;
}
