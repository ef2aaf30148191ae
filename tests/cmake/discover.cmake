# SPDX-License-Identifier: MIT
#
# Writes to LIST an add_test for each test of PROGRAM, under the name that GoogleTest itself uses and takes as a filter:
# QueueContract/FIFOQueue.CapacityIsWhatWasAskedFor. (CMake's gtest_discover_tests puts the type of a typed suite behind
# it, at a hundred characters and more.) With BY_SUITE, all tests of a suite are one: to start a program takes longer
# than most tests do when there is a sanitizer in it.

cmake_minimum_required(VERSION 3.25) # for the policies

execute_process(COMMAND "${PROGRAM}" --gtest_list_tests OUTPUT_VARIABLE lines TIMEOUT 120 COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE " *#[^\n]*" "" lines "${lines}") # the types and values of parameters
string(REGEX MATCHALL "[^\n]+" lines "${lines}")

set(commands "")
macro(append_test name filter)
  string(APPEND commands "add_test([==[${name}]==] [==[${PROGRAM}]==] [==[--gtest_filter=${filter}]==])\n"
                         "set_tests_properties([==[${name}]==] PROPERTIES TIMEOUT ${TIMEOUT})\n")
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
