# SPDX-License-Identifier: MIT
#
# Runs programs and compares their standard output with the text in DOCUMENT. PROGRAMS is a list of source=program,
# separated by |.
#
#   - A page of the guide shows its program, or parts of it, followed by one "It prints:" and a block of text.
#   - Each block of C++ in the README is a whole program, followed by "It prints:" and a block of text.
#
# Each program must end with exit status 0.

cmake_minimum_required(VERSION 3.25) # for the policies

file(READ "${REPOSITORY}/${DOCUMENT}" document)
string(REPLACE "|" ";" programs "${PROGRAMS}")

# Sets `block` to the first block of `language` in `text`, without its fences, `before` to what precedes it, and `rest`
# to what follows it.
function(next_block text language)
  string(FIND "\n${text}" "\n```${language}\n" begin)
  if(begin EQUAL -1)
    set(block "")
    set(before "${text}")
    set(rest "")
    return(PROPAGATE block before rest)
  endif()
  string(SUBSTRING "${text}" 0 ${begin} before)
  string(LENGTH "```${language}\n" length)
  math(EXPR begin "${begin} + ${length}")
  string(SUBSTRING "${text}" ${begin} -1 text)
  string(FIND "\n${text}" "\n```\n" end)
  if(end EQUAL -1)
    message(FATAL_ERROR "${DOCUMENT}: a block of ${language} is not closed")
  endif()
  string(SUBSTRING "${text}" 0 ${end} block)
  math(EXPR end "${end} + 4")
  string(SUBSTRING "${text}" ${end} -1 rest)
  return(PROPAGATE block before rest)
endfunction()

# Runs the program, and compares its output with the text that follows the sentence "It prints:".
function(check_output program text)
  next_block("${text}" text)
  if(NOT before MATCHES "It prints:\n\n$")
    message(FATAL_ERROR "${DOCUMENT} must give the output of ${program} as \"It prints:\", an empty line, ```text")
  endif()
  execute_process(COMMAND ${program} TIMEOUT 300 RESULT_VARIABLE status OUTPUT_VARIABLE printed)
  if(NOT status STREQUAL "0") # "Process terminated due to timeout" if it hangs
    message(SEND_ERROR "${program}: expected exit status 0, not ${status}")
  endif()
  if(NOT printed STREQUAL block)
    message(SEND_ERROR "${DOCUMENT} says that ${program} prints:\n${block}\nIt prints:\n${printed}")
  endif()
endfunction()

if(NOT DOCUMENT STREQUAL "README.md")
  list(GET programs 0 program)
  string(REGEX REPLACE "^[^=]*=" "" program "${program}")
  string(FIND "${document}" "```cpp\n" shown)
  string(FIND "${document}" "It prints:\n" prints)
  if(shown EQUAL -1 OR prints LESS shown)
    message(FATAL_ERROR "${DOCUMENT} does not show its program, followed by its output")
  endif()
  string(SUBSTRING "${document}" ${prints} -1 document)
  check_output("${program}" "${document}")
  return()
endif()

# Sets `program` to the program whose source, from the first #include on, equals `code`.
function(find_program_of code)
  foreach(candidate IN LISTS programs)
    string(REGEX MATCH "^([^=]*)=(.*)$" candidate "${candidate}")
    set(program "${CMAKE_MATCH_2}")
    file(READ "${CMAKE_MATCH_1}" source)
    string(FIND "${source}" "#include" begin)
    string(SUBSTRING "${source}" ${begin} -1 source)
    string(REGEX REPLACE "\n\n// Prints:\n.*$" "\n" source "${source}") # the end of a tutorial
    if(source STREQUAL code)
      return(PROPAGATE program)
    endif()
  endforeach()
  message(FATAL_ERROR "This block of ${DOCUMENT} is not a complete program of the examples:\n${code}")
endfunction()

set(count 0)
next_block("${document}" cpp)
while(block)
  set(after "${rest}")
  find_program_of("${block}")
  check_output("${program}" "${after}")
  math(EXPR count "${count} + 1")
  next_block("${after}" cpp)
endwhile()
if(count EQUAL 0)
  message(FATAL_ERROR "There is no C++ in ${DOCUMENT}.")
endif()
message(STATUS "${DOCUMENT} shows the output of ${count} programs.")
