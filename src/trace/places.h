/*
 * places.h - what the names of a recorded trace stand for in the source of its program.
 *
 * A recorder names sites, functions, global variables and locks by module and offset,
 * `PATH+0xOFFSET`, and lists the modules.  A reader that is asked to resolve (read_options.symbols)
 * delivers names that people know instead, and keeps the way back here:
 *
 *   sites      file.c:12; sites of equal line are one, but for those of one function that got there
 *              by inlining in different ways: these have one name and stay several.  Of code that
 *              is inlined from headers of the system (a lock_guard), the line of the program that
 *              it is inlined into
 *   functions  as in the source; two may have the same name and stay two
 *   the rest   x, accounts[3].balance, f::n; always different: the second x is x#2
 *
 * What cannot be resolved is the module's name without its folder, and the offset.  Names that do
 * not begin with the path of a module stay as they are.
 *
 * Attached to the symbols of the trace and destroyed with them.  Not thread-safe: while a trace is
 * being read, only the reader may use it.
 */
#ifndef FW_TRACE_PLACES_H
#define FW_TRACE_PLACES_H

#include "symbol/symbolizer.h"
#include "trace/event.h"

struct fw_places;
struct fw_symbols;

struct fw_places *fw_places_create(void);
void fw_places_destroy(struct fw_places *places);
/* Forgets all names, not the modules. */
void fw_places_clear(struct fw_places *places);

/* --- for the reader ---------------------------------------------------------------------- */

/* A module of the trace; of several with one path the first counts. */
void fw_places_add_module(struct fw_places *places, const char *path, const unsigned char *build_id,
                          uint32_t build_id_size);

/* Adds the name to the space of *symbols, resolved if it can be; returns its id. */
uint32_t fw_places_add_name(struct fw_places *places, struct fw_symbols *symbols,
                            enum fw_space space, const char *name, size_t len);

/* --- for reports; places may be NULL, which knows nothing ----------------------------------- */

#define FW_NO_FUNCTION UINT32_MAX

/*
 * The functions active at a site, innermost first: those that were inlined and the one they are
 * in.  If the site stands for several places, the one in `function` (an id) is meant.  *same: is
 * it in that function?  Returns how many, 0 if nothing is known.
 */
size_t fw_places_frames(struct fw_places *places, uint32_t site, uint32_t function,
                        struct fw_source_frame *frames, size_t most, bool *same);

/* A global variable; false: unknown. */
bool fw_places_variable(struct fw_places *places, uint32_t variable,
                        struct fw_source_variable *found);

/* The name as the trace has it: PATH+0xOFFSET; NULL: it was not changed.  The caller frees it. */
char *fw_places_recorded(const struct fw_places *places, enum fw_space space, uint32_t id);

/* What a recorded name (PATH+0xOFFSET) is called, or the name itself.  The caller frees it. */
char *fw_places_text(struct fw_places *places, enum fw_space space, const char *name);

/* The i-th reason why a module could not be used, or NULL behind the last. */
const char *fw_places_complaint(const struct fw_places *places, size_t i);

#endif
