# SPDX-License-Identifier: MIT
#
# Checks the sources and documents:
#   - The first line of each source file states the licence.
#   - No source file has a note about work to do later, or a line of more than 120 columns.
#   - No test sleeps, or has a using-declaration that it does not use.
#   - Each header declares its names in the inline namespace that version.hpp names.
#   - No comment or document contains a phrase of phrases.txt.

cmake_minimum_required(VERSION 3.25) # for the policies

foreach(directory IN ITEMS include tests examples)
  foreach(pattern IN ITEMS *.hpp *.cpp *.cppm *.cmake *.py CMakeLists.txt meson.build)
    file(GLOB_RECURSE some RELATIVE "${REPOSITORY}" "${REPOSITORY}/${directory}/${pattern}")
    list(APPEND sources ${some})
  endforeach()
endforeach()
list(APPEND sources CMakeLists.txt .ci/run tests/compilers/run tests/packaging/bare_debian tests/packaging/release
     tests/tidy tests/under_load tests/use_ccache .clang-tidy tests/.clang-tidy .editorconfig .gitattributes)

set(limit 120) # columns
math(EXPR beyond_limit "${limit} + 1")
string(REPEAT "[^\n]" ${beyond_limit} too_long)

file(STRINGS "${CMAKE_CURRENT_LIST_DIR}/phrases.txt" phrases REGEX " => ")
list(LENGTH phrases phrase_count)
if(phrase_count EQUAL 0)
  message(FATAL_ERROR "phrases.txt has no phrases.")
endif()

# Adds to `found` the phrases that `prose`, the text of `source`, contains.
function(check_phrases source prose)
  foreach(phrase IN LISTS phrases)
    string(REGEX REPLACE " => .*" "" expression "${phrase}")
    string(REPLACE " " "[ \n]" expression "${expression}")
    if(prose MATCHES "(${expression})([^\n]*)")
      string(STRIP "${CMAKE_MATCH_0}" excerpt)
      string(SUBSTRING "${excerpt}" 0 60 excerpt)
      string(REGEX REPLACE ".* => " "" hint "${phrase}")
      string(APPEND found "\n  ${source}: '${excerpt}...': ${hint}")
    endif()
  endforeach()
  set(found "${found}" PARENT_SCOPE)
endfunction()

set(found "")
foreach(source IN LISTS sources)
  file(READ "${REPOSITORY}/${source}" text)
  if(NOT text MATCHES "^(#![^\n]*\n)?(//|#) SPDX-License-Identifier: MIT\n")
    string(APPEND found "\n  ${source}: the first line is not the SPDX line")
  endif()
  if(text MATCHES "(TO[D]O|FIX[M]E|XX[X])") # the brackets keep this line from matching itself
    string(APPEND found "\n  ${source}: ${CMAKE_MATCH_1}")
  endif()
  if(text MATCHES "${too_long}")
    string(SUBSTRING "${CMAKE_MATCH_0}" 0 60 beginning)
    string(APPEND found "\n  ${source}: a line of more than ${limit} columns: ${beginning}...")
  endif()
  # Benchmarks may sleep, and so may an example that simulates a network. A test that sleeps is slow, and can fail on a
  # busy machine.
  if(source MATCHES "^(tests|examples)/.*\\.[ch]pp$"
     AND NOT source MATCHES "^(tests/benchmarks/|examples/(guide/)?reading_a_report)")
    string(REGEX REPLACE "//[^\n]*" "" code "${text}")
    if(code MATCHES "(this_thread::sleep_[a-z]*|[^a-z_](usleep|nanosleep|sleep) *\\()")
      string(APPEND found "\n  ${source}: ${CMAKE_MATCH_1}")
    endif()
    # clang-tidy does not check using-declarations where .ci/run joins many sources into one.
    string(REGEX MATCHALL "\nusing [A-Za-z_:]+::[A-Za-z_]+" declarations "${code}")
    foreach(declaration IN LISTS declarations)
      string(REGEX REPLACE ".*:" "" name "${declaration}")
      if(NOT code MATCHES "[^A-Za-z_]${name}[^A-Za-z_].*[^A-Za-z_]${name}[^A-Za-z_]")
        string(APPEND found "\n  ${source}: unused using-declaration: ${name}")
      endif()
    endforeach()
  endif()
  if(source MATCHES "\\.[ch]pp$")
    string(REGEX REPLACE "\n *//[/<]* *" "\t" prose "${text}") # each comment follows a tab
    string(REGEX REPLACE "//[/<]* *" "\t" prose "${prose}")
    string(REGEX REPLACE "\n[^\t\n]+" "\n" prose "${prose}")
    string(REPLACE "\t" "\n" prose "${prose}")
    check_phrases(${source} "${prose}")
  endif()
  if(source MATCHES "^include/" AND text MATCHES "\nnamespace forebay(::[a-z]+)* {")
    string(APPEND found "\n  ${source}: a namespace outside forebay::FOREBAY_ABI")
  endif()
endforeach()

file(GLOB_RECURSE documents RELATIVE "${REPOSITORY}" "${REPOSITORY}/tests/*.md" "${REPOSITORY}/.github/*.md"
     "${REPOSITORY}/examples/*.md")
foreach(document IN LISTS documents ITEMS README.md)
  file(READ "${REPOSITORY}/${document}" text)
  string(REGEX REPLACE "```[^`]*```" "" prose "${text}")
  check_phrases(${document} "${prose}")
endforeach()

list(LENGTH sources count)
if(found)
  message(FATAL_ERROR "These sources break the rules:${found}")
endif()
message(STATUS "${count} source files follow the rules.")
