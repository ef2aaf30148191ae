# SPDX-License-Identifier: MIT
#
# Checks that
#   - every link of a document leads to an existing file, and the guide lists all of its pages,
#   - the reference's start page lists all public headers,
#   - the changelog begins with the section of VERSION,
#   - the README states the number of mutants and is short, and its table of speeds has figures of the benchmark,
#   - the GitHub workflow runs .ci/run, like any other CI.

cmake_minimum_required(VERSION 3.25) # for the policies

file(GLOB_RECURSE documents RELATIVE "${REPOSITORY}" "${REPOSITORY}/tests/*.md" "${REPOSITORY}/.github/*.md"
     "${REPOSITORY}/examples/*.md")
set(count 0)
foreach(document IN LISTS documents ITEMS README.md)
  file(READ "${REPOSITORY}/${document}" text)
  get_filename_component(directory "${REPOSITORY}/${document}" DIRECTORY)
  string(REPLACE "](" "<link " text "${text}") # an unpaired bracket would join list elements
  string(REGEX MATCHALL "<link [^)#: \n]+[)#]" links "${text}")
  foreach(link IN LISTS links)
    string(REGEX REPLACE "^<link |[)#]$" "" link "${link}")
    if(NOT EXISTS "${directory}/${link}")
      message(SEND_ERROR "${document} refers to ${link}, which does not exist")
    endif()
    math(EXPR count "${count} + 1")
  endforeach()
endforeach()
if(count LESS 20)
  message(SEND_ERROR "Only ${count} links were found.")
endif()

file(READ "${REPOSITORY}/examples/guide/README.md" contents)
file(GLOB pages RELATIVE "${REPOSITORY}/examples/guide" "${REPOSITORY}/examples/guide/*.md")
list(REMOVE_ITEM pages README.md)
foreach(page IN LISTS pages)
  string(FIND "${contents}" "](${page})" position)
  if(position EQUAL -1)
    message(SEND_ERROR "examples/guide/README.md does not list ${page}")
  endif()
endforeach()

foreach(document IN ITEMS CONTRIBUTING.md SECURITY.md CHANGELOG.md ISSUE_TEMPLATE/bug.yml)
  if(NOT EXISTS "${REPOSITORY}/.github/${document}")
    message(SEND_ERROR ".github/${document} does not exist")
  endif()
endforeach()
file(STRINGS "${REPOSITORY}/.github/CHANGELOG.md" sections REGEX "^## ")
list(GET sections 0 section)
if(NOT section MATCHES "^## ([0-9.]+)" OR NOT CMAKE_MATCH_1 STREQUAL VERSION)
  message(SEND_ERROR "The changelog begins with '${section}', the version is ${VERSION}")
endif()
file(STRINGS "${REPOSITORY}/.github/workflows/ci.yml" runs REGEX " \\.ci/run$")
if(NOT runs)
  message(SEND_ERROR ".github/workflows/ci.yml does not run .ci/run")
endif()
file(STRINGS "${REPOSITORY}/tests/mutants/mutants.txt" mutants REGEX "^mutant: ")
list(LENGTH mutants mutant_count)
file(READ "${REPOSITORY}/README.md" text)
if(NOT text MATCHES "A list of ${mutant_count} plausible bugs")
  message(SEND_ERROR "README.md does not say that there are ${mutant_count} mutants")
endif()

# Counts words as `wc -w` does: separated by spaces and line breaks.
set(most_words 1500)
string(REPLACE ";" "," text "${text}") # a semicolon would separate list elements
string(REGEX REPLACE "[][]" "x" text "${text}") # an unpaired bracket would join them
string(REGEX MATCHALL "[^ \t\r\n]+" words "${text}")
list(LENGTH words word_count)
if(word_count GREATER most_words)
  message(SEND_ERROR "README.md has ${word_count} words, more than ${most_words}: move some to examples/guide")
endif()
message(STATUS "README.md has ${word_count} words.")
message(STATUS "All ${count} links lead to existing files.")

file(READ "${REPOSITORY}/tests/docs/reference.md" start_page)
file(GLOB headers RELATIVE "${REPOSITORY}/include/forebay" "${REPOSITORY}/include/forebay/*.hpp")
foreach(header IN LISTS headers)
  if(NOT start_page MATCHES "[^a-z_]${header}[^a-z]")
    message(SEND_ERROR "tests/docs/reference.md does not list ${header}")
  endif()
endforeach()

# Each row of the table links to the section of the benchmark that has its figures.
file(READ "${REPOSITORY}/tests/benchmarks/README.md" benchmark)
string(REPLACE ";" "," benchmark "${benchmark}")
file(STRINGS "${REPOSITORY}/README.md" rows REGEX "^[|] .*tests/benchmarks/README[.]md#.* [|]$")
list(LENGTH rows count)
if(count LESS 4)
  message(SEND_ERROR "Only ${count} rows of the README's table of speeds were found.")
endif()
foreach(row IN LISTS rows)
  string(REGEX REPLACE "^.*README[.]md#([a-z]+)[)].*$" "\\1" section "${row}")
  string(TOLOWER "${benchmark}" text)
  string(REGEX REPLACE "^.*\n## ${section}\n" "" text "${text}")
  string(REGEX REPLACE "\n## .*$" "" text "${text}")
  string(REGEX REPLACE "^.*[|] [*]*([0-9.]+)[*]* [|] [*]*([0-9.]+)[*]* [|]$" "\\1;\\2" figures "${row}")
  foreach(figure IN LISTS figures)
    string(REPLACE "." "[.]" pattern "${figure}")
    if(NOT figure STREQUAL "1" AND NOT text MATCHES "[^0-9.]${pattern}[^0-9.]")
      message(SEND_ERROR "README.md has the figure ${figure}, which section '${section}' of the benchmark has not")
    endif()
  endforeach()
endforeach()
