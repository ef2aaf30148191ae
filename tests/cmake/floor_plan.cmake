# SPDX-License-Identifier: MIT
#
# The floor plan of include/forebay. A file there is a door for users, a folder is a room for us; of each room: its
# doors, and the rooms below it that it may include; `doors` are those of all rooms that stand before it in the plan.
# What stands inside a room knows nothing of its doors.
# .github/CONTRIBUTING.md has it as a picture.

cmake_minimum_required(VERSION 3.25) # for the policies

set(plan
    "base: version sync capacity count dimension queue_status queue_statistics stage_statistics \
pipeline_statistics thread_activity per_thread by prioritized usable_cores:"
    "report: report dataset_description: base"
    "waiting: wait: base"
    "batch: characters padding_options padded_component padded_batch stacked_batch: base"
    "threads: coordinator queue_runner monitored_session progress_watch: waiting base"
    "engine:: waiting base"
    "queue: blocking_queue fifo_queue random_shuffle_queue padding_fifo_queue priority_queue: engine batch waiting base"
    "handle: queue_ref dequeue_any: queue engine waiting base"
    "input: position dataset_error context map_options interleave_options batch_options bucket_options \
on_error out: doors base"
    "checkpoint:: doors base"
    "describe:: checkpoint doors base"
    "flow:: describe checkpoint doors base"
    "source:: flow describe checkpoint doors base"
    "stage:: source flow describe checkpoint doors base"
    "trace:: doors base"
    "parallel: pipeline dataset indexed_dataset sources: trace stage source flow describe checkpoint doors waiting base"
    "umbrella: forebay: handle queue batch threads report waiting base")

set(include "${REPOSITORY}/include/forebay")
set(rooms "")
set(doors_below "")
foreach(line IN LISTS plan)
  if(NOT line MATCHES "^([a-z]+):([a-z_ ]*):([a-z ]*)$")
    message(FATAL_ERROR "This is no line of a floor plan: ${line}")
  endif()
  set(room ${CMAKE_MATCH_1})
  separate_arguments(below UNIX_COMMAND "${CMAKE_MATCH_3}")
  separate_arguments(doors UNIX_COMMAND "${CMAKE_MATCH_2}")
  list(APPEND rooms ${room})
  set(below_${room} ${below})
  set(doors_below_${room} "")
  if("doors" IN_LIST below)
    set(doors_below_${room} ${doors_below})
  endif()
  foreach(door IN LISTS doors)
    set(room_of_${door}.hpp ${room})
    list(APPEND doors_below ${door}.hpp)
  endforeach()
endforeach()

# Sets `room` to where the header belongs, and is_door.
function(locate header)
  set(is_door OFF)
  if(header MATCHES "^([a-z]+)/")
    set(room ${CMAKE_MATCH_1})
  else()
    set(room "${room_of_${header}}")
    set(is_door ON)
  endif()
  if(NOT room IN_LIST rooms)
    set(room "")
  endif()
  return(PROPAGATE room is_door)
endfunction()

file(GLOB_RECURSE headers RELATIVE "${include}" "${include}/*.hpp")
set(found "")
foreach(header IN LISTS headers)
  locate(${header})
  if(room STREQUAL "")
    string(APPEND found "\n  ${header} stands in no room of the plan")
    continue()
  endif()
  set(here ${room})
  set(from_door ${is_door})
  file(STRINGS "${include}/${header}" includes REGEX "^#include [<\"]forebay/")
  foreach(line IN LISTS includes)
    string(REGEX REPLACE "^#include [<\"]forebay/([^>\"]+).*$" "\\1" included "${line}")
    locate(${included})
    if(room STREQUAL here AND (from_door OR NOT is_door OR here STREQUAL "base"))
      continue() # version.hpp and sync.hpp are at the bottom of everything
    elseif(room STREQUAL "base" OR room IN_LIST below_${here} OR included IN_LIST doors_below_${here})
      continue()
    endif()
    string(APPEND found "\n  ${header} includes ${included}")
  endforeach()
endforeach()

# The picture that a newcomer is shown has every room and every door in it.
file(READ "${REPOSITORY}/.github/CONTRIBUTING.md" picture)
if(NOT picture MATCHES "## The floor plan.*\n```\n(.*)\n```\n\nBegin with a door")
  message(FATAL_ERROR "There is no floor plan in .github/CONTRIBUTING.md.")
endif()
set(picture "${CMAKE_MATCH_1}")
foreach(line IN LISTS plan)
  string(REGEX MATCHALL "[a-z_]+" names "${line}")
  foreach(name IN LISTS names)
    if(NOT picture MATCHES "(^|[^a-z_])${name}([^a-z_]|$)" AND NOT name MATCHES "^(umbrella|doors)$")
      string(APPEND found "\n  ${name} is not in the picture of .github/CONTRIBUTING.md")
    endif()
  endforeach()
endforeach()

list(LENGTH headers count)
if(count EQUAL 0)
  message(FATAL_ERROR "There are no headers in ${include}.")
endif()
if(found)
  message(FATAL_ERROR "Against the floor plan:${found}")
endif()
message(STATUS "${count} headers keep to the floor plan.")
