# SPDX-License-Identifier: MIT
#
# Configures, builds and runs the project in SOURCE from scratch in BINARY, as a user would with only forebay: as a
# checkout (REPOSITORY), or installed (PREFIX). With FAILS_WITH, the configuration has to fail with a matching message.

cmake_minimum_required(VERSION 3.25) # for the policies

file(REMOVE_RECURSE "${BINARY}")
string(REPLACE "|" ";" cross "${CROSS}")

# Runs a step, shows its output, and stops if it fails.
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

set(ENV{PKG_CONFIG_PATH} "${PREFIX}/share/pkgconfig")
set(configure
    "${CMAKE_COMMAND}" -S "${SOURCE}" -B "${BINARY}" -G "${GENERATOR}" "-DCMAKE_CXX_COMPILER=${COMPILER}"
    ${cross} -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_PREFIX_PATH=${PREFIX}" "-DREPOSITORY=${REPOSITORY}" "-DWANTED=${WANTED}")

if(FAILS_WITH)
  execute_process(COMMAND ${configure} RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE errors)
  if(result EQUAL 0)
    message(FATAL_ERROR "The configuration was expected to fail.")
  elseif(NOT errors MATCHES "${FAILS_WITH}")
    message(FATAL_ERROR "The configuration failed, but not with ${FAILS_WITH}:\n${errors}")
  endif()
  return()
endif()

run(${configure})
run("${CMAKE_COMMAND}" --build "${BINARY}" --config Debug)
file(GLOB_RECURSE consumer "${BINARY}/consumer" "${BINARY}/consumer.exe")
run(${EMULATOR} "${consumer}")

# No consumer has install rules, so forebay must not install anything either.
run("${CMAKE_COMMAND}" --install "${BINARY}" --prefix "${BINARY}/installed")
if(EXISTS "${BINARY}/installed")
  message(SEND_ERROR "forebay was installed together with a program that uses it")
endif()
