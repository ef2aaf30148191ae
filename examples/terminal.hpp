// SPDX-License-Identifier: MIT
//
// What the standard output can show, and whether writing to it succeeded.

#ifndef FOREBAY_EXAMPLES_TERMINAL_HPP
#define FOREBAY_EXAMPLES_TERMINAL_HPP

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <mutex>
#include <ostream>
#include <string>
#include <string_view>
#include <system_error>

#if defined(_WIN32)
#include <io.h>
#else
#include <sys/ioctl.h>
#include <unistd.h>
#endif

/// A terminal gets colour and a line that is rewritten; a file or a log gets plain lines.
struct Terminal {
  bool live = false;     // a carriage return rewrites the line
  bool escapes = false;  // escape sequences move the cursor
  bool colour = false;   // supports 24-bit colour and block characters

  static Terminal of_standard_output() {
    Terminal terminal;
#if defined(_WIN32)
    terminal.live = _isatty(1) != 0;
#else
    const std::string_view kind = environment("TERM");
    terminal.live = isatty(STDOUT_FILENO) != 0 && !kind.empty() && kind != "dumb";
    terminal.escapes = terminal.live;
#endif
    // NO_COLOR: https://no-color.org
    terminal.colour = terminal.live && environment("NO_COLOR").empty() && expects_utf8();
    return terminal;
  }

  /// Returns the current number of columns, which changes with the size of the window. COLUMNS overrides it.
  [[nodiscard]] std::size_t columns() const {
    const std::string_view wish = environment("COLUMNS");
    std::size_t columns = 0;
    std::from_chars(wish.data(), wish.data() + wish.size(), columns);
    if (columns > 0) return columns;
#if !defined(_WIN32)
    winsize size{};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
#endif
    return live ? 80 : 160;  // the output is a file
  }

  /// Returns the current number of lines of the terminal.
  [[nodiscard]] std::size_t rows() const {
#if !defined(_WIN32)
    winsize size{};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0) return size.ws_row;
#endif
    return 24;
  }

 private:
  static std::string_view environment(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? std::string_view{} : std::string_view{value};
  }

  /// Returns whether the locale uses UTF-8. The first of the three variables that is set names it, such as en_GB.UTF-8.
  static bool expects_utf8() {
    for (const char* const name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
      const std::string_view locale = environment(name);
      if (locale.empty()) continue;
      std::string letters;  // utf8 is as good as UTF-8
      for (const char c : locale) {
        if (c != '-') letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      }
      return letters.find("utf8") != std::string::npos;
    }
    return false;
  }
};

/// Returns the words of `text` in lines of fewer than `columns` characters, unless a word is longer.
inline std::string wrapped(std::string_view text, std::size_t columns) {
  std::string lines;
  std::size_t length = 0;  // of the last line
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    const bool fits = length + 1 + word.size() < columns;
    if (length > 0) lines += fits ? ' ' : '\n';
    length = fits && length > 0 ? length + 1 + word.size() : word.size();
    lines += word;
  }
  return lines + '\n';
}

/// Writes the text in one piece, even if other threads print, and flushes it. Throws std::system_error if the disk is
/// full or the output is closed, also if an earlier attempt has failed.
inline void print(std::ostream& out, std::string_view text) {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  out.clear();
  errno = 0;
  if (!(out << text << std::flush)) throw std::system_error(errno, std::generic_category(), "standard output");
}

#endif  // FOREBAY_EXAMPLES_TERMINAL_HPP
