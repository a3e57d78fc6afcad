/* stack.c - see stack.h. */
#include "report/stack.h"

#include "trace/places.h"

#define MAX_INLINED 32u

static void push_sources(struct fw_report_frames *frames, const struct fw_source_frame *sources,
                         size_t count)
{
    for (size_t i = 0; i < count; i++)
        fw_vec_push(frames, ((struct fw_report_frame) {
                                .function = sources[i].function ? sources[i].function : "??",
                                .at = { sources[i].at.file, sources[i].at.line },
                            }));
}

/* One call of the trace, with the thread at `site` in it; several functions if some are inlined. */
static void push_call(struct fw_report_frames *frames, const struct fw_symbols *symbols,
                      uint32_t function, uint32_t site)
{
    struct fw_source_frame sources[MAX_INLINED];
    bool same;
    size_t count = fw_places_frames(symbols->places, site, function, sources, MAX_INLINED, &same);

    push_sources(frames, sources, count);
    if (count && same)
        return;
    fw_vec_push(frames, ((struct fw_report_frame) {
                            .function = fw_symbols_name(symbols, FW_SPACE_FUNCTION, function),
                            .site = count ? "" : fw_symbols_name(symbols, FW_SPACE_SITE, site),
                        }));
}

/* In each frame the thread is where it made the next call; in the innermost at the event. */
bool fw_report_stack(struct fw_report_frames *frames, const struct fw_symbols *symbols,
                     const struct fw_contexts *contexts, uint32_t site, uint32_t stack, size_t most)
{
    bool whole;

    fw_vec_clear(frames);
    if (!stack) {
        struct fw_source_frame sources[MAX_INLINED];
        bool same;

        push_sources(
            frames, sources,
            fw_places_frames(symbols->places, site, FW_NO_FUNCTION, sources, MAX_INLINED, &same));
    }
    for (; stack && frames->len <= most; stack = fw_contexts_frame(contexts, stack)->caller) {
        const struct fw_frame *frame = fw_contexts_frame(contexts, stack);

        push_call(frames, symbols, frame->function, site);
        site = frame->site;
    }
    whole = !stack && frames->len <= most;
    if (frames->len > most)
        frames->len = most;
    return whole;
}
