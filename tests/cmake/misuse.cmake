# SPDX-License-Identifier: MIT
#
# PROGRAM contains a mistake that users make. It must not compile, and the compiler has to print the reason early: the
# text after "// expect: ", after at most 15 lines, or the number after "// lines: ". The compiler gets the flags after
# "// flags: "; without flags it uses the header in PRECOMPILED, if the program includes one of these.

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
  message(FATAL_ERROR "${PROGRAM} has no line \"// expect: \".")
endif()

# GCC finds a precompiled header by itself. If it cannot use it, it reads the header.
file(STRINGS "${PROGRAM}" header REGEX "^#include <forebay/(dataset|queues)[.]hpp>$" LIMIT_COUNT 1)
set(precompiled "")
if(header AND NOT flags)
  string(REGEX REPLACE ".*<(.*)>" "${PRECOMPILED}/\\1.gch" file "${header}")
  if(IS_CLANG)
    set(precompiled -include-pch "${file}")
  else()
    set(precompiled "-I${PRECOMPILED}")
  endif()
endif()

set(ENV{LC_ALL} C)
execute_process(
  COMMAND "${COMPILER}" -std=c++20 ${precompiled} "-I${REPOSITORY}/include" ${flags} -fsyntax-only "${PROGRAM}"
  RESULT_VARIABLE status
  OUTPUT_VARIABLE output
  ERROR_VARIABLE output)
if(status EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} compiles, but it must not.")
endif()
string(FIND "${output}" "${expect}" position)
if(position EQUAL -1)
  message(FATAL_ERROR "The compiler does not print \"${expect}\". It prints:\n${output}")
endif()
string(SUBSTRING "${output}" 0 ${position} before)
string(REGEX MATCHALL "\n" newlines "${before}")
list(LENGTH newlines count)
if(count GREATER most)
  message(FATAL_ERROR "${count} lines precede \"${expect}\", more than ${most}:\n${output}")
endif()
message(STATUS "${count} lines before \"${expect}\"")
