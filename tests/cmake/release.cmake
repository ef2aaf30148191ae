# SPDX-License-Identifier: MIT
#
# Makes the release of the checkout in two clones, and checks that
#   - both have the same bytes, whose checksums are in SHA256SUMS,
#   - the archive has the licence of each file, as far as `reuse` is installed.
# Other tests use the first clone (SCRATCH/clone), its release (SCRATCH/release) and the unpacked archive
# (SCRATCH/forebay-VERSION).

cmake_minimum_required(VERSION 3.25) # for the policies

file(REMOVE_RECURSE "${SCRATCH}")
file(MAKE_DIRECTORY "${SCRATCH}/elsewhere")

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
endfunction()

# Commits the checkout in the first clone, so that the release has the changes that are not committed yet, like all
# other tests.
set(clone "${SCRATCH}/clone")
run("${GIT}" clone --quiet --no-checkout "${REPOSITORY}" "${clone}")
run("${GIT}" -C "${REPOSITORY}" "--git-dir=${clone}/.git" --work-tree=. add --all)
run("${GIT}" -C "${clone}" -c user.name=test -c user.email=test@example.invalid -c commit.gpgsign=false commit --quiet
    --allow-empty --message "The checkout")
run("${GIT}" -C "${clone}" reset --quiet --hard)
run("${GIT}" clone --quiet "${clone}" "${SCRATCH}/elsewhere/clone")

set(release "${SCRATCH}/release")
set(second_release "${SCRATCH}/elsewhere/release")
run("${PYTHON}" "${clone}/tests/packaging/release" "${release}")
run("${PYTHON}" "${SCRATCH}/elsewhere/clone/tests/packaging/release" "${second_release}")

file(STRINGS "${release}/SHA256SUMS" sums)
list(LENGTH sums count)
if(NOT count EQUAL 6)
  message(SEND_ERROR "expected 6 files in SHA256SUMS, not ${count}")
endif()
foreach(line IN LISTS sums)
  string(REGEX MATCH "^([0-9a-f]+)  (.*)$" line "${line}")
  foreach(directory IN ITEMS "${release}" "${second_release}")
    file(SHA256 "${directory}/${CMAKE_MATCH_2}" sum)
    if(NOT sum STREQUAL CMAKE_MATCH_1)
      message(SEND_ERROR "${directory}/${CMAKE_MATCH_2} has another checksum than that of the first release")
    endif()
  endforeach()
endforeach()

file(ARCHIVE_EXTRACT INPUT "${release}/forebay-${VERSION}.tar.gz" DESTINATION "${SCRATCH}")
if(REUSE)
  execute_process(COMMAND "${REUSE}" --root "${SCRATCH}/forebay-${VERSION}" lint RESULT_VARIABLE status
                  OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status STREQUAL "0")
    message(SEND_ERROR "reuse lint: ${output}")
  endif()
endif()
