# SPDX-License-Identifier: MIT
#
# Builds the target DOCUMENTATION (docs or reference), which must cause no warnings, and checks the contents of pages.

cmake_minimum_required(VERSION 3.25) # for the policies

execute_process(COMMAND "${CMAKE_COMMAND}" --build "${BINARY}" --target ${DOCUMENTATION} COMMAND_ERROR_IS_FATAL ANY)

# Fails if the page does not contain `text`, a regular expression.
function(check_page page text)
  if(NOT EXISTS "${BINARY}/${page}")
    message(SEND_ERROR "${page} does not exist")
    return()
  endif()
  file(READ "${BINARY}/${page}" html)
  if(NOT html MATCHES "${text}")
    message(SEND_ERROR "${page} does not contain '${text}'")
  endif()
endfunction()

check_page(reference/classforebay_1_1BlockingQueue.html "Takes one element out")
check_page(reference/classforebay_1_1Dataset.html "Keeps the elements for which")
foreach(alias IN ITEMS Coordinator ProgressWatch QueueRunner Wait) # the names that programs use
  check_page(reference/classforebay_1_1${alias}.html "Public Member Functions")
endforeach()
check_page(reference/structforebay_1_1CancelledError.html "Constructor &amp; Destructor Documentation")

if(DOCUMENTATION STREQUAL "docs")
  check_page(site/index.html "Why forebay")
  check_page(site/index.html "href=\"reference/dataset_8hpp.html\"") # a header's link leads to the reference
  check_page(site/guide/index.html "href=\"../source/examples/01_first_queue.cpp/\"") # a program's, to its text
  check_page(site/guide/installing/index.html "id=\"compilers\"")
  foreach(page IN ITEMS index classforebay_1_1Dataset dataset_8hpp) # have the header and the search of the guide
    check_page(site/reference/${page}.html "data-md-component=\"header\"")
    check_page(site/reference/${page}.html "data-md-component=\"search-query\"")
    check_page(site/reference/${page}.html "href=\"../guide/\"")
  endforeach()
  file(READ "${BINARY}/site/index.html" html)
  if(html MATCHES "(href|src)=\"https?://[^\"]*(fonts|cdn)")
    message(SEND_ERROR "The site loads something from another server: ${CMAKE_MATCH_0}")
  endif()
endif()
