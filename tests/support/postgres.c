/* postgres.c - see postgres.h. */
#include "support/postgres.h"

#include "base/bug.h"
#include "memo/sql.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Debian keeps the server's programs out of PATH, by version: the newest. */
static int find_programs(char *folder, size_t size)
{
    glob_t found;
    int result = -1;

    if (glob("/usr/lib/postgresql/*/bin/initdb", 0, NULL, &found) == 0) {
        const char *last = found.gl_pathv[found.gl_pathc - 1];

        snprintf(folder, size, "%.*s", (int)(strlen(last) - strlen("/initdb")), last);
        result = 0;
        globfree(&found);
    } else if (access("/usr/bin/initdb", X_OK) == 0) {
        snprintf(folder, size, "/usr/bin");
        result = 0;
    }
    return result;
}

/* The server refuses to be root. */
static const struct passwd *unprivileged(void)
{
    const struct passwd *user = getpwnam("postgres");

    return user ? user : getpwnam("nobody");
}

static pid_t start(const struct fw_postgres *pg, char *const argv[])
{
    pid_t pid = fork();

    if (pid == 0) {
        const struct passwd *user = geteuid() == 0 ? unprivileged() : NULL;
        int log = open("/dev/null", O_RDWR);

        if (user && (setgroups(0, NULL) < 0 || setgid(user->pw_gid) < 0 ||
                     setuid(user->pw_uid) < 0))
            _exit(126);
        prctl(PR_SET_PDEATHSIG, SIGQUIT);
        dup2(log, STDOUT_FILENO);
        if (!getenv("FOREWEAVE_POSTGRES_LOG"))
            dup2(log, STDERR_FILENO);
        if (chdir(pg->folder) == 0)
            execv(argv[0], argv);
        _exit(127);
    }
    return pid;
}

static int run(const struct fw_postgres *pg, char *const argv[])
{
    pid_t pid = start(pg, argv);
    int status;

    return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0 ? 0 : -1;
}

static bool is_running(pid_t pid)
{
    siginfo_t info = { 0 };

    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && !info.si_pid;
}

static int wait_for(const struct fw_postgres *pg, char *why, size_t size)
{
    const struct fw_sql_way way = { .write = true };
    const struct timespec pause = { .tv_nsec = 20 * 1000 * 1000 };
    struct fw_sql *sql;
    struct fw_error err = { 0 };

    /* However long it takes: the machine may be busy. */
    while (is_running(pg->pid)) {
        if (fw_sql_open(&sql, pg->url, &way, &err) == 0) {
            fw_sql_close(sql);
            return 0;
        }
        nanosleep(&pause, NULL);
    }
    snprintf(why, size, "the server does not answer: %s", err.message);
    return -1;
}

int fw_postgres_start(struct fw_postgres *pg, char *why, size_t size)
{
    char programs[128], initdb[160], server[160], data[96];
    const struct passwd *user = unprivileged();

    memset(pg, 0, sizeof *pg);
    if (find_programs(programs, sizeof programs) < 0) {
        snprintf(why, size, "no PostgreSQL server is installed (Debian: postgresql)");
        return -1;
    }
    strcpy(pg->folder, "/tmp/foreweave-pg.XXXXXX"); /* a socket's path must be short */
    if (!mkdtemp(pg->folder) || !user ||
        (geteuid() == 0 && chown(pg->folder, user->pw_uid, user->pw_gid) < 0)) {
        snprintf(why, size, "no folder for the server: %s", strerror(errno));
        return -1;
    }
    snprintf(initdb, sizeof initdb, "%s/initdb", programs);
    snprintf(server, sizeof server, "%s/postgres", programs);
    snprintf(data, sizeof data, "%s/data", pg->folder);
    snprintf(pg->url, sizeof pg->url, "postgresql:///postgres?host=%s&user=tester", pg->folder);
    if (run(pg, (char *[]) { initdb, "-D", data, "-A", "trust", "-U", "tester", "-N", "-E", "UTF8",
                             "--locale=C", NULL }) < 0) {
        snprintf(why, size, "%s failed", initdb);
        fw_postgres_stop(pg);
        return -1;
    }
    pg->pid = start(pg, (char *[]) { server, "-D", data, "-k", pg->folder, "-c",
                                     "listen_addresses=", "-c", "fsync=off", "-c",
                                     "synchronous_commit=off", "-c", "autovacuum=off", NULL });
    if (wait_for(pg, why, size) < 0) {
        fw_postgres_stop(pg);
        return -1;
    }
    return 0;
}

static int remove_one(const char *path, const struct stat *file, int kind, struct FTW *place)
{
    (void)file, (void)kind, (void)place;
    return remove(path);
}

void fw_postgres_stop(struct fw_postgres *pg)
{
    if (pg->pid > 0) {
        kill(pg->pid, SIGQUIT);
        waitpid(pg->pid, NULL, 0);
    }
    if (*pg->folder)
        nftw(pg->folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    memset(pg, 0, sizeof *pg);
}

/* Making a database takes longer than most tests. */
void fw_postgres_database(struct fw_postgres *pg, char *url, size_t size)
{
    const struct fw_sql_way way = { .write = true };
    unsigned number = pg->databases++ % FW_POSTGRES_DATABASES;
    bool used = pg->databases > FW_POSTGRES_DATABASES;
    struct fw_sql *sql;
    struct fw_error err;
    char text[64];

    snprintf(text, sizeof text, "CREATE DATABASE memo%u", number);
    snprintf(url, size, "postgresql:///memo%u?host=%s&user=tester", number, pg->folder);
    if (fw_sql_open(&sql, used ? url : pg->url, &way, &err) < 0 ||
        fw_sql_do(sql, used ? "DROP SCHEMA IF EXISTS foreweave CASCADE" : text, &err) < 0)
        FW_BUG("%s", err.message);
    fw_sql_close(sql);
}
