# SPDX-License-Identifier: MIT
#
# The headers must stay cheap to compile. This script counts lines and functions instead of seconds, because they are
# the same in every run, however busy the machine is. It compares the preprocessed lines of headers with those of a
# queue made of a mutex, two condition variables and a vector, and limits the functions of tutorials without
# optimisation, where each function costs about half a millisecond.

cmake_minimum_required(VERSION 3.25) # for the policies

set(include_dir "${REPOSITORY}/include")

# Sets `result` to the number of preprocessed lines of a file with the given includes, without line markers.
function(count_lines result)
  list(TRANSFORM ARGN REPLACE "(.+)" "#include <\\1>\n" OUTPUT_VARIABLE lines)
  list(JOIN lines "" text)
  execute_process(
    COMMAND printf "%s" "${text}"
    COMMAND "${COMPILER}" -std=c++20 "-I${include_dir}" -E -x c++ -
    COMMAND grep -cv "^#"
    OUTPUT_VARIABLE count
    OUTPUT_STRIP_TRAILING_WHITESPACE RESULTS_VARIABLE results)
  if(NOT results STREQUAL "0;0;0")
    message(FATAL_ERROR "${COMPILER} cannot preprocess ${ARGN}")
  endif()
  set(${result} ${count} PARENT_SCOPE)
endfunction()

# Sets `result` to the standard headers that a header and forebay's headers in it include, but not to what these include
# in turn.
function(list_standard_headers result header)
  set(open ${header})
  set(seen "")
  set(standard "")
  while(open)
    list(POP_FRONT open header)
    if(header IN_LIST seen)
      continue()
    endif()
    list(APPEND seen ${header})
    file(STRINGS "${include_dir}/${header}" lines REGEX "^ *# *include ")
    foreach(line IN LISTS lines)
      if(line MATCHES "[\"<](forebay/[^\">]+)[\">]")
        list(APPEND open ${CMAKE_MATCH_1})
      elseif(line MATCHES "<([^>]+)>")
        list(APPEND standard ${CMAKE_MATCH_1})
      endif()
    endforeach()
  endwhile()
  list(REMOVE_DUPLICATES standard)
  list(SORT standard)
  set(${result} ${standard} PARENT_SCOPE)
endfunction()

count_lines(base mutex condition_variable optional chrono vector)

# Limits the lines of a header, in percent, and lists standard headers that it must not include.
function(check_header header most_percent)
  count_lines(lines forebay/${header})
  math(EXPR percent "100 * ${lines} / ${base}")
  list_standard_headers(standard forebay/${header})
  list(JOIN standard " " listed)
  message(STATUS "forebay/${header}: ${lines} lines, ${percent} % of the ${base} lines of <mutex> "
                 "<condition_variable> <optional> <chrono> <vector>; allowed: ${most_percent} %; includes ${listed}")
  if(percent GREATER most_percent)
    message(SEND_ERROR "${header} is over its budget")
  endif()
  foreach(expensive IN ITEMS ${ARGN} charconv filesystem iostream random regex sstream)
    if(expensive IN_LIST standard)
      message(SEND_ERROR "${header} must not include <${expensive}>")
    endif()
  endforeach()
endfunction()

check_header(fifo_queue.hpp 125 algorithm cmath functional map)
check_header(queues.hpp 168 cmath map)
check_header(dataset.hpp 200)

# Limits the functions that GCC compiles for a tutorial without optimisation. Other compilers have other numbers.
function(check_functions tutorial most)
  execute_process(
    COMMAND "${COMPILER}" -std=c++20 -O0 "-I${include_dir}" -S -o - "${REPOSITORY}/examples/${tutorial}"
    COMMAND grep -c "@function"
    OUTPUT_VARIABLE count
    OUTPUT_STRIP_TRAILING_WHITESPACE RESULTS_VARIABLE results)
  if(NOT results STREQUAL "0;0")
    message(FATAL_ERROR "${COMPILER} cannot compile ${tutorial}")
  endif()
  message(STATUS "${tutorial}: ${count} functions; allowed: ${most}")
  if(count GREATER most)
    message(SEND_ERROR "${tutorial} is over its budget")
  endif()
endfunction()

execute_process(COMMAND "${COMPILER}" --version OUTPUT_VARIABLE version)
if(NOT version MATCHES "clang")
  check_functions(01_first_queue.cpp 930)
  check_functions(12_first_dataset.cpp 5000)
endif()
