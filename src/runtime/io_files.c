/*
 * io_files.c - calls that change or look up names, or move in files, and have nothing to tell but
 * that: points of controlled runs (effect.h).
 *
 * Each calls the real function as the program's own code.
 */
#include "runtime/effect.h"
#include "runtime/intercept.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>

int eaccess(const char *path, int mode);

#define CALL(what, type, name, parameters, call, failed)                                           \
    FW_EXPORT type name parameters                                                                 \
    {                                                                                              \
        type result;                                                                               \
                                                                                                   \
        fw_effect(what);                                                                           \
        result = REAL(name) call;                                                                  \
        if (result == (failed))                                                                    \
            fw_effect_failed_alone();                                                              \
        return result;                                                                             \
    }

#define CHANGES(name, parameters, call) CALL(FW_ON_FILES, int, name, parameters, call, -1)

/* --- looking --------------------------------------------------------------------------------- */

#define LOOKS(name, parameters, call)                                                              \
    FW_EXPORT int name parameters                                                                  \
    {                                                                                              \
        fw_effect(FW_LOOK_AT_FILES);                                                               \
        return REAL(name) call;                                                                    \
    }

LOOKS(access, (const char *path, int mode), (path, mode))
LOOKS(eaccess, (const char *path, int mode), (path, mode))
LOOKS(euidaccess, (const char *path, int mode), (path, mode))
LOOKS(faccessat, (int folder, const char *path, int mode, int flags), (folder, path, mode, flags))

/* --- names ----------------------------------------------------------------------------------- */

CHANGES(unlink, (const char *path), (path))
CHANGES(unlinkat, (int folder, const char *path, int flags), (folder, path, flags))
CHANGES(remove, (const char *path), (path))
CHANGES(rmdir, (const char *path), (path))
CHANGES(rename, (const char *from, const char *to), (from, to))
CHANGES(renameat, (int from_folder, const char *from, int to_folder, const char *to),
        (from_folder, from, to_folder, to))
CHANGES(renameat2,
        (int from_folder, const char *from, int to_folder, const char *to, unsigned flags),
        (from_folder, from, to_folder, to, flags))
CHANGES(link, (const char *from, const char *to), (from, to))
CHANGES(linkat, (int from_folder, const char *from, int to_folder, const char *to, int flags),
        (from_folder, from, to_folder, to, flags))
CHANGES(symlink, (const char *from, const char *to), (from, to))
CHANGES(symlinkat, (const char *from, int folder, const char *to), (from, folder, to))
CHANGES(mkdir, (const char *path, mode_t mode), (path, mode))
CHANGES(mkdirat, (int folder, const char *path, mode_t mode), (folder, path, mode))
CHANGES(mkfifo, (const char *path, mode_t mode), (path, mode))
CHANGES(mknod, (const char *path, mode_t mode, dev_t device), (path, mode, device))
CHANGES(chdir, (const char *path), (path))
CHANGES(fchdir, (int fd), (fd))
CHANGES(chroot, (const char *path), (path))
CALL(FW_ON_FILES, mode_t, umask, (mode_t mask), (mask), (mode_t)-1)
CHANGES(chmod, (const char *path, mode_t mode), (path, mode))
CHANGES(fchmod, (int fd, mode_t mode), (fd, mode))
CHANGES(fchmodat, (int folder, const char *path, mode_t mode, int flags),
        (folder, path, mode, flags))
CHANGES(utime, (const char *path, const struct utimbuf *times), (path, times))
CHANGES(utimes, (const char *path, const struct timeval times[2]), (path, times))
CHANGES(utimensat, (int folder, const char *path, const struct timespec times[2], int flags),
        (folder, path, times, flags))
CHANGES(futimens, (int fd, const struct timespec times[2]), (fd, times))
CHANGES(truncate, (const char *path, off_t length), (path, length))
CHANGES(truncate64, (const char *path, off64_t length), (path, length))
CHANGES(shm_open, (const char *name, int flags, mode_t mode), (name, flags, mode))
CHANGES(shm_unlink, (const char *name), (name))
CALL(FW_ON_FILES, DIR *, opendir, (const char *path), (path), NULL)
CALL(FW_ON_FILES, FILE *, tmpfile, (void), (), NULL)

/* --- descriptors ----------------------------------------------------------------------------- */

CHANGES(socket, (int domain, int type, int protocol), (domain, type, protocol))
CHANGES(bind, (int fd, const struct sockaddr *address, socklen_t length), (fd, address, length))
CALL(FW_ON_FD(fd), off_t, lseek, (int fd, off_t offset, int whence), (fd, offset, whence), -1)
CALL(FW_ON_FD(fd), off64_t, lseek64, (int fd, off64_t offset, int whence), (fd, offset, whence),
     -1)
CALL(FW_ON_FD(fd), int, ftruncate, (int fd, off_t length), (fd, length), -1)
CALL(FW_ON_FD(fd), int, ftruncate64, (int fd, off64_t length), (fd, length), -1)
CALL(FW_ON_FD(fd), int, fallocate, (int fd, int mode, off_t offset, off_t length),
     (fd, mode, offset, length), -1)
CALL(FW_ON_FD(fd), int, posix_fallocate, (int fd, off_t offset, off_t length),
     (fd, offset, length), -1)
CALL(FW_ON_FILES, ssize_t, copy_file_range,
     (int in, off64_t *in_offset, int out, off64_t *out_offset, size_t most, unsigned flags),
     (in, in_offset, out, out_offset, most, flags), -1)
