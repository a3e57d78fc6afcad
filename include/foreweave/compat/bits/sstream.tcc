/*
 * bits/sstream.tcc - libstdc++'s, with string streams instantiated in the program itself.
 */
#pragma GCC system_header
#define FOREWEAVE_INSTANCES 0
#include "../foreweave_instances_begin.h"
#include_next <bits/sstream.tcc>
#include "../foreweave_instances_end.h"
