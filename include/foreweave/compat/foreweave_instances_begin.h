/*
 * foreweave_instances_begin.h - from here on libstdc++'s templates are instantiated in the program
 * itself; foreweave_instances_end.h ends it.
 *
 * libstdc++ has ready-made instances for char and wchar_t, without hooks: what they write would not
 * be seen.  FOREWEAVE_INSTANCES is what _GLIBCXX_EXTERN_TEMPLATE becomes: -1 for strings (which
 * libstdc++ itself does in some of its modes, and keeps what must exist once in the library), 0 for
 * other templates without static members.  Those with static members (facets of locales) must be
 * the library's: a second copy in a library that hides its symbols would be another facet.
 */
#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#define FOREWEAVE_HOOKS 1
#endif
#endif
#ifdef __SANITIZE_THREAD__
#define FOREWEAVE_HOOKS 1
#endif
#pragma push_macro("_GLIBCXX_EXTERN_TEMPLATE")
#ifdef FOREWEAVE_HOOKS
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE FOREWEAVE_INSTANCES
#endif
#undef FOREWEAVE_HOOKS
