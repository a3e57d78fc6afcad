# The library inside the programs under test.  libc alone, never sanitized (it stands where the
# sanitizer's own runtime would), nothing exported but hooks and interceptors.
file(GLOB RUNTIME_SOURCES CONFIGURE_DEPENDS src/runtime/*.c)
add_library(foreweave_rt SHARED ${RUNTIME_SOURCES})
target_include_directories(foreweave_rt PRIVATE src)
target_compile_options(foreweave_rt PRIVATE -O2 -g -fvisibility=hidden -ftls-model=initial-exec
                       -fno-builtin -fno-sanitize=all -fno-stack-protector -fcf-protection=none)
target_link_options(foreweave_rt PRIVATE -fno-sanitize=all -Wl,-z,now -Wl,--no-undefined)
set_target_properties(foreweave_rt PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
