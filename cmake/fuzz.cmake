# libFuzzer targets: coverage-guided, with the address and undefined-behaviour sanitizers.
add_library(foreweave_fuzzed STATIC ${CORE_SOURCES})
target_include_directories(foreweave_fuzzed PUBLIC src)
# Comparisons are not traced: it costs half the speed, and a dictionary knows the words.
target_compile_options(foreweave_fuzzed PUBLIC -fsanitize=fuzzer-no-link,address,undefined
                       -fno-sanitize-coverage=trace-cmp -O2)
target_link_libraries(foreweave_fuzzed PUBLIC ${ZSTD_LIBRARY} ${CJSON_LIBRARY} ${DW_LIBRARY}
                      ${ELF_LIBRARY} ${CAPSTONE_LIBRARY} ${SQLITE_LIBRARY} ${CMAKE_DL_LIBS}
                      Threads::Threads)

file(GLOB FUZZERS CONFIGURE_DEPENDS tests/fuzz/fuzz_*.c)
foreach(source ${FUZZERS})
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  target_link_options(${name} PRIVATE -fsanitize=fuzzer,address,undefined)
  target_link_libraries(${name} PRIVATE foreweave_fuzzed)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
endforeach()
