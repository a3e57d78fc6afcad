# The library inside the programs under test.  libc alone, never sanitized (it stands where the
# sanitizer's own runtime would), nothing exported but hooks and interceptors.
#
# There are four kinds of it with one name, so that whichever is loaded first is the one that the program
# has: serial (record, control), and parallel (atomrace), which has other hooks and no token; and parallel for
# programs that are healed by locks, which differs from the second in the hooks of accesses alone; guard (learn) has its
# own hooks and none of atomrace's.
function(compile_runtime target)
  target_include_directories(${target} PRIVATE src include)
  target_compile_options(${target} PRIVATE -O2 -g -fvisibility=hidden -ftls-model=initial-exec
                         -fno-builtin -fno-sanitize=all -fno-stack-protector -fcf-protection=none
                         -fomit-frame-pointer -mcx16)
endfunction()
function(add_runtime target folder)
  add_library(${target} SHARED ${ARGN})
  compile_runtime(${target})
  # nodelete: it may come and go with a plugin, but its exit handlers, key destructors and threads' hooks
  # stay behind.
  target_link_options(${target} PRIVATE -fno-sanitize=all -Wl,-z,now -Wl,--no-undefined
                      -Wl,-z,nodelete -Wl,--version-script=${CMAKE_SOURCE_DIR}/src/runtime/library.map)
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS
               ${CMAKE_SOURCE_DIR}/src/runtime/library.map)
  # What the library itself calls by these names is in local.c, not the interceptors it exports.
  foreach(name memcpy memmove memset memcmp bcmp strlen syscall)
    target_link_options(${target} PRIVATE -Wl,--wrap=${name})
  endforeach()
  set_target_properties(${target} PROPERTIES OUTPUT_NAME foreweave_rt
                        LIBRARY_OUTPUT_DIRECTORY ${folder})
endfunction()

file(GLOB RUNTIME_SOURCES CONFIGURE_DEPENDS src/runtime/*.c)
add_runtime(foreweave_rt ${CMAKE_BINARY_DIR} ${RUNTIME_SOURCES})
file(GLOB ATOMRACE_SOURCES CONFIGURE_DEPENDS src/atomrace/*.c)
list(FILTER RUNTIME_SOURCES EXCLUDE REGEX "/(hooks_access|hooks_branch|sync_mutex_calls|tell|init)[.]c$")
list(FILTER ATOMRACE_SOURCES EXCLUDE REGEX "/hooks_(access|heal)[.]c$")
add_library(foreweave_parallel OBJECT ${RUNTIME_SOURCES} ${ATOMRACE_SOURCES})
set_target_properties(foreweave_parallel PROPERTIES POSITION_INDEPENDENT_CODE ON)
compile_runtime(foreweave_parallel)
add_runtime(foreweave_atomrace ${CMAKE_BINARY_DIR}/atomrace $<TARGET_OBJECTS:foreweave_parallel>
            src/atomrace/hooks_access.c)
add_runtime(foreweave_heal ${CMAKE_BINARY_DIR}/heal $<TARGET_OBJECTS:foreweave_parallel>
            src/atomrace/hooks_heal.c)
file(GLOB GUARD_SOURCES CONFIGURE_DEPENDS src/guard/*.c)
list(FILTER RUNTIME_SOURCES EXCLUDE REGEX "/hooks_flow[.]c$")
add_runtime(foreweave_guard ${CMAKE_BINARY_DIR}/guard ${RUNTIME_SOURCES} ${GUARD_SOURCES})

# Beside it what `foreweave cc` needs: the flags for gcc's compiler proper, and the headers.
configure_file(src/cmd/gcc.specs ${CMAKE_BINARY_DIR}/gcc.specs COPYONLY)
file(CREATE_LINK ${CMAKE_SOURCE_DIR}/include ${CMAKE_BINARY_DIR}/include SYMBOLIC)
# The wrapper under the names that build systems like: one word.
foreach(name foreweave-cc foreweave-c++)
  file(CREATE_LINK foreweave ${CMAKE_BINARY_DIR}/${name} SYMBOLIC)
endforeach()
