/*
 * cxx.h - functions of libstdc++ that read and write the program's memory.
 *
 * The library is without hooks; those of its functions that are no templates, or templates with
 * instances of its own, stand here with their mangled names.  Names have libstdc++'s versions, and
 * not the default ones (one @): the dynamic linker gives ours to whoever was linked with the shared
 * libstdc++, while the static linker does not see them, so that programs with a libstdc++ of their
 * own (-static-libstdc++) keep it.  The versions are in cxx.map.
 *
 *     CXX(list_hook, "_ZNSt8__detail15_List_node_base7_M_hookEPS0_", "GLIBCXX_3.4.15",
 *         void, (struct list *node, struct list *where))
 *     {
 *         ...
 *         real_list_hook()(node, where);
 *     }
 */
#ifndef FW_RUNTIME_CXX_H
#define FW_RUNTIME_CXX_H

#include "runtime/intercept.h"

/* Also where libstdc++ was loaded for a plugin alone; it stays then. */
void *fw_cxx_symbol(const char *name);

#define CXX(name, symbol, version, type, parameters)                                               \
    typedef type name##_function parameters;                                                       \
    static inline name##_function *real_##name(void)                                               \
    {                                                                                              \
        static name##_function *real;                                                              \
                                                                                                   \
        if (FW_UNLIKELY(!real))                                                                    \
            real = (name##_function *)fw_cxx_symbol(symbol);                                       \
        return real;                                                                               \
    }                                                                                              \
    name##_function fw_cxx_##name;                                                                 \
    __asm__(".symver fw_cxx_" #name "," symbol "@" version);                                       \
    FW_EXPORT type fw_cxx_##name parameters

#endif
