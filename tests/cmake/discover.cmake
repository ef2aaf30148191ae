# SPDX-License-Identifier: MIT
#
# Writes to LIST an add_test for each test of PROGRAM, under the name that GoogleTest itself uses and takes as a filter:
# QueueContract/FIFOQueue.CapacityIsWhatWasAskedFor. (CMake's gtest_discover_tests puts the type of a typed suite behind
# it, at a hundred characters and more.) With BY_SUITE, all tests of a suite are one: to start a program takes longer
# than most tests do when there is a sanitizer in it.
#
# EMULATOR, with | between its words, is what runs the program if it was built for another machine (CROSS). Without one
# the build is no failure; the program is a single test then, which passes where it can be run.

cmake_minimum_required(VERSION 3.25) # for the policies

string(REPLACE "|" ";" emulator "${EMULATOR}")
set(run "")
foreach(word IN LISTS emulator ITEMS "${PROGRAM}")
  string(APPEND run " [==[${word}]==]")
endforeach()

execute_process(COMMAND ${emulator} "${PROGRAM}" --gtest_list_tests TIMEOUT 120 RESULT_VARIABLE result
                OUTPUT_VARIABLE lines ERROR_VARIABLE errors)
if(NOT result EQUAL 0)
  if(CROSS AND NOT EMULATOR)
    get_filename_component(name "${PROGRAM}" NAME_WE)
    file(WRITE "${LIST}" "add_test(${name}${run})\nset_tests_properties(${name} PROPERTIES LABELS unit)\n")
    message("${name} cannot be run here (CMAKE_CROSSCOMPILING_EMULATOR is not set), so it is one test for ctest.")
    return()
  endif()
  message(FATAL_ERROR "${PROGRAM} --gtest_list_tests: ${result}\n${errors}")
endif()
string(REGEX REPLACE " *#[^\n]*" "" lines "${lines}") # the types and values of parameters
string(REGEX MATCHALL "[^\n]+" lines "${lines}")

set(commands "")
macro(append_test name filter)
  string(APPEND commands "add_test([==[${name}]==]${run} [==[--gtest_filter=${filter}]==])\n"
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
