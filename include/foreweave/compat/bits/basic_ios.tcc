/*
 * bits/basic_ios.tcc - libstdc++'s, with what all streams have instantiated in the program itself.
 */
#pragma GCC system_header
#define FOREWEAVE_INSTANCES 0
#include "../foreweave_instances_begin.h"
#include_next <bits/basic_ios.tcc>
#include "../foreweave_instances_end.h"
