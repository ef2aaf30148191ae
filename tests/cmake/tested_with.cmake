# SPDX-License-Identifier: MIT
#
# The compilers of "Tested with" in the guide are those of tests/compilers/run, which CI calls.

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
    message(SEND_ERROR "${document} does not say that forebay is tested with ${compiler}")
  endif()
endforeach()
foreach(compiler IN LISTS named)
  if(NOT compiler IN_LIST tested)
    message(SEND_ERROR "${document} says 'tested with ${compiler}', but tests/compilers/run has no such leg")
  endif()
endforeach()
file(STRINGS "${REPOSITORY}/.ci/run" calls REGEX "^tests/compilers/run --install")
if(NOT calls)
  message(SEND_ERROR ".ci/run does not call tests/compilers/run")
endif()
list(LENGTH named count)
message(STATUS "${document} names ${count} compilers.")
