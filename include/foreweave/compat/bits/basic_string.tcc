/*
 * bits/basic_string.tcc - libstdc++'s, with strings instantiated in the program itself.
 */
#pragma GCC system_header
#define FOREWEAVE_INSTANCES -1
#include "../foreweave_instances_begin.h"
#include_next <bits/basic_string.tcc>
#include "../foreweave_instances_end.h"
