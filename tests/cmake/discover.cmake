# SPDX-License-Identifier: MIT
#
# Writes to LIST an add_test for each test of PROGRAM. Its name is GoogleTest's own, which also works as a filter:
# QueueContract/FIFOQueue.CapacityIsWhatWasAskedFor. (CMake's gtest_discover_tests appends the type of a typed suite,
# often more than a hundred characters.) With BY_SUITE, each suite is one test, because with a sanitizer starting a
# program takes longer than most tests.
#
# If a cross build (CROSS) makes a program that this machine cannot run, the build does not fail. The whole program
# becomes one test, which passes where it can run.

cmake_minimum_required(VERSION 3.25) # for the policies

execute_process(COMMAND "${PROGRAM}" --gtest_list_tests TIMEOUT 120 RESULT_VARIABLE result
                OUTPUT_VARIABLE lines ERROR_VARIABLE errors)
if(NOT result EQUAL 0)
  if(CROSS)
    get_filename_component(name "${PROGRAM}" NAME_WE)
    file(WRITE "${LIST}" "add_test(${name} [==[${PROGRAM}]==])\nset_tests_properties(${name} PROPERTIES LABELS unit)\n")
    message("${name} does not run on this machine, so it becomes one test. Is CMAKE_CROSSCOMPILING_EMULATOR set?")
    return()
  endif()
  message(FATAL_ERROR "${PROGRAM} --gtest_list_tests: ${result}\n${errors}")
endif()
string(REGEX REPLACE " *#[^\n]*" "" lines "${lines}") # removes the types and values of parameters
string(REGEX MATCHALL "[^\n]+" lines "${lines}")

set(commands "")
macro(append_test name filter)
  string(APPEND commands "add_test([==[${name}]==] [==[${PROGRAM}]==] [==[--gtest_filter=${filter}]==])\n"
                         "set_tests_properties([==[${name}]==] PROPERTIES LABELS unit TIMEOUT ${TIMEOUT})\n")
endmacro()
foreach(line IN LISTS lines)
  if(line MATCHES "^([^ ]+)\\.$") # a suite of tests
    set(suite "${CMAKE_MATCH_1}")
    if(BY_SUITE)
      append_test(${suite} ${suite}.*)
    endif()
  elseif(line MATCHES "^  ([^ ]+)$" AND NOT BY_SUITE) # a test of that suite
    set(name "${suite}.${CMAKE_MATCH_1}")
    append_test(${name} ${name})
    string(APPEND commands "set_tests_properties([==[${name}]==] PROPERTIES"
                           " SKIP_REGULAR_EXPRESSION [==[\\[  SKIPPED \\]]==])\n")
  endif()
endforeach()
if(NOT commands)
  message(FATAL_ERROR "${PROGRAM} lists no tests.")
endif()
file(WRITE "${LIST}" "${commands}")
