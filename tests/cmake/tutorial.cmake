# SPDX-License-Identifier: MIT
#
# Runs the tutorial PROGRAM: it has to print what its SOURCE says at its end. And the source is as tutorials are: it
# opens with what the reader will learn, and is not long.
#
# With STATUS, that is the exit status. With RUNNER, a command with | between its words, that is what runs it.

cmake_minimum_required(VERSION 3.25) # for the policies

set(longest 75)

get_filename_component(name "${SOURCE}" NAME)
file(READ "${SOURCE}" text)

string(REGEX MATCHALL "\n" newlines "${text}")
list(LENGTH newlines lines)
if(lines GREATER longest)
  message(SEND_ERROR "${name} has ${lines} lines, more than ${longest}")
endif()

string(FIND "${text}" "//\n// ${name}: " banner)
string(FIND "${text}" "\n#include " code)
string(FIND "${text}" "learn here:\n//\n//   - " lessons)
if(NOT banner EQUAL 32 OR lessons LESS banner OR lessons GREATER code) # 32: after the SPDX line
  message(SEND_ERROR "${name} does not open with its name and what the reader will learn here, as a list")
endif()

set(heading "\n\n// Prints:\n//\n")
string(FIND "${text}" "${heading}" expected_at)
if(expected_at EQUAL -1)
  message(FATAL_ERROR "${name} does not say what it prints")
endif()
string(LENGTH "${heading}" heading_length)
math(EXPR expected_at "${expected_at} + ${heading_length} - 1") # from the newline on, so that each line begins with one
string(SUBSTRING "${text}" ${expected_at} -1 expected)
string(REPLACE "\n//   " "\n" expected "${expected}")

if(NOT DEFINED STATUS)
  set(STATUS 0)
endif()
string(REPLACE "|" ";" runner "${RUNNER}")
execute_process(COMMAND ${runner} "${PROGRAM}" TIMEOUT 300 RESULT_VARIABLE status OUTPUT_VARIABLE printed)
if(NOT status STREQUAL STATUS) # "Process terminated due to timeout" if it hung
  message(SEND_ERROR "${name}: expected exit status ${STATUS}, not ${status}")
endif()
if(NOT "\n${printed}" STREQUAL expected)
  message(SEND_ERROR "${name} says that it prints:\n${expected}\nIt prints:\n\n${printed}")
endif()
