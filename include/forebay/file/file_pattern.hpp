// SPDX-License-Identifier: MIT
//
// file_pattern.hpp: FilePattern, a file name with wildcards.

#ifndef FOREBAY_FILE_FILE_PATTERN_HPP
#define FOREBAY_FILE_FILE_PATTERN_HPP

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Returns whether `name` matches `pattern`, in which `*` stands for any characters and `?` for one.
[[nodiscard]] inline bool matches_wildcards(std::string_view name, std::string_view pattern) noexcept {
  std::size_t at = 0;
  std::size_t next = 0;
  std::size_t star = std::string_view::npos;  // the last one; everything up to it matches
  std::size_t star_ends = 0;                  // where the characters end that it stands for
  while (at < name.size()) {
    if (next < pattern.size() && pattern[next] == '*') {
      star = next++;
      star_ends = at;
    } else if (next < pattern.size() && (pattern[next] == '?' || pattern[next] == name[at])) {
      ++at;
      ++next;
    } else if (star != std::string_view::npos) {
      next = star + 1;
      at = ++star_ends;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', next) == std::string_view::npos;
}

/// A pattern, split into its directory and the pattern of the file names in it.
class FilePattern {
 public:
  /// Throws std::invalid_argument if the pattern has wildcards in a directory, or `**`.
  explicit FilePattern(const std::string& pattern) {
#if defined(_WIN32)
    const std::size_t separator = pattern.find_last_of("/\\:");
#else
    const std::size_t separator = pattern.rfind('/');
#endif
    const std::size_t length = separator == std::string::npos ? 0 : separator + 1;
    directory_ = pattern.substr(0, length);
    name_ = pattern.substr(length);
    if (directory_.find_first_of("*?") != std::string::npos || name_.find("**") != std::string::npos) {
      throw std::invalid_argument("forebay: list_files: only the last component may contain * or ?, and never **: " +
                                  pattern);
    }
  }

  /// Returns the directory with its separator, as in the pattern; empty for the current directory.
  [[nodiscard]] const std::string& directory() const noexcept { return directory_; }

  [[nodiscard]] bool has_wildcards() const noexcept { return name_.find_first_of("*?") != std::string::npos; }

  /// Returns whether the name of a file in the directory matches. As in a shell, a wildcard matches no leading dot.
  [[nodiscard]] bool matches(const std::string& name) const noexcept {
    const bool is_hidden = !name.empty() && name[0] == '.' && name_[0] != '.';
    return !is_hidden && matches_wildcards(name, name_);
  }

 private:
  std::string directory_;
  std::string name_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_FILE_FILE_PATTERN_HPP
