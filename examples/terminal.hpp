// SPDX-License-Identifier: MIT
//
// What the standard output can show.

#ifndef FOREBAY_EXAMPLES_TERMINAL_HPP
#define FOREBAY_EXAMPLES_TERMINAL_HPP

#include <cstddef>
#include <cstdlib>
#include <string_view>

#if defined(_WIN32)
#include <io.h>
#else
#include <sys/ioctl.h>
#include <unistd.h>
#endif

/// Colour and a line that rewrites itself are for people at a terminal; a file or a log gets plain lines.
struct Terminal {
  bool live = false;          // a carriage return rewrites the line
  bool colour = false;        // 24-bit colour is welcome
  std::size_t columns = 160;  // what fits side by side; a file is as wide as we like

  static Terminal of_standard_output() {
    Terminal terminal;
#if defined(_WIN32)
    terminal.live = _isatty(1) != 0;
#else
    terminal.live = isatty(STDOUT_FILENO) != 0 && environment("TERM") != "dumb";
    winsize size{};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) terminal.columns = size.ws_col;
#endif
    terminal.colour = terminal.live && environment("NO_COLOR").empty();  // https://no-color.org
    return terminal;
  }

 private:
  static std::string_view environment(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? std::string_view{} : std::string_view{value};
  }
};

#endif  // FOREBAY_EXAMPLES_TERMINAL_HPP
