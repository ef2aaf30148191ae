# SPDX-License-Identifier: MIT
#
# The target docs makes the documentation without a warning. Its front page is the README, and what that refers to is
# there.

cmake_minimum_required(VERSION 3.25) # for the policies

file(REMOVE_RECURSE "${BINARY}/html")
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${BINARY}" --target docs COMMAND_ERROR_IS_FATAL ANY)

file(READ "${BINARY}/html/index.html" page)
if(NOT page MATCHES "Why forebay")
  message(SEND_ERROR "The front page is not the README")
endif()
file(READ "${BINARY}/html/classforebay_1_1BlockingQueue.html" class)
if(NOT class MATCHES "Takes one element out")
  message(SEND_ERROR "The page of BlockingQueue does not say what dequeue does")
endif()
file(READ "${BINARY}/html/classforebay_1_1Dataset.html" class)
if(NOT class MATCHES "Keeps the elements for which")
  message(SEND_ERROR "The page of Dataset does not say what filter does")
endif()
foreach(alias IN ITEMS Coordinator ProgressWatch QueueRunner Wait) # the names that programs use
  if(NOT EXISTS "${BINARY}/html/classforebay_1_1${alias}.html")
    message(SEND_ERROR "${alias} has no page")
  endif()
endforeach()
string(REGEX MATCHALL "(href|src)=\"[^\"#:]+[\"#]" links "${page}")
set(count 0)
foreach(link IN LISTS links)
  string(REGEX REPLACE "^[a-z]+=\"|[\"#]$" "" link "${link}")
  if(NOT EXISTS "${BINARY}/html/${link}")
    message(SEND_ERROR "The front page refers to ${link}, which is not there")
  endif()
  math(EXPR count "${count} + 1")
endforeach()
message(STATUS "${count} links of the front page lead somewhere.")
