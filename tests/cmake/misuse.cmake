# SPDX-License-Identifier: MIT
#
# PROGRAM is a mistake that a user makes. It must not compile, and what the compiler says has to tell why, early: the
# text after "// expect: ", with at most 15 lines before it, or as many as "// lines: " says. "// flags: " are given to
# the compiler.

cmake_minimum_required(VERSION 3.25) # for the policies

file(STRINGS "${PROGRAM}" expect REGEX "^// expect: ")
file(STRINGS "${PROGRAM}" lines REGEX "^// lines: [0-9]+")
file(STRINGS "${PROGRAM}" flags REGEX "^// flags: ")
string(REPLACE "// expect: " "" expect "${expect}")
string(REPLACE "// flags: " "" flags "${flags}")
separate_arguments(flags)
set(most 15)
if(lines MATCHES "[0-9]+")
  set(most ${CMAKE_MATCH_0})
endif()
if(NOT expect)
  message(FATAL_ERROR "${PROGRAM} does not say what it expects.")
endif()

set(ENV{LC_ALL} C)
execute_process(
  COMMAND "${COMPILER}" -std=c++20 "-I${REPOSITORY}/include" ${flags} -fsyntax-only "${PROGRAM}"
  RESULT_VARIABLE status
  OUTPUT_VARIABLE output
  ERROR_VARIABLE output)
if(status EQUAL 0)
  message(FATAL_ERROR "It compiles.")
endif()
string(FIND "${output}" "${expect}" position)
if(position EQUAL -1)
  message(FATAL_ERROR "The compiler does not say \"${expect}\", but:\n${output}")
endif()
string(SUBSTRING "${output}" 0 ${position} before)
string(REGEX MATCHALL "\n" newlines "${before}")
list(LENGTH newlines count)
if(count GREATER most)
  message(FATAL_ERROR "${count} lines come before \"${expect}\", more than ${most}:\n${output}")
endif()
message(STATUS "${count} lines before \"${expect}\"")
