# SPDX-License-Identifier: MIT
#
# Each block of C++ in README.md stands, line by line, in a program that is compiled and run: an example or a test. It
# may be indented there as a whole.

cmake_minimum_required(VERSION 3.25) # for the policies

set(sources "")
foreach(directory IN ITEMS examples tests)
  file(GLOB_RECURSE some "${REPOSITORY}/${directory}/*.cpp")
  list(APPEND sources ${some})
endforeach()

# Whether `block`, all of whose lines begin after a newline, stands in one of the sources.
function(find_block block found_in)
  foreach(indentation IN ITEMS "" "  " "    " "      " "        ")
    string(REGEX REPLACE "\n([^\n])" "\n${indentation}\\1" indented "${block}") # empty lines stay empty
    foreach(source IN LISTS sources)
      file(READ "${source}" text)
      string(FIND "\n${text}" "${indented}" position)
      if(NOT position EQUAL -1)
        file(RELATIVE_PATH source "${REPOSITORY}" "${source}")
        set(${found_in} "${source}" PARENT_SCOPE)
        return()
      endif()
    endforeach()
  endforeach()
  set(${found_in} "" PARENT_SCOPE)
endfunction()

file(READ "${REPOSITORY}/README.md" rest)
string(PREPEND rest "\n")
set(count 0)
while(rest MATCHES "\n( *)```cpp\n")
  set(fence "${CMAKE_MATCH_0}")
  set(margin "${CMAKE_MATCH_1}")
  string(FIND "${rest}" "${fence}" begin)
  string(LENGTH "${fence}" length)
  math(EXPR begin "${begin} + ${length} - 1") # the newline belongs to the block
  string(SUBSTRING "${rest}" ${begin} -1 rest)
  string(FIND "${rest}" "\n${margin}```\n" end)
  if(end EQUAL -1)
    message(FATAL_ERROR "README.md: a block of C++ has no end")
  endif()
  math(EXPR end "${end} + 1")
  string(SUBSTRING "${rest}" 0 ${end} block)
  string(SUBSTRING "${rest}" ${end} -1 rest)
  string(PREPEND rest "\n")

  string(REPLACE "\n${margin}" "\n" block "${block}")
  find_block("${block}" source)
  math(EXPR count "${count} + 1")
  if(source)
    message(STATUS "Block ${count} of C++ in README.md stands in ${source}.")
  else()
    message(SEND_ERROR "This block of C++ in README.md stands in no example and no test:\n${block}")
  endif()
endwhile()
if(count EQUAL 0)
  message(FATAL_ERROR "There is no C++ in README.md.")
endif()
