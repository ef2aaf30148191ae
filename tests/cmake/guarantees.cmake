# SPDX-License-Identifier: MIT
#
# Every row of the table in tests/README.md names the tests that prove it, and each of them exists in one of PROGRAMS
# (their paths, with | in between). A typed suite may be named without the type behind its slash, one with parameters
# without what stands before its slash and behind that of the test.

cmake_minimum_required(VERSION 3.25) # for the policies

string(REPLACE "|" ";" programs "${PROGRAMS}")
set(known "\n") # "\nSuite.Test\nSuite.Test\n"
foreach(program IN LISTS programs)
  execute_process(COMMAND "${program}" --gtest_list_tests OUTPUT_VARIABLE lines TIMEOUT 60 COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX REPLACE " *#[^\n]*" "" lines "${lines}")
  string(REGEX MATCHALL "[^\n]+" lines "${lines}")
  foreach(line IN LISTS lines)
    if(line MATCHES "^([^ /]+)(/([^ ]*))?\\.$")
      set(suite "${CMAKE_MATCH_1}")
      set(suite_with_parameters "${CMAKE_MATCH_3}")
    elseif(line MATCHES "^  ([^ /]+)(/[^ ]*)?$")
      string(APPEND known "${suite}.${CMAKE_MATCH_1}\n")
      string(APPEND known "${suite_with_parameters}.${CMAKE_MATCH_1}\n")
    endif()
  endforeach()
endforeach()

file(READ "${REPOSITORY}/tests/README.md" text)
string(REPLACE ";" "," text "${text}") # or CMake takes it for the end of an item of a list
string(REGEX MATCHALL "\n\\| [^\n]*" rows "${text}")
list(POP_FRONT rows) # the titles
set(wrong "")
set(count 0)
foreach(row IN LISTS rows)
  string(REGEX REPLACE "^.*\\|([^|]*)\\|$" "\\1" tests "${row}")
  string(REGEX MATCHALL "`[^`]+`" names "${tests}")
  if(NOT names AND NOT tests MATCHES "^ none: ")
    string(APPEND wrong "\n  no test is named in: ${row}")
  endif()
  foreach(name IN LISTS names)
    string(REPLACE "`" "" name "${name}")
    string(FIND "${known}" "\n${name}\n" found)
    if(found EQUAL -1)
      string(APPEND wrong "\n  there is no test ${name}")
    endif()
    math(EXPR count "${count} + 1")
  endforeach()
endforeach()
if(wrong OR count EQUAL 0)
  message(FATAL_ERROR "In the table of tests/README.md:${wrong}")
endif()
message(STATUS "${count} tests are named and exist.")
