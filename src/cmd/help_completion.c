/*
 * help_completion.c - the bash completion, from the commands' tables.
 *
 * The script has two tables, made here: what may follow a command (its
 * subcommands and options), and what may follow an option (its words, files,
 * directories, or nothing we know).  The code around them finds the command in
 * the line.
 */
#include "cmd/frame.h"

#include <string.h>

static const char script_head[] =
    "# bash completion for foreweave; made by `foreweave help --completion=bash`.\n"
    "\n"
    "# The words that may follow the command path $1.\n"
    "_foreweave_words()\n"
    "{\n"
    "    case \"$1\" in\n";

static const char script_middle[] =
    "    esac\n"
    "}\n"
    "\n"
    "# What the option $2 of the command path $1 takes: words, @file, @dir, or - for anything.\n"
    "# Fails if it is no option with a value.\n"
    "_foreweave_values()\n"
    "{\n"
    "    case \"$1 $2\" in\n";

static const char script_tail[] =
    "    *) return 1 ;;\n"
    "    esac\n"
    "}\n"
    "\n"
    "_foreweave_reply()\n"
    "{\n"
    "    local values=$1 word=$2\n"
    "    case \"$values:$word\" in\n"
    "    -:*) COMPREPLY=() ;;\n"
    "    @file:*) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- \"$word\") ;;\n"
    "    @dir:*) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- \"$word\") ;;\n"
    "    *,*) mapfile -t COMPREPLY < <(compgen -P \"${word%,*},\" -W \"$values\" -- "
    "\"${word##*,}\") ;;\n"
    "    *) mapfile -t COMPREPLY < <(compgen -W \"$values\" -- \"$word\") ;;\n"
    "    esac\n"
    "}\n"
    "\n"
    "# The command path in the words $@.\n"
    "_foreweave_path()\n"
    "{\n"
    "    local path=foreweave word\n"
    "    for word; do\n"
    "        [ -n \"$(_foreweave_words \"$path $word\")\" ] && path=\"$path $word\"\n"
    "    done\n"
    "    echo \"$path\"\n"
    "}\n"
    "\n"
    "_foreweave()\n"
    "{\n"
    "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
    "    local path values words\n"
    "    path=$(_foreweave_path \"${COMP_WORDS[@]:1:COMP_CWORD-1}\")\n"
    "    # bash makes words of its own out of --name, = and the value.\n"
    "    if [ \"$word\" = = ]; then\n"
    "        word=\n"
    "    elif [ \"$before\" = = ] && ((COMP_CWORD > 1)); then\n"
    "        before=${COMP_WORDS[COMP_CWORD-2]}\n"
    "    fi\n"
    "    if values=$(_foreweave_values \"$path\" \"$before\"); then\n"
    "        _foreweave_reply \"$values\" \"$word\"\n"
    "        return\n"
    "    fi\n"
    "    words=$(_foreweave_words \"$path\")\n"
    "    if [[ $word == -* ]]; then\n"
    "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\" | grep -e '^-')\n"
    "        [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace\n"
    "        return\n"
    "    fi\n"
    "    if [ \"$path\" = 'foreweave help' ]; then # the manual of any command\n"
    "        path=$(_foreweave_path \"${COMP_WORDS[@]:2:COMP_CWORD-2}\")\n"
    "        words=$(_foreweave_words \"$path\")\n"
    "    fi\n"
    "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\" | grep -ve '^-')\n"
    "    if ((${#COMPREPLY[@]} == 0)); then\n"
    "        compopt -o filenames\n"
    "        mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
    "    fi\n"
    "}\n"
    "\n"
    "complete -F _foreweave foreweave\n";

static void row_words(const struct fw_path *path, void *data)
{
    const struct fw_command *command = fw_path_command(path);
    const struct fw_command *const *child = command->children;
    struct fw_output *out = data;

    fw_output_printf(out, "    \"%s\") echo '", fw_path_text(path));
    for (; child && *child; child++)
        fw_output_printf(out, "%s ", (*child)->name);
    for (const struct fw_option *o = fw_command_options(command); o->name; o++) {
        fw_output_printf(out, "--%s%s ", o->name, o->argument ? "=" : "");
        if (o->letter)
            fw_output_printf(out, "-%c ", o->letter);
    }
    fw_output_text(out, "--help -h' ;;\n");
}

static void print_values(const struct fw_option *option, struct fw_output *out)
{
    if (option->type == FW_OPTION_FILE) {
        fw_output_text(out, "@file");
    } else if (option->type == FW_OPTION_DIR) {
        fw_output_text(out, "@dir");
    } else if (!option->choices) {
        fw_output_text(out, "-");
    } else {
        for (size_t i = 0; option->choices[i]; i++)
            fw_output_printf(out, "%s%s", i ? " " : "", option->choices[i]);
    }
}

static void row_values(const struct fw_path *path, void *data)
{
    const char *name = fw_path_text(path);
    struct fw_output *out = data;

    for (const struct fw_option *o = fw_command_options(fw_path_command(path)); o->name; o++) {
        if (!o->argument)
            continue;
        fw_output_printf(out, "    \"%s --%s\"", name, o->name);
        if (o->letter)
            fw_output_printf(out, " | \"%s -%c\"", name, o->letter);
        fw_output_text(out, ") echo '");
        print_values(o, out);
        fw_output_text(out, "' ;;\n");
    }
}

void fw_help_completion(struct fw_output *out)
{
    struct fw_path root = { { &fw_cmd_root }, 1 };

    fw_output_text(out, script_head);
    fw_path_walk(&root, row_words, out);
    fw_output_text(out, script_middle);
    fw_path_walk(&root, row_values, out);
    fw_output_text(out, script_tail);
}
