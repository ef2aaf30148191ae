# SPDX-License-Identifier: MIT
#
# What can be made of the headers on request: `cmake --build build --target single_header`.

set(single_header "${PROJECT_BINARY_DIR}/single_header/forebay.hpp")
set(make_single_header "${CMAKE_CURRENT_LIST_DIR}/../cmake/single_header.cmake")
add_custom_command(
  OUTPUT "${single_header}"
  COMMAND ${CMAKE_COMMAND} "-DREPOSITORY=${PROJECT_SOURCE_DIR}" "-DOUTPUT=${single_header}"
          "-DVERSION=${PROJECT_VERSION}" -P "${make_single_header}"
  DEPENDS "${make_single_header}" ${headers} LICENSE
  COMMENT "Making ${single_header}"
  VERBATIM)
add_custom_target(single_header DEPENDS "${single_header}")
