/*
 * naive_profile.h - the iRoots that src/iroot/profile.h guesses, straight from its definition, for
 * small traces.
 */
#ifndef FW_TESTS_NAIVE_PROFILE_H
#define FW_TESTS_NAIVE_PROFILE_H

#include "iroot/profile.h"
#include "trace/index.h"

/* Of the options, `shared` is not looked at. */
void fw_naive_profile(const struct fw_index *index, struct fw_strtab *accesses,
                      const struct fw_profile_options *options, struct fw_iroot_set *set,
                      struct fw_iroot_set *outside);

#endif
