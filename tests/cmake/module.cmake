# SPDX-License-Identifier: MIT
#
# Compiles the module without CMake, with either standard library, and a program that imports it and uses every public
# name.

cmake_minimum_required(VERSION 3.25) # for the policies

file(REMOVE_RECURSE "${SCRATCH}")
file(MAKE_DIRECTORY "${SCRATCH}")

function(run)
  execute_process(COMMAND ${ARGV} WORKING_DIRECTORY "${SCRATCH}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()

set(libraries -stdlib=libstdc++)
execute_process(
  COMMAND printf "#include <mutex>"
  COMMAND "${COMPILER}" -std=c++20 -stdlib=libc++ -fsyntax-only -x c++ -
  RESULTS_VARIABLE results ERROR_QUIET)
if(results STREQUAL "0;0")
  list(APPEND libraries -stdlib=libc++)
else()
  message(STATUS "${COMPILER} has no libc++, so the module is built with libstdc++ only.")
endif()

foreach(library IN LISTS libraries)
  set(compile "${COMPILER}" -std=c++20 ${library} -pthread -Wall -Wextra -Wpedantic -Werror)
  run(${compile} "-I${REPOSITORY}/include" --precompile "${REPOSITORY}/include/forebay/forebay.cppm" -o forebay.pcm)
  run("${COMPILER}" -c forebay.pcm -o forebay.o)
  run(${compile} -DFOREBAY_TESTS_IMPORT -fmodule-file=forebay=forebay.pcm
      "${REPOSITORY}/tests/compilers/every_class.cpp" forebay.o -o every_class)
  run("${SCRATCH}/every_class")
  message(STATUS "The module works with ${library}.")
endforeach()
