/* failure.c - see failure.h. */
#include "explore/failure.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define LINE 240u /* bytes of a message */
#define LOOK 0.1  /* seconds that are waited at once */

/* --- messages -------------------------------------------------------------------------------- */

char *fw_failure_last_line(const char *output, size_t bytes)
{
    size_t end = bytes, start;
    char *line;

    while (end && isspace((unsigned char)output[end - 1]))
        end--;
    start = end;
    while (start && output[start - 1] != '\n')
        start--;
    if (end - start > LINE)
        end = start + LINE;
    line = fw_xstrndup(output + start, end - start);
    for (char *at = line; *at; at++)
        if ((unsigned char)*at < 0x20 || *at == 0x7f)
            *at = ' ';
    return line;
}

/* Numbers of lines and numbers in names stay: they tell failures apart. */
void fw_failure_blur(char *text)
{
    char *to = text;
    char before = ' ';

    while (*text) {
        bool stays = isalnum((unsigned char)before) || before == ':' || before == '_';

        before = *text;
        if (!isdigit((unsigned char)*text) || stays) {
            *to++ = *text++;
            continue;
        }
        while (isxdigit((unsigned char)*text) || *text == 'x')
            text++;
        *to++ = before = '#';
    }
    *to = '\0';
}

/* --- places ---------------------------------------------------------------------------------- */

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Where the threads were that could not go on, in an order of its own.  In a deadlock those who
 * wait for locks count: what the others came to do before does not matter. */
static char *describe_waits(const struct fw_session *session, bool locks)
{
    const struct fw_control_head *head = fw_session_head(session);
    const struct fw_control_thread *threads = fw_session_threads(session);
    FW_VEC(char *) waits = { 0 };
    char *text = fw_xstrdup(""), *longer;

    for (uint32_t i = 0; i < head->thread_count && i < head->threads_room; i++) {
        const struct fw_control_site *site;

        if (threads[i].state != FW_THREAD_BLOCKED || threads[i].site >= head->site_count)
            continue;
        site = fw_session_site(session, threads[i].site);
        if (locks && !strstr(site->operation, "lock"))
            continue;
        fw_vec_push(&waits,
                    fw_xasprintf("%s+0x%llx", site->operation, (unsigned long long)site->offset));
    }
    if (waits.len)
        qsort(waits.at, waits.len, sizeof *waits.at, compare_texts);
    for (size_t i = 0; i < waits.len; i++) {
        if (!i || strcmp(waits.at[i], waits.at[i - 1]) != 0) {
            longer = fw_xasprintf("%s%s%s", text, *text ? " " : "", waits.at[i]);
            free(text);
            text = longer;
        }
    }
    for (size_t i = 0; i < waits.len; i++)
        free(waits.at[i]);
    fw_vec_release(&waits);
    return text;
}

/* --- the command that judges ----------------------------------------------------------------- */

#define OVER (-2) /* there was no time for the command */

static void run_judge(const char *ok, const char *file, int status)
{
    char number[16];
    int nothing = open("/dev/null", O_RDONLY);

    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (nothing >= 0)
        dup2(nothing, STDIN_FILENO);
    snprintf(number, sizeof number, "%d", status);
    setenv("FOREWEAVE_STATUS", number, 1);
    setenv("FOREWEAVE_OUTPUT", file, 1);
    execl("/bin/sh", "sh", "-c", ok, (char *)NULL);
    _exit(127);
}

/* Waits for the command, and kills it with all that it has started when there is no time left. */
static int await_judge(const struct fw_session *session, pid_t pid, int *answer)
{
    struct pollfd end = { .fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN };
    double left;
    int got = 0;

    while (end.fd >= 0 && got <= 0 && (left = fw_session_left(session)) > 0)
        got = poll(&end, 1, (int)((left < LOOK ? left : LOOK) * 1000) + 1);
    if (end.fd >= 0)
        close(end.fd);
    if (end.fd >= 0 && got <= 0)
        kill(-pid, SIGKILL);
    while (waitpid(pid, answer, 0) < 0)
        if (errno != EINTR)
            return -1;
    return end.fd >= 0 && got <= 0 ? OVER : 0;
}

/* The command's exit status, OVER, or -1. */
static int ask_judge(const struct fw_session *session, const struct fw_run_result *result,
                     const char *ok, struct fw_error *err)
{
    int status = result->end == FW_RUN_SIGNAL ? 128 + result->code : result->code, answer = 0;
    const char *file = fw_session_output_file(session);
    pid_t pid = fork();
    int waited;

    if (pid == 0)
        run_judge(ok, file, status);
    if (pid < 0)
        return fw_error_errno(err, "cannot start '%s'", ok);
    setpgid(pid, pid);
    waited = await_judge(session, pid, &answer);
    if (waited == OVER)
        return OVER;
    if (waited < 0)
        return fw_error_errno(err, "cannot wait for '%s'", ok);
    if (WIFEXITED(answer) && (WEXITSTATUS(answer) == 126 || WEXITSTATUS(answer) == 127))
        return fw_error_set(err, "cannot run '%s', which should judge the runs", ok);
    return WIFEXITED(answer) ? WEXITSTATUS(answer) : 128 + WTERMSIG(answer);
}

/* --- judging --------------------------------------------------------------------------------- */

static bool comes_to_its_end(const struct fw_run_result *result)
{
    return result->end == FW_RUN_EXITED || result->end == FW_RUN_SIGNAL ||
           result->end == FW_RUN_DRIVER;
}

int fw_failure_judge(struct fw_trial *trial, const struct fw_session *session, const char *ok,
                     struct fw_error *err)
{
    const struct fw_run_result *result = &trial->result;
    const char *output;
    char end[64], *detail;
    size_t bytes;
    int answer = 0;

    if (trial->redundant || trial->cut)
        return 0;
    if (ok && comes_to_its_end(result)) {
        answer = ask_judge(session, result, ok, err);
        if (answer < 0)
            return answer == OVER ? 1 : -1;
        if (answer == 0)
            return 0;
    }
    if (result->end == FW_RUN_EXITED && result->code == 0 && !answer)
        return 0;
    output = fw_session_output(session, &bytes);
    trial->message = fw_failure_last_line(output, bytes);
    detail = result->end == FW_RUN_DEADLOCK || result->end == FW_RUN_STUCK
                 ? describe_waits(session, result->end == FW_RUN_DEADLOCK)
                 : fw_xstrdup(comes_to_its_end(result) ? trial->message : "");
    if (comes_to_its_end(result))
        fw_failure_blur(detail);
    fw_run_text(result, end);
    trial->failure =
        answer ? fw_xasprintf("%s, judged wrong (%d)%s%s", end, answer, *detail ? ": " : "", detail)
               : fw_xasprintf("%s%s%s", end, *detail ? ": " : "", detail);
    free(detail);
    return 0;
}
