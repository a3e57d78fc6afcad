/* cmd_sections.c - foreweave sections: the group of commands on atomic sections. */
#include "cmd/cmd.h"

/* clang-format off */
static const struct fw_command *const children[] = {
    &fw_cmd_sections_find,
    &fw_cmd_sections_show,
    &fw_cmd_sections_refine,
    NULL,
};
/* clang-format on */

static const struct fw_example examples[] = {
    { "foreweave sections find -o till.sections -- ./till", "what is probably meant to be atomic" },
    { "foreweave sections show till.sections ./till",
      "each in words, and where it is in the code" },
    { "foreweave sections refine --sections=till.sections -o kept.sections -- ./till",
      "leave out what good runs violate" },
    { 0 },
};

const struct fw_command fw_cmd_sections = {
    .name = "sections",
    .summary = "find, show and refine code that should be atomic",
    .description =
        "An atomic section is a piece of a function from one access of a variable to another, in "
        "between which other threads should leave that variable alone, or only read it. Sections "
        "are kept in small text files, by function, file and line, that survive a rebuild; they "
        "can be written by hand, or found in runs of the program.",
    .children = children,
    .max_operands = INT_MAX,
    .examples = examples,
};
