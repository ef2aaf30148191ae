# SPDX-License-Identifier: MIT
#
# Writes to LIST an add_test for each test of PROGRAM, under the name that GoogleTest itself uses and takes as a filter:
# QueueContract/FIFOQueue.CapacityIsWhatWasAskedFor. (CMake's gtest_discover_tests puts the type of a typed suite behind
# it, at a hundred characters and more.) With BY_SUITE, all tests of a suite are one: to start a program takes longer
# than most tests do when there is a sanitizer in it.
#
# A program for another machine (CROSS) that cannot be run here is no reason for the build to fail. It is a single test
# then, which passes where it can be run.

cmake_minimum_required(VERSION 3.25) # for the policies

execute_process(COMMAND "${PROGRAM}" --gtest_list_tests TIMEOUT 120 RESULT_VARIABLE result
                OUTPUT_VARIABLE lines ERROR_VARIABLE errors)
if(NOT result EQUAL 0)
  if(CROSS)
    get_filename_component(name "${PROGRAM}" NAME_WE)
    file(WRITE "${LIST}" "add_test(${name} [==[${PROGRAM}]==])\nset_tests_properties(${name} PROPERTIES LABELS unit)\n")
    message("${name} cannot be run here (does CMAKE_CROSSCOMPILING_EMULATOR say how?), so it is one test for ctest.")
    return()
  endif()
  message(FATAL_ERROR "${PROGRAM} --gtest_list_tests: ${result}\n${errors}")
endif()
string(REGEX REPLACE " *#[^\n]*" "" lines "${lines}") # the types and values of parameters
string(REGEX MATCHALL "[^\n]+" lines "${lines}")

set(commands "")
macro(append_test name filter)
  string(APPEND commands "add_test([==[${name}]==] [==[${PROGRAM}]==] [==[--gtest_filter=${filter}]==])\n"
                         "set_tests_properties([==[${name}]==] PROPERTIES LABELS unit TIMEOUT ${TIMEOUT})\n")
endmacro()
foreach(line IN LISTS lines)
  if(line MATCHES "^([^ ]+)\\.$") # a suite
    set(suite "${CMAKE_MATCH_1}")
    if(BY_SUITE)
      append_test(${suite} ${suite}.*)
    endif()
  elseif(line MATCHES "^  ([^ ]+)$" AND NOT BY_SUITE) # a test of it
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
