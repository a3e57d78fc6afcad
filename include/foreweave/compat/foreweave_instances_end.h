/*
 * foreweave_instances_end.h - see foreweave_instances_begin.h.
 */
#pragma pop_macro("_GLIBCXX_EXTERN_TEMPLATE")
#undef FOREWEAVE_INSTANCES
