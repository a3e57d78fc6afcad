# The library inside the programs under test.  libc alone, never sanitized (it stands where the
# sanitizer's own runtime would), nothing exported but hooks and interceptors.
file(GLOB RUNTIME_SOURCES CONFIGURE_DEPENDS src/runtime/*.c)
add_library(foreweave_rt SHARED ${RUNTIME_SOURCES})
target_include_directories(foreweave_rt PRIVATE src include)
target_compile_options(foreweave_rt PRIVATE -O2 -g -fvisibility=hidden -ftls-model=initial-exec
                       -fno-builtin -fno-sanitize=all -fno-stack-protector -fcf-protection=none -fomit-frame-pointer
                       -mcx16)
# nodelete: it may come and go with a plugin, but its exit handlers, key destructors and threads' hooks
# stay behind.
target_link_options(foreweave_rt PRIVATE -fno-sanitize=all -Wl,-z,now -Wl,--no-undefined
                    -Wl,-z,nodelete -Wl,--version-script=${CMAKE_SOURCE_DIR}/src/runtime/library.map)
set_property(TARGET foreweave_rt APPEND PROPERTY LINK_DEPENDS
             ${CMAKE_SOURCE_DIR}/src/runtime/library.map)
# What the library itself calls by these names is in local.c, not the interceptors it exports.
foreach(name memcpy memmove memset memcmp bcmp strlen syscall)
  target_link_options(foreweave_rt PRIVATE -Wl,--wrap=${name})
endforeach()
set_target_properties(foreweave_rt PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})

# Beside it what `foreweave cc` needs: the flags for gcc's compiler proper, and the headers.
configure_file(src/cmd/gcc.specs ${CMAKE_BINARY_DIR}/gcc.specs COPYONLY)
file(CREATE_LINK ${CMAKE_SOURCE_DIR}/include ${CMAKE_BINARY_DIR}/include SYMBOLIC)
# The wrapper under the names that build systems like: one word.
foreach(name foreweave-cc foreweave-c++)
  file(CREATE_LINK foreweave ${CMAKE_BINARY_DIR}/${name} SYMBOLIC)
endforeach()
