# libFuzzer targets: coverage-guided, with the address and undefined-behaviour sanitizers.
file(GLOB FUZZERS CONFIGURE_DEPENDS tests/fuzz/fuzz_*.c)
foreach(source ${FUZZERS})
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source} ${CORE_SOURCES})
  target_include_directories(${name} PRIVATE src)
  target_compile_options(${name} PRIVATE -fsanitize=fuzzer,address,undefined -O1)
  # Checksums are right in a fuzzer: random bytes would never get past them.
  target_compile_definitions(${name} PRIVATE FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer,address,undefined)
  target_link_libraries(${name} PRIVATE ${ZSTD_LIBRARY} ${CJSON_LIBRARY} Threads::Threads)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
endforeach()
