# SPDX-License-Identifier: MIT
#
# Applies DAMAGE to a copy of the example's data and runs EXAMPLE on it. EXAMPLE has to end with exit status 1 and one
# line on standard error that names the file and, if the system gives one, the reason.
#
# WITHOUT_PRIVILEGES is a command, its words separated by |, that makes file permissions apply to root.

cmake_minimum_required(VERSION 3.25) # for the policies

set(original "${REPOSITORY}/examples/data/fashion-mnist")
file(REMOVE_RECURSE "${SCRATCH}")
file(MAKE_DIRECTORY "${SCRATCH}")
file(GLOB data "${original}/*-ubyte")
file(COPY ${data} DESTINATION "${SCRATCH}")

set(images train-images-idx3-ubyte)
set(labels train-labels-idx1-ubyte)

# Changes files through the shell, because CMake cannot write a zero byte.
function(shell command)
  execute_process(COMMAND sh -ec "${command}" WORKING_DIRECTORY "${SCRATCH}" ERROR_QUIET COMMAND_ERROR_IS_FATAL ANY)
endfunction()
function(truncate file bytes)
  shell("head -c ${bytes} ${file} > shorter; mv shorter ${file}")
endfunction()
function(overwrite file offset octal_bytes)
  shell("printf '${octal_bytes}' | dd of=${file} bs=1 seek=${offset} conv=notrunc")
endfunction()

set(culprit ${images})
set(reason "")
set(run "\"$0\" --data \"$1\"")
if(DAMAGE STREQUAL "missing_file")
  set(culprit ${labels})
  set(reason "No such file or directory")
  file(REMOVE "${SCRATCH}/${labels}")
elseif(DAMAGE STREQUAL "missing_directory")
  set(culprit ${SCRATCH})
  set(reason "No such file or directory")
  file(REMOVE_RECURSE "${SCRATCH}")
elseif(DAMAGE STREQUAL "directory_for_file")
  set(reason "[Ii]s a directory")
  shell("rm ${images}; mkdir ${images}")
elseif(DAMAGE MATCHES "^fifo_(.*)$") # opening it would block forever
  set(culprit ${CMAKE_MATCH_1})
  set(reason "is not a regular file")
  shell("rm ${culprit}; mkfifo ${culprit}")
elseif(DAMAGE STREQUAL "endless_device")
  set(reason "is not a regular file")
  shell("rm ${images}; ln -s /dev/zero ${images}")
elseif(DAMAGE STREQUAL "circular_link")
  set(reason "Too many levels of symbolic links|Symbolic link loop") # glibc, musl
  shell("rm ${images}; ln -s ${images} ${images}")
elseif(DAMAGE STREQUAL "unreadable_directory") # the directory has no search permission
  set(culprit ${SCRATCH})
  set(reason "Permission denied")
  shell("chmod 600 .")
elseif(DAMAGE MATCHES "^unreadable_(.*)$")
  set(culprit ${CMAKE_MATCH_1})
  set(reason "Permission denied")
  shell("chmod 200 ${culprit}")
elseif(DAMAGE MATCHES "^descriptors_(.*)$")
  set(culprit ${SCRATCH})
  set(reason "Too many open files|No file descriptors available") # glibc, musl
  set(run "exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-; ulimit -n ${CMAKE_MATCH_1} && ${run}")
elseif(DAMAGE STREQUAL "truncated_images")
  truncate(${images} 500000)
elseif(DAMAGE STREQUAL "truncated_labels")
  set(culprit ${labels})
  truncate(${labels} 1000)
elseif(DAMAGE STREQUAL "truncated_test_images")
  set(culprit t10k-images-idx3-ubyte)
  truncate(${culprit} 300000)
elseif(DAMAGE STREQUAL "truncated_header")
  truncate(${images} 7)
elseif(DAMAGE STREQUAL "trailing_byte")
  shell("printf x >> ${images}")
elseif(DAMAGE STREQUAL "wrong_magic") # the magic number of a label file
  overwrite(${images} 0 "\\000\\000\\010\\001")
elseif(DAMAGE STREQUAL "wrong_extent") # 27 rows
  overwrite(${images} 8 "\\000\\000\\000\\033")
elseif(DAMAGE STREQUAL "empty_file")
  truncate(${images} 0)
elseif(DAMAGE STREQUAL "no_records")
  overwrite(${images} 4 "\\000\\000\\000\\000")
  truncate(${images} 16)
elseif(DAMAGE STREQUAL "counts_disagree") # each file is valid, but not both together
  set(culprit ${labels})
  overwrite(${labels} 4 "\\000\\000\\003\\350")
  truncate(${labels} 1008)
elseif(DAMAGE STREQUAL "label_12") # detected only after training has begun
  set(culprit ${labels})
  overwrite(${labels} 1500 "\\014")
else()
  message(FATAL_ERROR "unknown damage: ${DAMAGE}")
endif()

string(REPLACE "|" ";" without_privileges "${WITHOUT_PRIVILEGES}")
execute_process(COMMAND ${without_privileges} sh -c "${run}" "${EXAMPLE}" "${SCRATCH}" TIMEOUT 300
                RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE errors)
if(DAMAGE STREQUAL "unreadable_directory")
  file(CHMOD "${SCRATCH}" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE) # so that it can be removed
endif()
file(REMOVE_RECURSE "${SCRATCH}")

message(STATUS "exit status ${status}, standard error: ${errors}")
if(NOT status STREQUAL "1") # "Process terminated due to timeout" if it hung
  message(SEND_ERROR "expected exit status 1")
endif()
if(NOT errors MATCHES "^[^\n]+\n$")
  message(SEND_ERROR "expected one line on standard error")
endif()
string(FIND "${errors}" "${culprit}" named)
if(named EQUAL -1)
  message(SEND_ERROR "expected this name on standard error: ${culprit}")
endif()
if(NOT errors MATCHES "${reason}")
  message(SEND_ERROR "expected this reason on standard error: ${reason}")
endif()
