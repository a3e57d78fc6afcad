/* common.c - messages, results and the terminal, for all commands. */
#include "cmd/cmd.h"
#include "cmd/frame.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/ioctl.h>
#include <unistd.h>

const char *const fw_report_formats[] = { "text", "json", NULL };
const char *const fw_trace_formats[] = { "std", "tid", "fwt", NULL };

/* One write for one message, so that messages of several processes do not mix. */
static void print_message(const char *kind, const char *fmt, va_list args)
{
    char text[2048];
    size_t used = (size_t)snprintf(text, sizeof text, "foreweave: %s", kind);

    vsnprintf(text + used, sizeof text - used - 1, fmt, args);
    used = strlen(text);
    for (size_t i = 0; i < used; i++) /* names in a trace may be anything */
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
            text[i] = '?';
    text[used] = '\n';
    fwrite(text, 1, used + 1, stderr);
}

void fw_cmd_error(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    print_message("", fmt, args);
    va_end(args);
}

void fw_cmd_warning(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    print_message("warning: ", fmt, args);
    va_end(args);
}

int fw_cmd_fail(int status, const struct fw_error *err)
{
    fw_cmd_error("%s", err->message);
    return status;
}

void fw_cmd_warn_left(unsigned processes)
{
    if (processes)
        fw_cmd_warning("%u process%s outlived the program and %s ended", processes,
                       processes == 1 ? "" : "es", processes == 1 ? "was" : "were");
}

int fw_cmd_usage(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    print_message("", fmt, args);
    va_end(args);
    fprintf(stderr, "See '%s -h'.\n", fw_path_text(fw_current_path()));
    return FW_EXIT_USAGE;
}

int fw_cmd_output(struct fw_output *out, const char *path)
{
    struct fw_error err;

    if (fw_output_open(out, path ? path : "-", &err) < 0)
        return fw_cmd_fail(FW_EXIT_FAILURE, &err);
    return 0;
}

int fw_cmd_try_output(const char *path)
{
    struct fw_output out;
    struct stat about;
    int status;

    if (!path || strcmp(path, "-") == 0 || (stat(path, &about) == 0 && !S_ISREG(about.st_mode) &&
                                            !S_ISDIR(about.st_mode)))
        return 0;
    status = fw_cmd_output(&out, path);
    if (!status)
        fw_output_abandon(&out);
    return status;
}

bool fw_cmd_same_file(const char *in, const char *out)
{
    struct stat a, b;
    int got = strcmp(in, "-") == 0 ? fstat(STDIN_FILENO, &a) : stat(in, &a);

    if (got < 0 || strcmp(out, "-") == 0 || stat(out, &b) < 0)
        return false;
    return S_ISREG(a.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

int fw_cmd_check_output(const char *out, int argc, char **argv)
{
    for (int i = 0; out && i < argc; i++)
        if (fw_cmd_same_file(argv[i], out))
            return fw_cmd_usage("'%s' and '%s' are the same file", argv[i], out);
    return 0;
}

int fw_cmd_output_close(struct fw_output *out, int status)
{
    struct fw_error err;

    if (out->part && status != FW_EXIT_OK && status != FW_EXIT_FINDINGS &&
        status != FW_EXIT_BUDGET) {
        fw_output_abandon(out);
        return status;
    }
    if (fw_output_close(out, &err) < 0)
        return fw_cmd_fail(FW_EXIT_FAILURE, &err);
    return status;
}

bool fw_cmd_colour(int fd)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

    return isatty(fd) && !(no && *no) && term && strcmp(term, "dumb") != 0;
}

unsigned fw_cmd_width(int fd, unsigned otherwise)
{
    const char *columns = getenv("COLUMNS");
    struct winsize size;
    uint64_t value;

    if (columns && fw_parse_count(columns, &value) == 0 && value >= 20 && value <= 10000)
        return (unsigned)value;
    if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20)
        return size.ws_col;
    return otherwise;
}
