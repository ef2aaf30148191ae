# SPDX-License-Identifier: MIT
#
# Builds and runs a user's Meson project, which finds forebay by the wrap file in RELEASE. Needs no network.

cmake_minimum_required(VERSION 3.25) # for the policies

set(source "${SCRATCH}/source")
set(binary "${SCRATCH}/build")
file(REMOVE_RECURSE "${SCRATCH}")
file(COPY "${REPOSITORY}/tests/packaging/consumer.cpp" DESTINATION "${source}")
file(COPY "${RELEASE}/forebay.wrap" DESTINATION "${source}/subprojects")
file(COPY "${RELEASE}/forebay-${VERSION}.tar.gz" DESTINATION "${source}/subprojects/packagefiles")
file(WRITE "${source}/meson.build" "project('consumer', 'cpp', default_options: 'cpp_std=c++20')
forebay = dependency('forebay', version: '${VERSION}')
executable('consumer', 'consumer.cpp', dependencies: forebay)
")

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

set(ENV{CXX} "${COMPILER}")
run("${MESON}" setup --wrap-mode=forcefallback "${binary}" "${source}") # even if forebay is installed
run("${MESON}" compile -C "${binary}")
run("${binary}/consumer")

# As a subproject, forebay must not install anything.
run("${MESON}" install -C "${binary}" --destdir "${SCRATCH}/installed")
if(EXISTS "${SCRATCH}/installed")
  message(SEND_ERROR "forebay was installed together with a program that uses it")
endif()
