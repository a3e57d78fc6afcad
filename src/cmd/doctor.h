/*
 * doctor.h - the probes of foreweave doctor: what was found, what it means, how to mend it.
 */
#ifndef FW_CMD_DOCTOR_H
#define FW_CMD_DOCTOR_H

enum fw_doctor_level {
    FW_DOCTOR_OK,
    FW_DOCTOR_WARN, /* something is missing that not everybody needs */
    FW_DOCTOR_FAIL, /* Foreweave does not work here */
};

struct fw_doctor_result {
    enum fw_doctor_level level;
    char found[192];
    char advice[192]; /* what it means and the fix; empty if all is well */
};

void fw_doctor_found(struct fw_doctor_result *result, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void fw_doctor_advise(struct fw_doctor_result *result, enum fw_doctor_level level,
                      const char *advice);

/* Is the library for programs under test in its place? */
void fw_doctor_runtime(struct fw_doctor_result *result);

/* Builds, runs and records a small program with each compiler, and looks for its race. */
void fw_doctor_record_gcc(struct fw_doctor_result *result);
void fw_doctor_record_clang(struct fw_doctor_result *result);

#endif
