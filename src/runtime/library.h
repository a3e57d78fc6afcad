/*
 * library.h - functions of libstdc++ and libm that read and write the program's memory.
 *
 * These libraries are without hooks.  Functions of theirs that are no templates, and instances of
 * templates that they bring along, stand here with their own (mangled) names.  The names have the
 * library's versions, and not the default ones (one @): the dynamic linker gives ours to whoever
 * was linked with the shared library, while the static linker does not see them, so that programs
 * with a libstdc++ of their own (-static-libstdc++) keep it.  The versions are in library.map.
 *
 *     CXX(list_hook, "_ZNSt8__detail15_List_node_base7_M_hookEPS0_", "GLIBCXX_3.4.15",
 *         void, (struct list *node, struct list *where))
 *     {
 *         ...
 *         real_cxx_list_hook()(node, where);
 *     }
 */
#ifndef FW_RUNTIME_LIBRARY_H
#define FW_RUNTIME_LIBRARY_H

#include "runtime/intercept.h"

/* Also where the library was loaded for a plugin alone; it stays then. */
void *fw_library_symbol(const char *library, const char *name); /* real.c */
/* Those of libraries that the program has are looked up by a constructor, as in rt.h. */
struct fw_library_entry {
    const char *library, *symbol;
    void **pointer;
};

#define LIBRARY(library, name, symbol, version, type, parameters)                                  \
    typedef type name##_function parameters;                                                       \
    static inline name##_function *real_##name(void)                                               \
    {                                                                                              \
        static name##_function *real;                                                              \
        static struct fw_library_entry entry /* aligned: an array, without gaps */                 \
            __attribute__((section("fw_libraries"), used, aligned(8))) = { library, symbol,        \
                                                                           (void **)&real };       \
                                                                                                   \
        if (FW_UNLIKELY(!real))                                                                    \
            real = (name##_function *)fw_library_symbol(library, symbol);                          \
        return real;                                                                               \
    }                                                                                              \
    name##_function fw_##name;                                                                     \
    __asm__(".symver fw_" #name "," symbol "@" version);                                           \
    FW_EXPORT type fw_##name parameters

#define CXX(name, symbol, version, type, parameters)                                               \
    LIBRARY("libstdc++.so.6", cxx_##name, symbol, version, type, parameters)

#endif
