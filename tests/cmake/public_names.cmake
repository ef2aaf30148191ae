# SPDX-License-Identifier: MIT
#
# Checks that the module exports exactly the public names of the headers, and that the program that each compiler has to
# build uses every one of them. COMPILER, a Clang, lists the names in the namespace forebay.

cmake_minimum_required(VERSION 3.25) # for the policies

set(listing "")
foreach(header IN ITEMS forebay dataset html_report progress_line)
  execute_process(
    COMMAND "${COMPILER}" -std=c++20 "-I${REPOSITORY}/include" -fsyntax-only -Xclang -ast-list
            "${REPOSITORY}/include/forebay/${header}.hpp"
    OUTPUT_VARIABLE some COMMAND_ERROR_IS_FATAL ANY ERROR_QUIET)
  string(APPEND listing "${some}")
endforeach()

# The listing includes the inline namespace. Finds its name before that of a queue.
string(REGEX MATCH "\nforebay::([a-z0-9_]+::)?FIFOQueue\n" found "\n${listing}")
set(prefix "forebay::${CMAKE_MATCH_1}")
string(REPLACE "\n" "\n\n" listing "${listing}") # so that no match consumes the newline before the next one
string(REGEX MATCHALL "\n${prefix}[A-Za-z_]+\n" names "\n${listing}")
list(TRANSFORM names STRIP)
list(TRANSFORM names REPLACE "^${prefix}" "")
list(REMOVE_DUPLICATES names)
list(SORT names CASE INSENSITIVE)

# The parameters of aliases and variable templates are listed like names of the namespace.
file(GLOB headers "${REPOSITORY}/include/forebay/*.hpp")
set(parameters "")
foreach(header IN LISTS headers)
  file(READ "${header}" text)
  string(REGEX MATCHALL "class(\\.\\.\\.)? [A-Za-z]+[,>]" some "${text}")
  list(TRANSFORM some REPLACE "^.* ([A-Za-z]+)[,>]$" "\\1")
  list(APPEND parameters ${some})
endforeach()
list(FILTER names EXCLUDE REGEX "^operator")
list(REMOVE_ITEM names detail ${parameters})
list(LENGTH names count)
if(count LESS 80)
  message(FATAL_ERROR "Only ${count} public names were found: ${names}")
endif()

file(STRINGS "${REPOSITORY}/include/forebay/forebay.cppm" exported REGEX "^using forebay::[A-Za-z_]+;$")
list(TRANSFORM exported REPLACE "^using forebay::([A-Za-z_]+);$" "\\1")
file(READ "${REPOSITORY}/tests/compilers/every_class.cpp" program)

foreach(name IN LISTS names)
  if(NOT name IN_LIST exported)
    message(SEND_ERROR "include/forebay/forebay.cppm does not export ${name}")
  endif()
  if(NOT program MATCHES "[^A-Za-z_]${name}[^A-Za-z_]")
    message(SEND_ERROR "tests/compilers/every_class.cpp does not use ${name}")
  endif()
endforeach()
foreach(name IN LISTS exported)
  if(NOT name IN_LIST names)
    message(SEND_ERROR "include/forebay/forebay.cppm exports ${name}, which is not a public name of the headers")
  endif()
endforeach()
message(STATUS "The module exports ${count} public names, and the program uses them.")
