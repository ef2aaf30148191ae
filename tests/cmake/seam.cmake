# SPDX-License-Identifier: MIT
#
# sync.hpp is the one header that names what threads are made of; every other one takes it from its Sync parameter.
# What slipped through here would run past the scheduler that tests put in for it.

cmake_minimum_required(VERSION 3.25) # for the policies

file(GLOB_RECURSE headers RELATIVE "${REPOSITORY}" "${REPOSITORY}/include/*.hpp")
list(REMOVE_ITEM headers include/forebay/sync.hpp)

# Whatever begins with one of these: std::atomic_ref and std::shared_mutex are meant as well. The memory orders are
# mere numbers, and locks such as std::unique_lock take any mutex.
string(CONCAT names "(atomic|barrier|condition_variable|counting_semaphore|binary_semaphore|latch|async|future|promise"
              "|jthread|thread|this_thread|stop_callback|stop_source|stop_token"
              "|mutex|recursive_mutex|shared_mutex|timed_mutex|recursive_timed_mutex|shared_timed_mutex)")

set(found "")
set(count 0)
foreach(header IN LISTS headers)
  file(READ "${REPOSITORY}/${header}" text)
  string(REGEX REPLACE "//[^\n]*" "" text "${text}") # comments may say what they like
  string(REGEX MATCHALL "std::${names}[a-z_]*" matches "${text}")
  foreach(match IN LISTS matches)
    string(APPEND found "\n  ${header} names ${match}")
  endforeach()
  math(EXPR count "${count} + 1")
endforeach()

if(count EQUAL 0)
  message(FATAL_ERROR "There are no headers in ${REPOSITORY}/include.")
endif()
if(found)
  message(FATAL_ERROR "Only sync.hpp may name these; use the Sync parameter:${found}")
endif()
message(STATUS "${count} headers name no thread, lock or atomic of the standard library.")
