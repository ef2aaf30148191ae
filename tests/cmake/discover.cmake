# SPDX-License-Identifier: MIT
#
# Writes to LIST an add_test for each test of PROGRAM, under the name that GoogleTest itself uses and takes as a filter:
# QueueContract/FIFOQueue.CapacityIsWhatWasAskedFor. (CMake's gtest_discover_tests puts the type of a typed suite behind
# it, at a hundred characters and more.)

cmake_minimum_required(VERSION 3.25) # for the policies

execute_process(COMMAND "${PROGRAM}" --gtest_list_tests OUTPUT_VARIABLE lines TIMEOUT 120 COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE " *#[^\n]*" "" lines "${lines}") # the types and values of parameters
string(REGEX MATCHALL "[^\n]+" lines "${lines}")

set(commands "")
set(count 0)
foreach(line IN LISTS lines)
  if(line MATCHES "^[^ ]+\\.$") # a suite
    set(suite "${line}")
  elseif(line MATCHES "^  ([^ ]+)$") # a test of it
    set(name "${suite}${CMAKE_MATCH_1}")
    string(APPEND commands "add_test([==[${name}]==] [==[${PROGRAM}]==] [==[--gtest_filter=${name}]==])\n"
                           "set_tests_properties([==[${name}]==] PROPERTIES TIMEOUT ${TIMEOUT}"
                           " SKIP_REGULAR_EXPRESSION [==[\\[  SKIPPED \\]]==])\n")
    math(EXPR count "${count} + 1")
  endif()
endforeach()
if(count EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} lists no tests.")
endif()
file(WRITE "${LIST}" "${commands}")
