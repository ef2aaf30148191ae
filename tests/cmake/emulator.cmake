# SPDX-License-Identifier: MIT
#
# What runs programs for another machine runs every program that the scripts here run. The stand-in for an emulator is a
# shell script that writes down what it is given and then runs it; so this needs no compiler for another machine.

cmake_minimum_required(VERSION 3.25) # for the policies

file(REMOVE_RECURSE "${SCRATCH}")
file(WRITE "${SCRATCH}/emulator" "#!/bin/sh\nprintf '%s\\n' \"$*\" >>'${SCRATCH}/runs'\nshift\nexec \"$@\"\n")
file(CHMOD "${SCRATCH}/emulator" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
set(emulator "${SCRATCH}/emulator|--an option")

# Runs a script of this directory; it has to run what is meant, by the emulator and with the option.
function(expect_emulated script program)
  file(WRITE "${SCRATCH}/runs" "")
  execute_process(COMMAND "${CMAKE_COMMAND}" "-DREPOSITORY=${REPOSITORY}" "-DEMULATOR=${emulator}" ${ARGN} -P
                          "${CMAKE_CURRENT_LIST_DIR}/${script}.cmake" OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  file(READ "${SCRATCH}/runs" runs)
  string(FIND "${runs}" "--an option ${program}" found)
  if(found EQUAL -1)
    message(SEND_ERROR "${script}.cmake does not run ${program} by the emulator")
  endif()
endfunction()

set(list "${SCRATCH}/CTestTestfile.cmake")
expect_emulated(discover "${TESTS} --gtest_list_tests" "-DPROGRAM=${TESTS}" "-DLIST=${list}" -DTIMEOUT=60
                -DBY_SUITE=OFF -DCROSS=ON)
file(STRINGS "${list}" first LIMIT_COUNT 1)
string(FIND "${first}" "[==[${SCRATCH}/emulator]==] [==[--an option]==] [==[${TESTS}]==]" found)
if(found EQUAL -1)
  message(SEND_ERROR "ctest does not run the tests by the emulator: ${first}")
endif()

expect_emulated(guarantees "${TESTS} --gtest_list_tests" "-DPROGRAMS=${PROGRAMS}")
if(EXAMPLE)
  expect_emulated(malformed_data "${EXAMPLE} --data" "-DEXAMPLE=${EXAMPLE}" "-DSCRATCH=${SCRATCH}/data"
                  -DDAMAGE=empty_file)
  expect_emulated(tutorial "${TUTORIAL}" "-DPROGRAM=${TUTORIAL}"
                  "-DSOURCE=${REPOSITORY}/examples/01_first_queue.cpp")
endif()

# Without an emulator, a program that does not run here is a test that cannot pass, but no reason to stop the build.
file(WRITE "${SCRATCH}/for_another_machine" "not a program")
execute_process(COMMAND "${CMAKE_COMMAND}" "-DPROGRAM=${SCRATCH}/for_another_machine" "-DLIST=${list}" -DCROSS=ON -P
                        "${CMAKE_CURRENT_LIST_DIR}/discover.cmake" ERROR_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
file(READ "${list}" tests)
if(NOT said MATCHES "CMAKE_CROSSCOMPILING_EMULATOR" OR NOT tests MATCHES "add_test\\(for_another_machine ")
  message(SEND_ERROR "discover.cmake says '${said}' and lists '${tests}'")
endif()
