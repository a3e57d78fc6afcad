# Tests are found by their file names; adding one is adding a file.
find_library(CMOCKA_LIBRARY cmocka REQUIRED)
find_library(Z3_LIBRARY z3 REQUIRED)
find_path(Z3_INCLUDE z3.h REQUIRED)
enable_testing()

file(GLOB SUPPORT_SOURCES CONFIGURE_DEPENDS tests/support/*.c)
if(SUPPORT_SOURCES)
  add_library(foreweave_testing STATIC ${SUPPORT_SOURCES})
  target_include_directories(foreweave_testing PUBLIC tests)
  target_include_directories(foreweave_testing PRIVATE ${Z3_INCLUDE})
  # Z3 is for the oracle in smt.c alone: programs that do not ask it do not load it.
  target_link_libraries(foreweave_testing PUBLIC foreweave_core -Wl,--as-needed ${Z3_LIBRARY})
endif()

# Programs find the source tree, the program and a place for scratch files through these.
set(TEST_ENVIRONMENT
    "FOREWEAVE=$<TARGET_FILE:foreweave>;FOREWEAVE_SOURCE=${CMAKE_SOURCE_DIR};FOREWEAVE_BUILD=${CMAKE_BINARY_DIR};FOREWEAVE_SANITIZE=${FOREWEAVE_SANITIZE}")

function(foreweave_test_program source prefix label timeout)
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE foreweave_core ${CMOCKA_LIBRARY})
  if(TARGET foreweave_testing)
    target_link_libraries(${name} PRIVATE foreweave_testing)
  endif()
  target_compile_definitions(${name} PRIVATE FOREWEAVE_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  string(REGEX REPLACE "^${prefix}_" "" short ${name})
  add_test(NAME ${label}.${short} COMMAND ${name})
  set_tests_properties(${label}.${short} PROPERTIES ENVIRONMENT "${TEST_ENVIRONMENT}"
                       LABELS ${label} TIMEOUT ${timeout})
endfunction()

# A test that hangs is ended; one that a busy machine or a sanitizer slows down is not.
set(UNIT_TIMEOUT 900)
if(FOREWEAVE_SANITIZE)
  set(UNIT_TIMEOUT 1800)
endif()
file(GLOB UNIT_TESTS CONFIGURE_DEPENDS tests/unit/test_*.c)
foreach(source ${UNIT_TESTS})
  foreweave_test_program(${source} test unit ${UNIT_TIMEOUT})
endforeach()

# Strategies live in the runtime, but need nothing of it.
target_sources(test_strategy PRIVATE
  src/runtime/strategy.c src/runtime/strategy_pct.c src/runtime/strategy_pos.c
  src/runtime/strategy_delay.c)
target_sources(test_strategy_iroot PRIVATE
  src/runtime/strategy.c src/runtime/strategy_iroot.c)
# So do sections and noise.
target_sources(test_sections PRIVATE
  src/atomrace/sections.c src/atomrace/noise.c src/atomrace/targets.c)
foreach(name test_regions test_regions_model)
  target_sources(${name} PRIVATE
    src/atomrace/region.c src/atomrace/region_slots.c src/atomrace/region_places.c)
endforeach()
foreach(name test_heal_lock test_heal_keep test_heal_mutex test_heal_hold test_heal_quick
        test_heal_random)
  target_sources(${name} PRIVATE src/atomrace/heal_lock.c src/atomrace/heal_owner.c src/atomrace/heal_healer.c
    src/atomrace/heal_circle.c src/atomrace/heal_log.c)
endforeach()
target_sources(test_guard_tx PRIVATE src/guard/transactions.c)
target_sources(test_guard_budget PRIVATE src/guard/budget.c)
foreach(name test_heal_hold test_heal_quick test_heal_random)
  target_sources(${name} PRIVATE src/atomrace/heal_hold.c src/atomrace/heal_quick.c)
endforeach()
target_sources(test_undo PRIVATE src/guard/undo.c src/guard/words.c src/guard/transactions.c
  src/guard/flight.c src/guard/region_jump.c)

# One program, so that one database server does.
target_sources(test_memo PRIVATE
  tests/unit/memo_record.c tests/unit/memo_claims.c tests/unit/memo_many.c
  tests/unit/memo_merging.c tests/unit/memo_store.c)
set_tests_properties(unit.memo PROPERTIES TIMEOUT 1800) # it waits for a disk and a server

file(GLOB PROPERTY_TESTS CONFIGURE_DEPENDS tests/property/prop_*.c)
foreach(source ${PROPERTY_TESTS})
  foreweave_test_program(${source} prop property 1800)
endforeach()
# What is known of a word needs nothing else of the runtime.
target_sources(prop_guard_words PRIVATE src/guard/words.c)

# Fills memo databases for the tests of `foreweave coverage`.
add_executable(memo_fill tests/cli/coverage/memo_fill.c)
target_link_libraries(memo_fill PRIVATE foreweave_core)
set_target_properties(memo_fill PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)

file(GLOB CLI_TESTS CONFIGURE_DEPENDS tests/cli/*.sh)
foreach(script ${CLI_TESTS})
  get_filename_component(name ${script} NAME_WE)
  add_test(NAME cli.${name} COMMAND bash ${script} WORKING_DIRECTORY ${CMAKE_BINARY_DIR})
  set_tests_properties(cli.${name} PROPERTIES ENVIRONMENT "${TEST_ENVIRONMENT}" LABELS cli
                       TIMEOUT 1800)
endforeach()
