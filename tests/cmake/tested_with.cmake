# SPDX-License-Identifier: MIT
#
# Checks that "Tested with" in the guide lists the compilers of tests/compilers/run, and that CI calls that script.

cmake_minimum_required(VERSION 3.25) # for the policies

execute_process(COMMAND "${REPOSITORY}/tests/compilers/run" --list OUTPUT_VARIABLE tested COMMAND_ERROR_IS_FATAL ANY
                OUTPUT_STRIP_TRAILING_WHITESPACE)
string(REPLACE "\n" ";" tested "${tested}")

set(document examples/guide/installing.md)
file(READ "${REPOSITORY}/${document}" text)
string(REGEX MATCH "Tested with[ \n]([^.]*)\\." sentence "${text}")
string(REGEX REPLACE "[ \n]+" " " named "${CMAKE_MATCH_1}")
string(REPLACE "`" "" named "${named}")
string(REPLACE ", " ";" named "${named}")

foreach(compiler IN LISTS tested)
  if(NOT compiler IN_LIST named)
    message(SEND_ERROR "${document} does not list ${compiler}, with which tests/compilers/run tests forebay")
  endif()
endforeach()
foreach(compiler IN LISTS named)
  if(NOT compiler IN_LIST tested)
    message(SEND_ERROR "${document} lists ${compiler}, but tests/compilers/run has no such leg")
  endif()
endforeach()
file(STRINGS "${REPOSITORY}/.ci/run" calls REGEX "^tests/compilers/run --install")
if(NOT calls)
  message(SEND_ERROR ".ci/run does not call tests/compilers/run")
endif()
list(LENGTH named count)
message(STATUS "${document} lists the ${count} tested compilers.")
