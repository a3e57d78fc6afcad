/* entered.c - see entered.h. */
#include "cmd/entered.h"

#include "base/alloc.h"
#include "base/output.h"
#include "explore/schedule.h"
#include "record/launch.h"
#include "record/places.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char *join(char *const *words)
{
    struct fw_output out;
    char *text;

    fw_output_open_memory(&out);
    for (; *words; words++) {
        fw_output_word(&out, *words);
        if (words[1])
            fw_output_text(&out, " ");
    }
    text = fw_xstrndup(out.buffer ? out.buffer : "", out.used);
    fw_output_abandon(&out);
    return text;
}

/* One campaign of one process: nobody else has its numbers. */
static char *name_campaign(void)
{
    char host[128] = "";
    struct timespec now;

    gethostname(host, sizeof host - 1);
    clock_gettime(CLOCK_REALTIME, &now);
    return fw_xasprintf("%s-%d-%lld.%03ld", host, (int)getpid(), (long long)now.tv_sec,
                        now.tv_nsec / 1000000);
}

static int enter(struct fw_entered *entered, char *const *argv, const char *judge,
                 struct fw_error *err)
{
    const char *slash = strrchr(argv[0], '/');
    char *path = fw_launch_path(argv[0]), *const only[] = { path, NULL };
    struct fw_memo_who who;
    struct fw_script script;
    int status;

    fw_script_init(&script);
    fw_script_set_program(&script, only);
    entered->program = fw_xstrdup(slash ? slash + 1 : argv[0]);
    entered->input = join(argv + 1);
    entered->command = join(argv);
    entered->campaign = name_campaign();
    who = (struct fw_memo_who) { .program = entered->program,
                                 .build = script.build,
                                 .input = entered->input,
                                 .command = entered->command,
                                 .campaign = entered->campaign,
                                 .judge = judge };
    status = fw_memo_enter(entered->memo, &who, err);
    fw_script_release(&script);
    free(path);
    return status;
}

static char *name_option(const struct fw_entered *entered, const char *where)
{
    char *const name[] = { (char *)fw_memo_name(entered->memo), NULL };
    char *word = join(name), *option = where ? fw_xasprintf(" --db=%s", word) : fw_xstrdup("");

    free(word);
    return option;
}

int fw_entered_open(struct fw_entered *entered, const char *where, char *const *argv,
                    const char *judge, struct fw_error *err)
{
    *entered = (struct fw_entered) { 0 };
    if ((!where && fw_folder_make(".foreweave", err) < 0) ||
        fw_memo_open(&entered->memo, where ? where : FW_MEMO_DEFAULT, FW_MEMO_WRITE, 0, err) < 0)
        return -1;
    entered->option = name_option(entered, where);
    return enter(entered, argv, judge, err);
}

void fw_entered_release(struct fw_entered *entered)
{
    fw_memo_close(entered->memo);
    free(entered->program);
    free(entered->input);
    free(entered->command);
    free(entered->campaign);
    free(entered->option);
}
