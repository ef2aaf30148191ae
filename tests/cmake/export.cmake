# SPDX-License-Identifier: MIT
#
# Exports and installs a library that has forebay as a subproject. By default the library installs nothing of forebay.
# With FOREBAY_INSTALL=ON it installs all that another project needs to use the library.

cmake_minimum_required(VERSION 3.25) # for the policies

file(REMOVE_RECURSE "${SCRATCH}")
string(REPLACE "|" ";" cross "${CROSS}")

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# Configures and builds the project in packaging/PROJECT.
function(build project binary)
  run("${CMAKE_COMMAND}" -S "${REPOSITORY}/tests/packaging/${project}" -B "${binary}" -G "${GENERATOR}"
      "-DCMAKE_CXX_COMPILER=${COMPILER}" ${cross} -DCMAKE_BUILD_TYPE=Debug "-DREPOSITORY=${REPOSITORY}" ${ARGN})
  run("${CMAKE_COMMAND}" --build "${binary}" --config Debug)
endfunction()

set(binary "${SCRATCH}/library")
set(prefix "${SCRATCH}/prefix")
build(exporting_library "${binary}")
run("${CMAKE_COMMAND}" --install "${binary}" --prefix "${prefix}")
file(GLOB_RECURSE installed RELATIVE "${prefix}" "${prefix}/*")
set(expected include/numbers.hpp share/cmake/numbers/numbers-config.cmake share/cmake/numbers/numbers-targets.cmake)
if(NOT installed STREQUAL expected)
  message(SEND_ERROR "The library should install ${expected}; it installs ${installed}")
endif()

build(exporting_library "${binary}" -DFOREBAY_INSTALL=ON)
run("${CMAKE_COMMAND}" --install "${binary}" --prefix "${prefix}")
build(user_of_library "${SCRATCH}/user" "-DCMAKE_PREFIX_PATH=${prefix}")
file(GLOB_RECURSE consumer "${SCRATCH}/user/consumer" "${SCRATCH}/user/consumer.exe")
run(${EMULATOR} "${consumer}")
