# SPDX-License-Identifier: MIT
#
# Runs the vcpkg port with stand-ins for the functions of vcpkg, which do what those do to a port of headers, and then
# a project that finds what was packaged. Needs no vcpkg and no network.

cmake_minimum_required(VERSION 3.25) # for the policies

set(CURRENT_PORT_DIR "${REPOSITORY}/tests/packaging/vcpkg")
set(CURRENT_PACKAGES_DIR "${SCRATCH}/packages/forebay")
set(PORT forebay)
set(build "${SCRATCH}/build")
file(REMOVE_RECURSE "${SCRATCH}")

function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" SOURCE_PATH OPTIONS)
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -S "${arg_SOURCE_PATH}" -B "${build}" -G "${GENERATOR}"
            "-DCMAKE_CXX_COMPILER=${COMPILER}" -DCMAKE_BUILD_TYPE=Release
            "-DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR}" ${arg_OPTIONS} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(vcpkg_cmake_install)
  execute_process(COMMAND "${CMAKE_COMMAND}" --build "${build}" --target install OUTPUT_QUIET COMMAND_ERROR_IS_FATAL
                          ANY)
endfunction()

# Moves the configuration to share/forebay, which is one directory less deep.
function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" CONFIG_PATH "")
  set(share "${CURRENT_PACKAGES_DIR}/share/${PORT}")
  file(GLOB files "${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}/*.cmake")
  file(COPY ${files} DESTINATION "${share}")
  file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}")
  foreach(file IN LISTS files)
    get_filename_component(name "${file}" NAME)
    file(READ "${share}/${name}" text)
    set(up "get_filename_component(_IMPORT_PREFIX \"\${_IMPORT_PREFIX}\" PATH)\n")
    string(REPLACE "${up}${up}${up}" "${up}${up}" text "${text}")
    file(WRITE "${share}/${name}" "${text}")
  endforeach()
  # An empty directory fails vcpkg's checks of what was packaged.
  get_filename_component(parent "${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}" DIRECTORY)
  file(GLOB left "${parent}/*")
  if(NOT left)
    file(REMOVE_RECURSE "${parent}")
  endif()
endfunction()

function(vcpkg_fixup_pkgconfig)
  if(NOT EXISTS "${CURRENT_PACKAGES_DIR}/share/pkgconfig/forebay.pc")
    message(SEND_ERROR "there is no forebay.pc for vcpkg_fixup_pkgconfig")
  endif()
endfunction()

function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" FILE_LIST)
  file(COPY_FILE "${arg_FILE_LIST}" "${CURRENT_PACKAGES_DIR}/share/${PORT}/copyright")
endfunction()

include("${CURRENT_PORT_DIR}/portfile.cmake")

# What vcpkg would complain about: what is missing, and what a package of headers does not have.
foreach(file IN ITEMS include/forebay/forebay.hpp share/forebay/forebay-config.cmake share/forebay/copyright
                      share/forebay/usage)
  if(NOT EXISTS "${CURRENT_PACKAGES_DIR}/${file}")
    message(SEND_ERROR "${file} was not packaged")
  endif()
endforeach()
foreach(directory IN ITEMS bin lib debug share/cmake)
  if(EXISTS "${CURRENT_PACKAGES_DIR}/${directory}")
    message(SEND_ERROR "a port of headers must not have a directory ${directory}")
  endif()
endforeach()

file(READ "${CURRENT_PORT_DIR}/vcpkg.json" manifest)
string(JSON name GET "${manifest}" name)
string(JSON version GET "${manifest}" version)
if(NOT name STREQUAL PORT OR NOT version STREQUAL VERSION)
  message(SEND_ERROR "vcpkg.json is of ${name} ${version}, the headers are of forebay ${VERSION}")
endif()

# What `usage` tells a user to write is what the project does that is built here.
file(STRINGS "${CURRENT_PORT_DIR}/usage" usage REGEX "^  ")
if(NOT usage MATCHES "find_package\\(forebay CONFIG REQUIRED\\);.*PRIVATE forebay::forebay\\)")
  message(SEND_ERROR "usage does not tell how to find and link forebay: ${usage}")
endif()
set(SOURCE "${REPOSITORY}/tests/packaging/find_package")
set(BINARY "${SCRATCH}/consumer")
set(PREFIX "${CURRENT_PACKAGES_DIR}")
set(WANTED "")
include("${CMAKE_CURRENT_LIST_DIR}/consume.cmake")
