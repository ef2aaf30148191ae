# SPDX-License-Identifier: MIT
#
# Writes to LIST an add_test for each suite of PROGRAM. Its name is GoogleTest's own, such as QueueContract/FIFOQueue.
# (CMake's gtest_discover_tests lists each test by itself, but starting a program takes longer than most tests.)
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
foreach(line IN LISTS lines)
  if(line MATCHES "^([^ ]+)\\.$") # a suite; its tests are indented
    set(suite "${CMAKE_MATCH_1}")
    string(APPEND commands "add_test([==[${suite}]==] [==[${PROGRAM}]==] [==[--gtest_filter=${suite}.*]==])\n"
                           "set_tests_properties([==[${suite}]==] PROPERTIES LABELS unit TIMEOUT ${TIMEOUT})\n")
  endif()
endforeach()
if(NOT commands)
  message(FATAL_ERROR "${PROGRAM} lists no tests.")
endif()
file(WRITE "${LIST}" "${commands}")
