# SPDX-License-Identifier: MIT
#
# Builds and runs a user's project whose CMakeLists.txt has the block of DOCUMENT that contains CONTAINS, verbatim
# except for its placeholders, which become the repository or the archive in RELEASE, the scratch directory of
# release.cmake. With PREFIX, forebay is installed there.

cmake_minimum_required(VERSION 3.25) # for the policies

file(REMOVE_RECURSE "${SCRATCH}")
string(REPLACE "|" ";" cross "${CROSS}")

# ---- The block, without its indentation

file(READ "${REPOSITORY}/${DOCUMENT}" text)
string(REPLACE ";" "\\;" text "${text}")
string(REGEX MATCHALL "\n *```cmake\n[^`]*```" blocks "${text}")
list(FILTER blocks INCLUDE REGEX "${CONTAINS}")
list(LENGTH blocks count)
if(NOT count EQUAL 1)
  message(FATAL_ERROR "${DOCUMENT} has ${count} blocks of CMake that contain ${CONTAINS}, not one")
endif()
string(REGEX REPLACE "\n *```(cmake)?" "\n" snippet "${blocks}")

# ---- What the user fills in

if(snippet MATCHES "<")
  execute_process(COMMAND "${GIT}" -C "${RELEASE}/clone" rev-parse HEAD OUTPUT_VARIABLE commit
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  file(STRINGS "${RELEASE}/release/SHA256SUMS" line REGEX "[.]tar[.]gz$")
  string(REGEX MATCH "^([0-9a-f]+)  (.*)$" line "${line}")
  string(REPLACE "<where you keep it>" "file://${RELEASE}/clone" snippet "${snippet}")
  string(REPLACE "<a commit>" "${commit}" snippet "${snippet}")
  string(REPLACE "<the archive>" "${RELEASE}/release/${CMAKE_MATCH_2}" snippet "${snippet}")
  string(REPLACE "<its checksum>" "${CMAKE_MATCH_1}" snippet "${snippet}")
endif()

# ---- The user's project

set(source "${SCRATCH}/source")
file(WRITE "${source}/CMakeLists.txt" "cmake_minimum_required(VERSION 3.25)\nproject(your_project LANGUAGES CXX)\n"
                                      "add_executable(your_program your_program.cpp)\n${snippet}")
file(COPY_FILE "${REPOSITORY}/tests/packaging/consumer.cpp" "${source}/your_program.cpp")
message(STATUS "The block:\n${snippet}")

set(binary "${SCRATCH}/build")
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
run("${CMAKE_COMMAND}" -S "${source}" -B "${binary}" -G "${GENERATOR}" "-DCMAKE_CXX_COMPILER=${COMPILER}" ${cross}
    -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_PREFIX_PATH=${PREFIX}" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON)
run("${CMAKE_COMMAND}" --build "${binary}" --config Debug)
file(GLOB_RECURSE program "${binary}/your_program" "${binary}/your_program.exe")
run(${EMULATOR} "${program}")

# The block uses SYSTEM, and an installed forebay is always SYSTEM, so users see no warnings of the headers.
if(GENERATOR MATCHES "Makefiles|Ninja" AND NOT COMPILER MATCHES "cl\\.exe$")
  file(READ "${binary}/compile_commands.json" commands)
  if(NOT commands MATCHES "-isystem [^,]*include")
    message(SEND_ERROR "forebay's headers are not system headers:\n${commands}")
  endif()
endif()
