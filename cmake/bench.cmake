# Benchmarks: built on demand (FOREWEAVE_BENCH), run by bench/run.sh.
add_executable(bench_gen bench/gen.c)
target_link_libraries(bench_gen PRIVATE foreweave_core m)
set_target_properties(bench_gen PROPERTIES OUTPUT_NAME gen
                      RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
add_executable(bench_read bench/bench_read.c)
target_link_libraries(bench_read PRIVATE foreweave_core)
set_target_properties(bench_read PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
