# SPDX-License-Identifier: MIT
#
# Simulates a cross build: configures forebay for this machine as if it were another one, builds some programs, and runs
# them with ctest. CMAKE_CROSSCOMPILING_EMULATOR, here a shell script that records its arguments, has to run each of
# them. So this test needs no cross compiler.

cmake_minimum_required(VERSION 3.25) # for the policies

file(REMOVE_RECURSE "${SCRATCH}")
file(WRITE "${SCRATCH}/an emulator"
     "#!/bin/sh\nprintf '%s\\n' \"$*\" >>'${SCRATCH}/runs'\n[ \"$1\" = --option ] || exit 1\nshift\nexec \"$@\"\n")
file(CHMOD "${SCRATCH}/an emulator" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
set(emulator "${SCRATCH}/an emulator;--option")

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

set(binary "${SCRATCH}/build")
set(configure "${CMAKE_COMMAND}" -S "${REPOSITORY}" -B "${binary}" -G "${GENERATOR}" "-DCMAKE_CXX_COMPILER=${COMPILER}"
              "-DCMAKE_SYSTEM_NAME=${CMAKE_HOST_SYSTEM_NAME}" -DCMAKE_BUILD_TYPE=Debug -DFOREBAY_TEST_INTERLEAVINGS=OFF)
if(GOOGLETEST) # a downloaded GoogleTest is reused
  list(APPEND configure "-DFETCHCONTENT_SOURCE_DIR_GOOGLETEST=${GOOGLETEST}")
endif()
set(unit forebay_thread_creation_failure_tests)
execute_process(COMMAND ${configure} "-DCMAKE_CROSSCOMPILING_EMULATOR=${emulator}" COMMAND_ERROR_IS_FATAL ANY)
run("${CMAKE_COMMAND}" --build "${binary}" --config Debug --target ${unit} 01_first_queue)
run("${CMAKE_CTEST_COMMAND}" --test-dir "${binary}" -C Debug --output-on-failure --no-tests=error --tests-regex
    "^ThreadCreationFailure|^tutorial.01|^packaging.add_subdirectory$")

file(READ "${SCRATCH}/runs" runs)
foreach(what IN ITEMS "${unit} --gtest_list_tests" "${unit} --gtest_filter=" "01_first_queue" "consumer")
  if(NOT runs MATCHES "--option [^\n]*/${what}")
    message(SEND_ERROR "${what}: not run by the emulator, which ran:\n${runs}")
  endif()
endforeach()

# A program that cannot run does not stop the build, and ctest still lists it.
file(WRITE "${SCRATCH}/for_another_machine" "not a program")
set(list "${SCRATCH}/list.cmake")
execute_process(COMMAND "${CMAKE_COMMAND}" "-DPROGRAM=${SCRATCH}/for_another_machine" "-DLIST=${list}" -DCROSS=ON -P
                        "${CMAKE_CURRENT_LIST_DIR}/discover.cmake" ERROR_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
file(READ "${list}" tests)
if(NOT said MATCHES "CMAKE_CROSSCOMPILING_EMULATOR" OR NOT tests MATCHES "add_test\\(for_another_machine ")
  message(SEND_ERROR "discover.cmake says '${said}' and lists '${tests}'")
endif()
