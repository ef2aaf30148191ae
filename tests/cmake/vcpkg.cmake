# SPDX-License-Identifier: MIT
#
# Runs the vcpkg port with stand-ins for vcpkg's functions, and then builds a project that finds the package. The
# stand-ins do what vcpkg does for a header-only port. Needs neither vcpkg nor a network.

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

# Moves the configuration to share/forebay, which is one level higher.
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
  # vcpkg rejects a package with an empty directory.
  get_filename_component(parent "${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}" DIRECTORY)
  file(GLOB left "${parent}/*")
  if(NOT left)
    file(REMOVE_RECURSE "${parent}")
  endif()
endfunction()

function(vcpkg_fixup_pkgconfig)
  if(NOT EXISTS "${CURRENT_PACKAGES_DIR}/share/pkgconfig/forebay.pc")
    message(SEND_ERROR "forebay.pc is missing, which vcpkg_fixup_pkgconfig needs")
  endif()
endfunction()

function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" FILE_LIST)
  file(COPY_FILE "${arg_FILE_LIST}" "${CURRENT_PACKAGES_DIR}/share/${PORT}/copyright")
endfunction()

include("${CURRENT_PORT_DIR}/portfile.cmake")

# vcpkg would report missing files, and directories that a header-only package must not have.
foreach(file IN ITEMS include/forebay/forebay.hpp share/forebay/forebay-config.cmake share/forebay/copyright
                      share/forebay/usage)
  if(NOT EXISTS "${CURRENT_PACKAGES_DIR}/${file}")
    message(SEND_ERROR "${file} was not packaged")
  endif()
endforeach()
foreach(directory IN ITEMS bin lib debug share/cmake)
  if(EXISTS "${CURRENT_PACKAGES_DIR}/${directory}")
    message(SEND_ERROR "a header-only port must not have a directory ${directory}")
  endif()
endforeach()

file(READ "${CURRENT_PORT_DIR}/vcpkg.json" manifest)
string(JSON name GET "${manifest}" name)
string(JSON version GET "${manifest}" version)
if(NOT name STREQUAL PORT OR NOT version STREQUAL VERSION)
  message(SEND_ERROR "vcpkg.json states ${name} ${version}, but the headers are forebay ${VERSION}")
endif()

# `usage` must show the commands of the project that is built here.
file(STRINGS "${CURRENT_PORT_DIR}/usage" usage REGEX "^  ")
if(NOT usage MATCHES "find_package\\(forebay CONFIG REQUIRED\\);.*PRIVATE forebay::forebay\\)")
  message(SEND_ERROR "usage does not show how to find and link forebay: ${usage}")
endif()
set(SOURCE "${REPOSITORY}/tests/packaging/find_package")
set(BINARY "${SCRATCH}/consumer")
set(PREFIX "${CURRENT_PACKAGES_DIR}")
set(WANTED "")
include("${CMAKE_CURRENT_LIST_DIR}/consume.cmake")
