# SPDX-License-Identifier: MIT
#
# Makes a package with the Conan recipe, and runs a program that uses it. Uses Conan (CONAN) if it is installed.
# Otherwise PYTHON runs the recipe with stand-ins for Conan's modules, and the compiler gets the path of the package.

cmake_minimum_required(VERSION 3.25) # for the policies

set(recipe "${REPOSITORY}/tests/packaging/conan")
file(REMOVE_RECURSE "${SCRATCH}")
file(MAKE_DIRECTORY "${SCRATCH}")

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

if(CONAN)
  set(ENV{CONAN_HOME} "${SCRATCH}/home")
  run("${CONAN}" profile detect)
  run("${CONAN}" create "${recipe}" -s compiler.cppstd=20 -c "tools.cmake.cmake_layout:test_folder=${SCRATCH}/test")
  return()
endif()

message(STATUS "Conan is not installed: its recipe runs with stand-ins.")
run("${PYTHON}" -B "${recipe}/without_conan.py" "${SCRATCH}" "${VERSION}")
run("${COMPILER}" -std=c++20 "-I${SCRATCH}/package/include" "${REPOSITORY}/tests/packaging/consumer.cpp" -pthread -o
    "${SCRATCH}/consumer")
run("${SCRATCH}/consumer")
