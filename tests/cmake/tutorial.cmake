# SPDX-License-Identifier: MIT
#
# Runs the tutorial PROGRAM and compares its output with the comment at the end of its SOURCE. Also checks that the
# source opens with a list of what the reader will learn, and is short.
#
# STATUS is the expected exit status, by default 0. RUNNER is a command that runs the program, its words separated by |.

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
  message(SEND_ERROR "${name} does not open with its name and a list of what the reader will learn")
endif()

set(heading "\n\n// Prints:\n//\n")
string(FIND "${text}" "${heading}" expected_at)
if(expected_at EQUAL -1)
  message(FATAL_ERROR "${name} has no comment \"Prints:\" with its output")
endif()
string(LENGTH "${heading}" heading_length)
math(EXPR expected_at "${expected_at} + ${heading_length} - 1") # keep the newline before the first line
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
  message(SEND_ERROR "${name} should print:\n${expected}\nIt prints:\n\n${printed}")
endif()
