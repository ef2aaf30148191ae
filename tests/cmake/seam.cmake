# SPDX-License-Identifier: MIT
#
# Checks that only sync.hpp names the threads, locks and atomics of the standard library; all other headers use their
# Sync parameter. The scheduler of the tests would not control a direct use.

cmake_minimum_required(VERSION 3.25) # for the policies

file(GLOB_RECURSE headers RELATIVE "${REPOSITORY}" "${REPOSITORY}/include/*.hpp")
list(REMOVE_ITEM headers include/forebay/sync.hpp)

# Matches names that begin with one of these, such as std::atomic_ref. It allows memory orders, which are only numbers,
# and locks such as std::unique_lock, which take any mutex.
string(CONCAT names "(atomic|barrier|condition_variable|counting_semaphore|binary_semaphore|latch|async|future|promise"
              "|jthread|thread|this_thread|stop_callback|stop_source|stop_token"
              "|mutex|recursive_mutex|shared_mutex|timed_mutex|recursive_timed_mutex|shared_timed_mutex)")

set(found "")
set(count 0)
foreach(header IN LISTS headers)
  file(READ "${REPOSITORY}/${header}" text)
  string(REGEX REPLACE "//[^\n]*" "" text "${text}") # comments may name anything
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
message(STATUS "None of ${count} headers names a thread, lock or atomic of the standard library.")
