/*
 * doctor_record.c - can programs be built, run, recorded and analysed on this machine?
 *
 * Not by looking at versions but by doing it: a program of a few lines goes the whole way, through
 * the same commands that a user types, in a temporary directory.  The first step that fails is
 * named.  The analysis must find the program's race, at the line where it is.
 */
#include "base/alloc.h"
#include "base/vec.h"
#include "cmd/cmd.h"
#include "cmd/doctor.h"
#include "cmd/places.h"
#include "cmd/run.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char sample[] = "#include <pthread.h>\n"
                             "int x;\n"
                             "static void *work(void *arg)\n"
                             "{\n"
                             "    x = 2;\n"
                             "    return arg;\n"
                             "}\n"
                             "int main(void)\n"
                             "{\n"
                             "    pthread_t t;\n"
                             "    if (pthread_create(&t, 0, work, 0)) return 1;\n"
                             "    x = 1;\n"
                             "    return pthread_join(t, 0);\n"
                             "}\n";

/* Files in the temporary directory; all are removed at the end. */
enum {
    SOURCE,
    PROGRAM,
    TRACE,
    RESULT,
    FILES
};
static const char *const files[FILES] = { "race.c", "race", "race.fwt", "race.json" };

struct trial {
    char dir[PATH_MAX - 32];
    char path[FILES][PATH_MAX]; /* of the files */
    char self[PATH_MAX];    /* the program */
    char compiler[32];      /* --compiler=gcc */
};

static int write_sample(const struct trial *trial)
{
    FILE *file = fopen(trial->path[SOURCE], "we");

    if (!file)
        return -1;
    fputs(sample, file);
    return fclose(file);
}

static int trial_begin(struct trial *trial, const char *compiler)
{
    const char *temporary = getenv("TMPDIR");
    ssize_t len = readlink("/proc/self/exe", trial->self, sizeof trial->self - 1);

    if (len < 0)
        return -1;
    trial->self[len] = '\0';
    snprintf(trial->compiler, sizeof trial->compiler, "--compiler=%s", compiler);
    snprintf(trial->dir, sizeof trial->dir, "%s/foreweave-XXXXXX",
             temporary && *temporary ? temporary : "/tmp");
    if (!mkdtemp(trial->dir))
        return -1;
    for (int i = 0; i < FILES; i++)
        snprintf(trial->path[i], sizeof trial->path[i], "%s/%s", trial->dir, files[i]);
    return write_sample(trial);
}

static void trial_end(const struct trial *trial)
{
    for (int i = 0; i < FILES; i++)
        unlink(trial->path[i]);
    rmdir(trial->dir);
}

/* The result names the line of the race, so debug information was understood. */
static bool names_line(const char *path)
{
    char text[16384];
    FILE *file = fopen(path, "re");
    size_t len = file ? fread(text, 1, sizeof text - 1, file) : 0;

    if (file)
        fclose(file);
    text[len] = '\0';
    return strstr(text, "race.c:5") && strstr(text, "race.c:12");
}

/* What went wrong first; NULL: nothing. */
static const char *failed_step(struct trial *t)
{
    char *const build[] = { t->self,         "cc", t->compiler,      "-g",
                            t->path[SOURCE], "-o", t->path[PROGRAM], NULL };
    char *const native[] = { t->path[PROGRAM], NULL };
    char *const record[] = {
        t->self, "record", "-o", t->path[TRACE], "--", t->path[PROGRAM], NULL
    };
    char *const check[] = { t->self, "check",         "--analysis=race", "--format=json",
                            "-o",    t->path[RESULT], t->path[TRACE],    NULL };

    if (fw_run_quietly(build) != 0)
        return "a program cannot be built";
    if (fw_run_quietly(native) != 0)
        return "a program that was built does not run";
    if (fw_run_quietly(record) != 0)
        return "a program cannot be recorded";
    if (fw_run_quietly(check) != FW_EXIT_FINDINGS)
        return "the race of a recorded program is not found";
    return names_line(t->path[RESULT]) ? NULL
                                       : "sites are addresses: debug information is not read";
}

static void record_with(struct fw_doctor_result *result, const char *compiler)
{
    char *const version[] = { (char *)compiler, "--version", NULL };
    struct trial trial;
    const char *failed;

    if (fw_run_quietly(version) != 0) {
        fw_doctor_found(result, "not tried: there is no %s", compiler);
        return;
    }
    if (trial_begin(&trial, compiler) < 0) {
        fw_doctor_found(result, "not tried: no place for temporary files");
        return;
    }
    failed = failed_step(&trial);
    trial_end(&trial);
    fw_doctor_found(result, "%s",
                    failed ? failed : "a program was built, recorded, its race found");
    if (failed)
        fw_doctor_advise(result, FW_DOCTOR_WARN,
                         "do it by hand to see why: foreweave help cc, foreweave help record");
}

void fw_doctor_record_gcc(struct fw_doctor_result *result)
{
    record_with(result, "gcc");
}

void fw_doctor_record_clang(struct fw_doctor_result *result)
{
    record_with(result, "clang");
}

void fw_doctor_runtime(struct fw_doctor_result *result)
{
    struct fw_places places;
    struct fw_error err;

    if (fw_places_find(&places, &err) == 0) {
        fw_doctor_found(result, "%.180s", places.runtime);
    } else {
        fw_doctor_found(result, "%.180s", err.message);
        fw_doctor_advise(result, FW_DOCTOR_FAIL, "programs cannot be built or recorded");
    }
    fw_places_release(&places);
}
