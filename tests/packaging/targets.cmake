# SPDX-License-Identifier: MIT
#
# What can be made of the headers on request: `cmake --build build --target single_header`.

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

# `cmake --build build --target docs`: the headers' comments and the README as HTML, in build/html. Whatever Doxygen
# warns of is an error.
find_package(Doxygen QUIET)
if(Doxygen_FOUND)
  set(DOXYGEN_PROJECT_NAME forebay)
  set(DOXYGEN_USE_MDFILE_AS_MAINPAGE "${PROJECT_SOURCE_DIR}/README.md")
  set(DOXYGEN_STRIP_FROM_PATH "${PROJECT_SOURCE_DIR}")
  set(DOXYGEN_STRIP_FROM_INC_PATH "${PROJECT_SOURCE_DIR}/include")
  set(DOXYGEN_HIDE_UNDOC_MEMBERS YES) # docs.members checks that only members for internal use have no comment
  set(DOXYGEN_HIDE_UNDOC_CLASSES YES)
  set(DOXYGEN_WARN_IF_UNDOCUMENTED NO)
  set(DOXYGEN_EXCLUDE_SYMBOLS "*::detail*")
  set(DOXYGEN_JAVADOC_AUTOBRIEF YES)
  set(DOXYGEN_MACRO_EXPANSION YES)
  set(DOXYGEN_EXPAND_ONLY_PREDEF YES)
  # Programs do not name the inline namespace, and use these templates through aliases: the reference shows the aliases.
  set(DOXYGEN_PREDEFINED "FOREBAY_ABI=" "BasicCoordinator=Coordinator" "BasicProgressWatch=ProgressWatch"
                         "BasicQueueRunner=QueueRunner" "BasicWait=Wait")
  set(DOXYGEN_SORT_MEMBER_DOCS NO) # the order of the header
  set(DOXYGEN_GENERATE_TREEVIEW YES)
  set(DOXYGEN_HAVE_DOT NO)
  set(DOXYGEN_QUIET YES)
  set(DOXYGEN_WARN_AS_ERROR FAIL_ON_WARNINGS)
  find_package(Python3 COMPONENTS Interpreter QUIET)
  if(Python3_FOUND)
    set(DOXYGEN_INPUT_FILTER "${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/docs/without_deleted.py")
  endif()
  file(GLOB public_headers CONFIGURE_DEPENDS include/forebay/*.hpp)
  file(GLOB_RECURSE pages CONFIGURE_DEPENDS tests/*.md .github/*.md examples/*.md) # the README refers to them
  doxygen_add_docs(docs README.md ${pages} ${public_headers} COMMENT "Making ${PROJECT_BINARY_DIR}/html/index.html")
  foreach(directory IN ITEMS examples include tests) # the README refers to files there
    add_custom_command(
      TARGET docs
      POST_BUILD
      COMMAND ${CMAKE_COMMAND} -E copy_directory "${PROJECT_SOURCE_DIR}/${directory}"
              "${PROJECT_BINARY_DIR}/html/${directory}"
      VERBATIM)
  endforeach()
endif()
