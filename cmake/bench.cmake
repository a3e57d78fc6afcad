# Benchmarks: built on demand (FOREWEAVE_BENCH), run by the scripts in bench/ or by hand (bench_order).
file(GLOB BENCH_GEN_SOURCES CONFIGURE_DEPENDS bench/gen*.c)
add_executable(bench_gen ${BENCH_GEN_SOURCES})
target_link_libraries(bench_gen PRIVATE foreweave_core m)
set_target_properties(bench_gen PROPERTIES OUTPUT_NAME gen
                      RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
add_executable(bench_read bench/bench_read.c)
target_link_libraries(bench_read PRIVATE foreweave_core)
set_target_properties(bench_read PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
add_executable(bench_measure bench/measure.c)
set_target_properties(bench_measure PROPERTIES OUTPUT_NAME measure
                      RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
add_executable(bench_order bench/bench_order.c bench/order_chain.c bench/order_clocks.c
               bench/order_fenwick.c)
target_link_libraries(bench_order PRIVATE foreweave_core)
set_target_properties(bench_order PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
add_executable(bench_predict bench/bench_predict.c)
target_link_libraries(bench_predict PRIVATE foreweave_core Threads::Threads)
set_target_properties(bench_predict PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
add_executable(bench_iroots bench/bench_iroots.c)
target_link_libraries(bench_iroots PRIVATE foreweave_core Threads::Threads)
set_target_properties(bench_iroots PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
