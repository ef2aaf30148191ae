# SPDX-License-Identifier: MIT
#
# Precompiles the header forebay/NAME.hpp into DIRECTORY for the tests of the compiler's messages, most of whose time
# goes into the headers. misuse.cmake uses the result.

cmake_minimum_required(VERSION 3.25) # for the policies

set(output "${DIRECTORY}/forebay/${NAME}.hpp.gch") # where GCC looks for it
file(MAKE_DIRECTORY "${DIRECTORY}/forebay")
execute_process(
  COMMAND "${COMPILER}" -std=c++20 "-I${REPOSITORY}/include" -x c++-header "${REPOSITORY}/include/forebay/${NAME}.hpp"
          -o "${output}" COMMAND_ERROR_IS_FATAL ANY)
