# SPDX-License-Identifier: MIT
#
# fifo_queue.hpp must stay cheap to include. This script counts preprocessed lines instead of seconds, because they are
# the same in every run. It compares with the headers of a queue made of a mutex, two condition variables and a vector.

cmake_minimum_required(VERSION 3.25) # for the policies

set(include_dir "${REPOSITORY}/include")
set(budget_percent 130)

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

count_lines(base mutex condition_variable optional chrono vector)
count_lines(fifo forebay/fifo_queue.hpp)
math(EXPR percent "100 * ${fifo} / ${base}")
message(STATUS "forebay/fifo_queue.hpp: ${fifo} lines, ${percent} % of the ${base} lines of "
               "<mutex> <condition_variable> <optional> <chrono> <vector>; allowed: ${budget_percent} %")

# Lists the standard headers that forebay's own headers include, but not what these include in turn.
set(open forebay/fifo_queue.hpp)
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
list(JOIN standard " " listed)
message(STATUS "forebay's own headers include: ${listed}")

foreach(expensive IN ITEMS functional iostream map random regex sstream)
  if(expensive IN_LIST standard)
    message(SEND_ERROR "fifo_queue.hpp must not include <${expensive}>")
  endif()
endforeach()
math(EXPR fifo_scaled "100 * ${fifo}")
math(EXPR base_scaled "${budget_percent} * ${base}")
if(fifo_scaled GREATER base_scaled)
  message(SEND_ERROR "fifo_queue.hpp is over its budget")
endif()
