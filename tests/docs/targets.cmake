# SPDX-License-Identifier: MIT
#
# `cmake --build build --target docs` makes a site in build/site: the guide and the other documents (with mkdocs), and
# the reference (from the pages of Doxygen). `--target reference` makes only the reference, in build/reference, in the
# style of Doxygen, and needs only Doxygen.

find_package(Doxygen QUIET)
find_package(Python3 COMPONENTS Interpreter QUIET)
find_program(FOREBAY_MKDOCS mkdocs)
mark_as_advanced(FOREBAY_MKDOCS)

set(missing_docs_packages "") # their names in Debian
if(NOT Python3_FOUND)
  list(APPEND missing_docs_packages python3)
endif()
if(NOT Doxygen_FOUND)
  list(APPEND missing_docs_packages doxygen)
endif()
if(NOT FOREBAY_MKDOCS)
  list(APPEND missing_docs_packages mkdocs mkdocs-material)
elseif(NOT FOREBAY_MKDOCS_HAS_MATERIAL)
  execute_process(COMMAND "${FOREBAY_MKDOCS}" build --help OUTPUT_VARIABLE mkdocs_help ERROR_QUIET)
  if(mkdocs_help MATCHES "[[|]material[]|]")
    set(FOREBAY_MKDOCS_HAS_MATERIAL ON CACHE INTERNAL "")
  else()
    list(APPEND missing_docs_packages mkdocs-material)
  endif()
endif()

# ---- The reference: the comments of the public headers. Warnings of Doxygen are errors.

if(Doxygen_FOUND)
  set(DOXYGEN_PROJECT_NAME forebay)
  set(DOXYGEN_PROJECT_NUMBER reference)
  set(DOXYGEN_PROJECT_BRIEF "")
  set(DOXYGEN_HTML_OUTPUT reference)
  set(DOXYGEN_GENERATE_TAGFILE "${PROJECT_BINARY_DIR}/reference.tag") # for the site's navigation
  set(DOXYGEN_USE_MDFILE_AS_MAINPAGE "${CMAKE_CURRENT_LIST_DIR}/reference.md")
  set(DOXYGEN_LAYOUT_FILE "${CMAKE_CURRENT_LIST_DIR}/layout.xml")
  set(DOXYGEN_STRIP_FROM_PATH "${PROJECT_SOURCE_DIR}/include")
  set(DOXYGEN_STRIP_FROM_INC_PATH "${PROJECT_SOURCE_DIR}/include")
  set(DOXYGEN_HIDE_UNDOC_MEMBERS YES) # docs.members checks that only internal members have none
  set(DOXYGEN_HIDE_UNDOC_CLASSES YES)
  set(DOXYGEN_WARN_IF_UNDOCUMENTED NO)
  set(DOXYGEN_EXCLUDE_SYMBOLS "*::detail*")
  set(DOXYGEN_JAVADOC_AUTOBRIEF YES)
  set(DOXYGEN_MACRO_EXPANSION YES)
  set(DOXYGEN_EXPAND_ONLY_PREDEF YES)
  # Programs do not name the inline namespace, and use these templates through aliases. So the reference shows the
  # aliases.
  set(DOXYGEN_PREDEFINED "FOREBAY_ABI=" "BasicCoordinator=Coordinator" "BasicProgressWatch=ProgressWatch"
                         "BasicQueueRunner=QueueRunner" "BasicWait=Wait")
  set(DOXYGEN_SORT_MEMBER_DOCS NO) # the order of the header
  set(DOXYGEN_HIDE_SCOPE_NAMES YES)
  set(DOXYGEN_HIDE_COMPOUND_REFERENCE YES)
  set(DOXYGEN_SHOW_INCLUDE_FILES NO)
  set(DOXYGEN_SOURCE_TOOLTIPS NO)
  set(DOXYGEN_ALWAYS_DETAILED_SEC YES) # a section for each member, with its place in the contents and in the search
  set(DOXYGEN_CLASS_GRAPH NO)
  set(DOXYGEN_SEARCHENGINE NO) # the site has one
  set(DOXYGEN_HAVE_DOT NO)
  set(DOXYGEN_QUIET YES)
  set(DOXYGEN_WARN_AS_ERROR FAIL_ON_WARNINGS)
  if(Python3_FOUND)
    set(DOXYGEN_INPUT_FILTER "${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/without_deleted.py")
  endif()
  file(GLOB public_headers CONFIGURE_DEPENDS include/forebay/*.hpp)
  doxygen_add_docs(reference "${DOXYGEN_USE_MDFILE_AS_MAINPAGE}" ${public_headers} COMMENT "Making build/reference")
endif()

# ---- The site

set(FOREBAY_DOCS_TARGET "") # the target that packaging.docs builds
if(TARGET reference)
  set(FOREBAY_DOCS_TARGET reference)
endif()
if(missing_docs_packages)
  list(JOIN missing_docs_packages " " packages)
  add_custom_target(
    docs
    COMMAND ${CMAKE_COMMAND} -E echo "The target docs needs: sudo apt-get install ${packages}. Then configure again."
    COMMAND ${CMAKE_COMMAND} -E false
    VERBATIM)
else()
  configure_file("${CMAKE_CURRENT_LIST_DIR}/mkdocs.yml.in" docs/mkdocs.yml @ONLY)
  add_custom_target(
    docs
    COMMAND "${FOREBAY_MKDOCS}" build --quiet --strict --clean --config-file "${PROJECT_BINARY_DIR}/docs/mkdocs.yml"
    COMMAND Python3::Interpreter "${CMAKE_CURRENT_LIST_DIR}/links.py" "${PROJECT_BINARY_DIR}/site"
            "${PROJECT_SOURCE_DIR}/include/forebay/forebay.cppm"
    COMMENT "Making ${PROJECT_BINARY_DIR}/site/index.html"
    VERBATIM)
  add_dependencies(docs reference)
  set(FOREBAY_DOCS_TARGET docs)
endif()
