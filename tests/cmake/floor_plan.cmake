# SPDX-License-Identifier: MIT
#
# Checks the floor plan of include/forebay. A file directly there is a public header; a directory is internal. Each line
# of the plan names a directory, its public headers, and the lower directories that it may include; `public` means the
# public headers of all preceding lines. An internal header includes no public header of its own line, and declares
# nothing outside the namespace detail. Only forebay.hpp includes async.hpp, because that needs coroutines.
# .github/CONTRIBUTING.md shows the plan as a picture.

cmake_minimum_required(VERSION 3.25) # for the policies

set(plan
    "base: version sync count queue_status overflow statistics thread_activity factories priority usable_cores \
byte_source:"
    "report: report dataset_description: base"
    "waiting: wait: base"
    "batch: padded_component padded_batch: base"
    "threads: coordinator queue_runner monitored_session progress_watch: waiting base"
    "engine:: waiting base"
    "queue: blocking_queue fifo_queue random_shuffle_queue padding_fifo_queue priority_queue producer consumer async: \
engine batch waiting base"
    "handle: queue_ref dequeue_any: queue engine waiting base"
    "input: position dataset_error context dataset_options: public base"
    "checkpoint:: public base"
    "describe:: checkpoint public base"
    "flow:: describe checkpoint public base"
    "source:: flow describe checkpoint public base"
    "stage:: source flow describe checkpoint public base"
    "trace:: public base"
    "parallel: pipeline dataset indexed_dataset sources from_queue: \
trace stage source flow describe checkpoint public waiting base"
    "html: progress_line html_report: trace report public base"
    "file: file: public base"
    "files: record_files tar_files array_files csv_files: file source flow describe checkpoint public base"
    "umbrella: queues files forebay: public base")

set(include "${REPOSITORY}/include/forebay")
set(directories "")
set(public_below "")
foreach(line IN LISTS plan)
  if(NOT line MATCHES "^([a-z]+):([a-z_ ]*):([a-z ]*)$")
    message(FATAL_ERROR "This line of the floor plan is malformed: ${line}")
  endif()
  set(directory ${CMAKE_MATCH_1})
  separate_arguments(below UNIX_COMMAND "${CMAKE_MATCH_3}")
  separate_arguments(public UNIX_COMMAND "${CMAKE_MATCH_2}")
  list(APPEND directories ${directory})
  set(below_${directory} ${below})
  set(public_below_${directory} "")
  if("public" IN_LIST below)
    set(public_below_${directory} ${public_below})
  endif()
  foreach(header IN LISTS public)
    set(directory_of_${header}.hpp ${directory})
    list(APPEND public_below ${header}.hpp)
  endforeach()
endforeach()

# Sets `directory` to the directory of the plan to which the header belongs, and `is_public`.
function(locate header)
  set(is_public OFF)
  if(header MATCHES "^([a-z]+)/")
    set(directory ${CMAKE_MATCH_1})
  else()
    set(directory "${directory_of_${header}}")
    set(is_public ON)
  endif()
  if(NOT directory IN_LIST directories)
    set(directory "")
  endif()
  return(PROPAGATE directory is_public)
endfunction()

file(GLOB_RECURSE headers RELATIVE "${include}" "${include}/*.hpp")
set(found "")
foreach(header IN LISTS headers)
  locate(${header})
  if(directory STREQUAL "")
    string(APPEND found "\n  ${header} is in no directory of the plan")
    continue()
  endif()
  set(here ${directory})
  set(from_public ${is_public})
  if(NOT is_public)
    file(STRINGS "${include}/${header}" public_names REGEX "^namespace forebay::FOREBAY_ABI {")
    if(public_names)
      string(APPEND found "\n  ${header} declares public names")
    endif()
  endif()
  file(STRINGS "${include}/${header}" includes REGEX "^#include [<\"]forebay/")
  foreach(line IN LISTS includes)
    string(REGEX REPLACE "^#include [<\"]forebay/([^>\"]+).*$" "\\1" included "${line}")
    if(included STREQUAL "async.hpp" AND NOT header STREQUAL "forebay.hpp")
      string(APPEND found "\n  ${header} includes async.hpp, which only forebay.hpp may")
    endif()
    locate(${included})
    if(directory STREQUAL here AND (from_public OR NOT is_public OR here STREQUAL "base"))
      continue() # every header may include version.hpp and sync.hpp
    elseif(directory STREQUAL "base" OR directory IN_LIST below_${here} OR included IN_LIST public_below_${here})
      continue()
    endif()
    string(APPEND found "\n  ${header} includes ${included}")
  endforeach()
endforeach()

# The picture for newcomers must show every directory and every public header.
file(READ "${REPOSITORY}/.github/CONTRIBUTING.md" picture)
if(NOT picture MATCHES "## The floor plan.*\n```\n(.*)\n```\n\nBegin with a public header")
  message(FATAL_ERROR "There is no floor plan in .github/CONTRIBUTING.md.")
endif()
set(picture "${CMAKE_MATCH_1}")
foreach(line IN LISTS plan)
  string(REGEX MATCHALL "[a-z_]+" names "${line}")
  foreach(name IN LISTS names)
    if(NOT picture MATCHES "(^|[^a-z_])${name}([^a-z_]|$)" AND NOT name MATCHES "^(umbrella|queues|forebay|public)$")
      string(APPEND found "\n  ${name} is not in the picture of .github/CONTRIBUTING.md")
    endif()
  endforeach()
endforeach()

list(LENGTH headers count)
if(count EQUAL 0)
  message(FATAL_ERROR "There are no headers in ${include}.")
endif()
if(found)
  message(FATAL_ERROR "These violate the floor plan:${found}")
endif()
message(STATUS "${count} headers follow the floor plan.")
