# SPDX-License-Identifier: MIT
#
# Links two translation units that were compiled with different settings. If the settings change the layout of a class,
# linking must fail. Otherwise, the program must link and run. The program is packaging/two_translation_units.
# proves: mixed-builds

cmake_minimum_required(VERSION 3.25) # for the policies

set(sources "${REPOSITORY}/tests/packaging/two_translation_units")
file(REMOVE_RECURSE "${BINARY}")
file(MAKE_DIRECTORY "${BINARY}")

# Compiles one of the units to BINARY/object, with the given include directory and flags.
function(compile unit object include_dir)
  execute_process(
    COMMAND ${compiler} -std=c++20 -pthread "-I${include_dir}" ${ARGN} -c "${sources}/${unit}.cpp" -o
            "${BINARY}/${object}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# Copies the headers to BINARY/name, and replaces each `from` in them with `to`.
function(copy_headers name from to)
  file(COPY "${REPOSITORY}/include" DESTINATION "${BINARY}/${name}")
  file(GLOB_RECURSE headers "${BINARY}/${name}/*.hpp")
  set(replaced OFF)
  foreach(header IN LISTS headers)
    file(READ "${header}" text)
    string(REPLACE "${from}" "${to}" changed "${text}")
    if(NOT changed STREQUAL text)
      file(WRITE "${header}" "${changed}")
      set(replaced ON)
    endif()
  endforeach()
  if(NOT replaced)
    message(FATAL_ERROR "No header contains \"${from}\", so ${name} cannot be tested.")
  endif()
endfunction()

# Links the object files `main` and `object`. Sets `result` to "linked" or "undefined".
function(link result object main)
  execute_process(
    COMMAND ${compiler} -pthread "${BINARY}/${main}" "${BINARY}/${object}" -o "${BINARY}/${object}.program"
    RESULT_VARIABLE status
    OUTPUT_VARIABLE output
    ERROR_VARIABLE output)
  if(status EQUAL 0)
    set(${result} "linked" PARENT_SCOPE)
  elseif(output MATCHES "[Uu]ndefined[^\n]*produce|produce[^\n]*referenced from")
    set(${result} "undefined" PARENT_SCOPE)
  else()
    message(FATAL_ERROR "Linking failed with an unexpected message:\n${output}")
  endif()
endfunction()

function(expect_link_error case object main)
  link(result ${object} ${main})
  if(result STREQUAL "linked")
    message(SEND_ERROR "${case}: the two units were linked.")
  else()
    message(STATUS "${case}: not linked, as expected.")
  endif()
endfunction()

function(expect_program case object main)
  link(result ${object} ${main})
  if(NOT result STREQUAL "linked")
    message(SEND_ERROR "${case}: the two units were not linked.")
    return()
  endif()
  execute_process(COMMAND ${EMULATOR} "${BINARY}/${object}.program" TIMEOUT 300 COMMAND_ERROR_IS_FATAL ANY)
  message(STATUS "${case}: linked, and runs.")
endfunction()

set(compiler "${COMPILER}")
set(include_dir "${REPOSITORY}/include")
compile(main main.o "${include_dir}")

compile(producer same.o "${include_dir}")
expect_program("The same flags" same.o main.o)

compile(producer release.o "${include_dir}" -DNDEBUG -O1)
expect_program("One unit with NDEBUG and optimised" release.o main.o)

copy_headers(another_version "#define FOREBAY_VERSION_PATCH " "#define FOREBAY_VERSION_PATCH 9")
compile(producer another_version.o "${BINARY}/another_version/include")
expect_link_error("Another version" another_version.o main.o)

copy_headers(no_stop_tokens "defined(__cpp_lib_jthread)" "0")
compile(producer no_stop_tokens.o "${BINARY}/no_stop_tokens/include")
expect_link_error("One unit without stop tokens" no_stop_tokens.o main.o)
compile(main main_without_stop_tokens.o "${BINARY}/no_stop_tokens/include")
expect_program("Both without stop tokens" no_stop_tokens.o main_without_stop_tokens.o)

# These settings exist only in libstdc++.
file(WRITE "${BINARY}/which_library.cpp" "#include <version>\n#if !defined(__GLIBCXX__)\n#error\n#endif\n")
execute_process(COMMAND ${compiler} -fsyntax-only "${BINARY}/which_library.cpp" RESULT_VARIABLE other OUTPUT_QUIET
                        ERROR_QUIET)
if(other EQUAL 0)
  compile(producer debug_containers.o "${include_dir}" -D_GLIBCXX_DEBUG)
  expect_link_error("One unit with _GLIBCXX_DEBUG" debug_containers.o main.o)
  compile(producer old_strings.o "${include_dir}" -D_GLIBCXX_USE_CXX11_ABI=0)
  expect_link_error("One unit with the old strings" old_strings.o main.o)
endif()

find_program(clang NAMES clang++-19)
if(clang AND NOT EMULATOR) # it builds for this machine
  set(compiler "${clang}" -stdlib=libc++)
  file(WRITE "${BINARY}/libcxx.cpp" "#include <version>\nint main() {}\n")
  execute_process(COMMAND ${compiler} "${BINARY}/libcxx.cpp" -o "${BINARY}/libcxx" RESULT_VARIABLE missing
                  OUTPUT_QUIET ERROR_QUIET)
  if(missing EQUAL 0)
    compile(main libcxx_main.o "${include_dir}")
    compile(producer libcxx.o "${include_dir}")
    expect_program("libc++" libcxx.o libcxx_main.o)
    compile(producer experimental.o "${include_dir}" -fexperimental-library)
    expect_link_error("libc++, one unit with -fexperimental-library" experimental.o libcxx_main.o)
  endif()
endif()
