# SPDX-License-Identifier: MIT
#
# Adds the target that makes the single headers: `cmake --build build --target single_header`.

set(make_single_header "${CMAKE_CURRENT_LIST_DIR}/../cmake/single_header.cmake")
set(single_headers "")
function(forebay_add_single_header name umbrella)
  set(output "${PROJECT_BINARY_DIR}/single_header/${name}")
  add_custom_command(
    OUTPUT "${output}"
    COMMAND ${CMAKE_COMMAND} "-DREPOSITORY=${PROJECT_SOURCE_DIR}" "-DUMBRELLA=${umbrella}" "-DOUTPUT=${output}"
            "-DVERSION=${PROJECT_VERSION}" -P "${make_single_header}"
    DEPENDS "${make_single_header}" ${headers} LICENSE
    COMMENT "Making ${output}"
    VERBATIM)
  set(single_headers ${single_headers} "${output}" PARENT_SCOPE)
endfunction()
forebay_add_single_header(forebay.hpp forebay/forebay.hpp)
forebay_add_single_header(forebay_queues.hpp forebay/queues.hpp)
add_custom_target(single_header DEPENDS ${single_headers})

include("${CMAKE_CURRENT_LIST_DIR}/../docs/targets.cmake")
