# SPDX-License-Identifier: MIT
#
# Writes the single header OUTPUT: UMBRELLA with each include of a forebay header replaced by the text of that header,
# once. It keeps the include guards, so a program can combine it with the original headers and other single headers.

cmake_minimum_required(VERSION 3.25) # for the policies

# Sets `result` to the text of `header` with its includes expanded, or to "" if an earlier call expanded it.
function(expand header result)
  get_property(seen GLOBAL PROPERTY seen_headers)
  if(header IN_LIST seen)
    set(${result} "" PARENT_SCOPE)
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY seen_headers "${header}")

  file(READ "${REPOSITORY}/include/${header}" rest)
  string(REGEX REPLACE "^// SPDX[^\n]*\n(//)?\n" "" rest "${rest}") # the output has its own licence line
  string(REGEX REPLACE "\n// IWYU pragma: [a-z_]*" "" rest "${rest}")
  set(expanded "")
  while(rest MATCHES "#include \"(forebay/[a-z0-9_/]+\\.hpp)\"[^\n]*\n")
    set(directive "${CMAKE_MATCH_0}")
    set(included "${CMAKE_MATCH_1}")
    string(FIND "${rest}" "${directive}" begin)
    string(LENGTH "${directive}" length)
    math(EXPR end "${begin} + ${length}")
    string(SUBSTRING "${rest}" 0 ${begin} before)
    string(SUBSTRING "${rest}" ${end} -1 rest)
    expand("${included}" inside)
    string(APPEND expanded "${before}${inside}")
  endwhile()
  set(${result} "${expanded}${rest}" PARENT_SCOPE)
endfunction()

expand("${UMBRELLA}" all)
if(UMBRELLA STREQUAL "forebay/forebay.hpp") # the only public headers that it leaves out
  foreach(header IN ITEMS html_report progress_line)
    expand("forebay/${header}.hpp" text)
    string(APPEND all "${text}")
  endforeach()
endif()
if(all MATCHES "#include \"[^\n]*")
  message(FATAL_ERROR "Unexpected include: ${CMAKE_MATCH_0}")
endif()
file(READ "${REPOSITORY}/LICENSE" licence)
string(REGEX REPLACE "\n$" "" licence "${licence}")
string(REPLACE "\n" "\n// " licence "\n${licence}")
string(REPLACE "// \n" "//\n" licence "${licence}")
file(WRITE "${OUTPUT}" "// SPDX-License-Identifier: MIT\n"
                       "//\n// <${UMBRELLA}> of forebay ${VERSION} in one header, made by the target single_header.\n"
                       "//${licence}\n${all}")
