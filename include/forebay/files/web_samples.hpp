// SPDX-License-Identifier: MIT
//
// web_samples.hpp: WebSamples, which reads the samples of a tar archive in the format WebDataset: neighbouring files
// whose names differ only in their extensions.

#ifndef FOREBAY_FILES_WEB_SAMPLES_HPP
#define FOREBAY_FILES_WEB_SAMPLES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "forebay/files/tar_scanner.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// The name of a file, split at the first dot of its last component.
struct WebName {
  std::string_view key;
  std::string_view extension;
};

/// Returns nothing for a file that belongs to no sample: its last component begins with a dot or has no extension, or
/// its first component is `__x__`, such as `__index__`.
[[nodiscard]] inline std::optional<WebName> web_name(std::string_view name) noexcept {
  const std::string_view first = name.substr(0, name.find('/'));
  if (first.size() >= 4 && first.starts_with("__") && first.ends_with("__")) return std::nullopt;
  const std::size_t begin = name.rfind('/') + 1;  // 0 without a slash
  const std::size_t dot = name.find('.', begin);
  if (dot == begin || dot == std::string_view::npos || dot + 1 == name.size()) return std::nullopt;
  return WebName{name.substr(0, dot), name.substr(dot + 1)};
}

/// The bytes of a sample's files, by extension.
using WebFields = std::map<std::string, std::string, std::less<>>;

/// Reads samples. It has always read the header of the file that follows a sample. Source is File or FilePart.
template <class Source>
class WebSamples {
 public:
  explicit WebSamples(Source source, TarGlobals globals = nullptr) : files_(std::move(source), std::move(globals)) {}

  /// Reads the next sample. Returns false at the end of the archive. Throws a FileError; the sample around the damage,
  /// or those next to it, are then left out, because files of theirs may be missing.
  bool next(std::string& key, WebFields& fields) { return read(key, &fields); }

  /// Passes over the next sample without reading its bytes.
  bool skip() { return read(skipped_key_, nullptr); }

  /// Returns where the next sample begins.
  [[nodiscard]] std::string cursor() const {
    return is_waiting_ ? TarCursor{file_.begin, file_.globals}.text() : files_.cursor();
  }
  void seek(const std::string& cursor) {
    is_waiting_ = false;
    files_.seek(cursor);
  }

  /// Return where the last sample begins, the global headers that apply there, and where the bytes of its last file
  /// end.
  [[nodiscard]] std::uint64_t begin() const noexcept { return begin_; }
  [[nodiscard]] const TarGlobals& globals() const noexcept { return globals_; }
  [[nodiscard]] std::uint64_t end() const noexcept { return end_; }

  [[nodiscard]] const std::string& name() const noexcept { return files_.name(); }

 private:
  /// Reads into `fields`, unless they are null.
  bool read(std::string& key, WebFields* fields) {
    if (!is_waiting_ && !advance()) return false;
    if (follows_damage_ && !pass_key()) return false;
    key = key_;
    begin_ = file_.begin;
    globals_ = file_.globals;
    extensions_.clear();
    std::optional<Duplicate> duplicate;
    do {
      is_waiting_ = false;  // also if its bytes cannot be read
      end_ = file_.end();
      if (std::find(extensions_.begin(), extensions_.end(), extension_) != extensions_.end()) {
        if (!duplicate) duplicate = Duplicate{file_.begin, extension_};
        continue;
      }
      extensions_.push_back(extension_);
      if (fields != nullptr && !duplicate) files_.read(file_, (*fields)[extension_]);
    } while (advance() && key_ == key);
    if (duplicate) fail(*duplicate, key);
    if (fields != nullptr && fields->size() > extensions_.size()) remove_others(*fields);
    return true;
  }

  /// Finds the next file that belongs to a sample.
  bool advance() {
    is_waiting_ = follows_damage_ = false;
    while (files_.next(file_)) {
      follows_damage_ = follows_damage_ || file_.follows_damage;
      const std::optional<WebName> name = web_name(file_.name);
      if (!name) continue;
      key_ = name->key;
      extension_ = name->extension;
      for (char& letter : extension_) {
        if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
      }
      is_waiting_ = true;
      return true;
    }
    return false;
  }

  /// Passes over the files of the current key.
  bool pass_key() {
    const std::string key = key_;
    while (advance()) {
      if (key_ != key) return true;
    }
    return false;
  }

  /// Removes the fields of an earlier sample whose memory was used again.
  void remove_others(WebFields& fields) const {
    std::erase_if(fields, [this](const auto& field) {
      return std::find(extensions_.begin(), extensions_.end(), field.first) == extensions_.end();
    });
  }

  struct Duplicate {
    std::uint64_t position;
    std::string extension;
  };
  [[noreturn]] void fail(const Duplicate& duplicate, const std::string& key) {
    files_.fail(duplicate.position,
                "the sample \"" + key + "\" has two files with the extension \"" + duplicate.extension + '"',
                files_.position());
  }

  TarScanner<Source> files_;
  TarFile file_;
  std::string key_;
  std::string extension_;
  bool is_waiting_ = false;      // whether file_ begins the next sample
  bool follows_damage_ = false;  // whether files of its sample may be missing
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
  TarGlobals globals_;
  std::vector<std::string> extensions_;  // of the current sample
  std::string skipped_key_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_FILES_WEB_SAMPLES_HPP
