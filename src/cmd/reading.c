/* reading.c - see reading.h. */
#include "cmd/reading.h"

#include "trace/places.h"

#include <inttypes.h>

void fw_cmd_read_warnings(const struct fw_reader *reader, const char *consequence)
{
    const struct fw_read_status *status = fw_reader_status(reader);
    const char *name = fw_reader_name(reader), *complaint;

    for (size_t i = 0; (complaint = fw_places_complaint(fw_reader_places(reader), i)); i++)
        fw_cmd_warning("names stay offsets: %s", complaint);
    if (status->cut)
        fw_cmd_warning("'%s' is cut (%s): %s to its last complete block", name, status->cut_reason,
                       consequence);
    if (status->dropped)
        fw_cmd_warning("'%s' is ill-formed: %" PRIu64 " event%s dropped, the first because: %s",
                       name, status->dropped, status->dropped == 1 ? "" : "s", status->first_drop);
}

int fw_cmd_open_trace(struct fw_reader **reader, const char *path,
                      const struct fw_read_options *options)
{
    struct fw_error err;

    if (fw_reader_open(reader, path, options, &err) < 0)
        return fw_cmd_fail(FW_EXIT_INPUT, &err);
    return 0;
}
