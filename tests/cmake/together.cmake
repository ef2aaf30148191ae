# SPDX-License-Identifier: MIT
#
# Writes to OUTPUT a source that includes all SOURCES, each in its own namespace. The includes of all of them precede
# the namespaces. The paths of SOURCES are relative to REPOSITORY, a directory in the compiler's include path: without
# absolute paths, ccache recognises the source in another checkout.

cmake_minimum_required(VERSION 3.25) # for the policies

set(includes "")
set(text "")
foreach(source IN LISTS SOURCES)
  file(STRINGS "${REPOSITORY}/${source}" lines REGEX "^#include ")
  list(TRANSFORM lines REPLACE "<(forebay/.*)>" "\"\\1\"") # otherwise clang-tidy finds duplicates
  list(APPEND includes ${lines})
  string(MAKE_C_IDENTIFIER "in_${source}" namespace)
  string(APPEND text "\nnamespace ${namespace} {\nnamespace forebay_test { using namespace ::forebay_test; }\n"
                     "#include \"${source}\"  // NOLINT(bugprone-suspicious-include)\n}\n")
endforeach()
list(REMOVE_DUPLICATES includes)
list(SORT includes)
list(JOIN includes "\n" includes)
file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT "@includes@\nnamespace forebay_test {}\n@text@" @ONLY NEWLINE_STYLE UNIX)
