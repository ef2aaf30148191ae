# SPDX-License-Identifier: MIT
#
# Installs forebay to STAGING, checks that all files are there, and moves it to PREFIX.

cmake_minimum_required(VERSION 3.25) # for the policies

file(REMOVE_RECURSE "${BINARY}" "${STAGING}" "${PREFIX}")
string(REPLACE "|" ";" cross "${CROSS}")

function(run)
  execute_process(COMMAND ${ARGV} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endfunction()
run("${CMAKE_COMMAND}" -S "${REPOSITORY}" -B "${BINARY}" -G "${GENERATOR}" "-DCMAKE_CXX_COMPILER=${COMPILER}" ${cross}
    -DFOREBAY_BUILD_TESTS=OFF -DFOREBAY_BUILD_EXAMPLES=OFF)
run("${CMAKE_COMMAND}" --install "${BINARY}" --prefix "${STAGING}")

file(GLOB_RECURSE headers RELATIVE "${REPOSITORY}" "${REPOSITORY}/include/*.hpp")
foreach(
  file IN
  ITEMS ${headers}
        include/forebay/forebay.cppm
        include/forebay/debug/forebay.natvis
        include/forebay/debug/forebay_gdb.py
        share/cmake/forebay/forebay-config.cmake
        share/cmake/forebay/forebay-config-version.cmake
        share/cmake/forebay/forebay-targets.cmake
        share/doc/forebay/LICENSE
        share/doc/forebay/README.md
        share/pkgconfig/forebay.pc)
  if(NOT EXISTS "${STAGING}/${file}")
    message(SEND_ERROR "${file} was not installed")
  endif()
endforeach()

# Distributions require a .pc file to state a URL of the documentation and a licence.
set(pc_dir "${STAGING}/share/pkgconfig")
file(STRINGS "${pc_dir}/forebay.pc" url REGEX "^URL: file://[$]{pcfiledir}/")
string(REPLACE "URL: file://\${pcfiledir}" "${pc_dir}" url "${url}")
if(url STREQUAL "" OR NOT EXISTS "${url}")
  message(SEND_ERROR "The URL in forebay.pc is missing or leads to no file: ${url}")
endif()
file(STRINGS "${pc_dir}/forebay.pc" licence REGEX "^License: MIT$")
if(licence STREQUAL "")
  message(SEND_ERROR "forebay.pc has no licence")
endif()

file(RENAME "${STAGING}" "${PREFIX}")
