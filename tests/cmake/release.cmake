# SPDX-License-Identifier: MIT
#
# Makes the release of the last commit in two clones, and checks that
#   - both have the same bytes, whose checksums are in SHA256SUMS,
#   - the archive has the licence of each file, as far as `reuse` is installed,
#   - a program can fetch the archive by its checksum.

cmake_minimum_required(VERSION 3.25) # for the policies

file(REMOVE_RECURSE "${SCRATCH}")
file(MAKE_DIRECTORY "${SCRATCH}/elsewhere")

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
endfunction()

set(first "${SCRATCH}/first")
set(second "${SCRATCH}/elsewhere/second")
foreach(clone IN ITEMS "${first}" "${second}")
  run("${GIT}" clone --quiet "${REPOSITORY}" "${clone}")
  run("${PYTHON}" "${clone}/tests/packaging/release" "${clone}-release")
endforeach()

file(STRINGS "${first}-release/SHA256SUMS" sums)
list(LENGTH sums count)
if(NOT count EQUAL 5)
  message(SEND_ERROR "expected 5 files in SHA256SUMS, not ${count}")
endif()
foreach(line IN LISTS sums)
  string(REGEX MATCH "^([0-9a-f]+)  (.*)$" line "${line}")
  set(file "${CMAKE_MATCH_2}")
  set(expected "${CMAKE_MATCH_1}")
  foreach(release IN ITEMS "${first}" "${second}")
    file(SHA256 "${release}-release/${file}" sum)
    if(NOT sum STREQUAL expected)
      message(SEND_ERROR "${release}-release/${file} has another checksum than that of the first release")
    endif()
  endforeach()
  if(file MATCHES "[.]tar[.]gz$")
    set(archive "${first}-release/${file}")
    set(checksum "${expected}")
  endif()
endforeach()

if(REUSE)
  file(ARCHIVE_EXTRACT INPUT "${archive}" DESTINATION "${SCRATCH}/extracted")
  file(GLOB extracted "${SCRATCH}/extracted/*")
  execute_process(COMMAND "${REUSE}" --root "${extracted}" lint RESULT_VARIABLE status OUTPUT_VARIABLE output
                  ERROR_VARIABLE output)
  if(NOT status STREQUAL "0")
    message(SEND_ERROR "reuse lint: ${output}")
  endif()
endif()

execute_process(
  COMMAND "${CMAKE_COMMAND}" "-DSOURCE=${REPOSITORY}/tests/packaging/fetch_archive" "-DBINARY=${SCRATCH}/consumer"
          "-DGENERATOR=${GENERATOR}" "-DCOMPILER=${COMPILER}" "-DCROSS=${CROSS}" "-DREPOSITORY=${archive}"
          "-DWANTED=${checksum}" -P "${REPOSITORY}/tests/cmake/consume.cmake" COMMAND_ERROR_IS_FATAL ANY)
