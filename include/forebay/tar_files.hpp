// SPDX-License-Identifier: MIT

/// @file
/// Defines the data sets of tar archives: tar_entries, webdataset, and both with random access.
///
/// @code
/// auto entries = forebay::tar_entries("images.tar");   // a Dataset<TarEntry>
/// auto samples = forebay::webdataset(forebay::list_files("train-*.tar"))
///                    .map(4, [](const forebay::WebSample& sample) { return decode(sample["jpg"], sample["cls"]); });
/// @endcode
///
/// When to use: webdataset for archives of samples, each in several files; tar_entries for any other archive. With
/// indexed_tar_entries and indexed_webdataset, shuffle(), take, shard and checkpoints cost no reads. The readers are
/// for flat_map and interleave, for example to read eight archives at once:
///
/// @code
/// from_slices(names).interleave({.cycle = 8, .prefetch = 64}, [](const std::string& name) {
///   return forebay::WebSampleReader(name, {.buffer_size = 1 << 20});
/// })
/// @endcode
///
/// Formats: v7, ustar, pax and GNU, as GNU tar, bsdtar and Python's tarfile write them. Checksums are verified. The
/// path and the size in a global pax header apply to all files that follow. GNU sparse files are failures. An archive
/// ends at a block of zeros or at the end of the file; a file without bytes is a failure. A compressed
/// archive is a failure that names the format.
///
/// Names are data: the library reads archives, but never creates, opens or links the files that they name. A name may
/// be absolute or contain `..`; check it before you use it as a path.
///
/// Thread safety: any number of threads may call the functions. Only one thread at a time may use a reader.

#ifndef FOREBAY_TAR_FILES_HPP
#define FOREBAY_TAR_FILES_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/dataset_options.hpp"
#include "forebay/file.hpp"
#include "forebay/files/file_extents.hpp"
#include "forebay/files/file_part.hpp"
#include "forebay/files/file_reader.hpp"
#include "forebay/files/open_files.hpp"
#include "forebay/files/tar_scanner.hpp"
#include "forebay/files/web_samples.hpp"
#include "forebay/indexed_dataset.hpp"
#include "forebay/source/line_reader.hpp"
#include "forebay/sources.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

/// Holds a file of a tar archive.
struct TarEntry {
  /// Holds the name as it is in the archive, with directories.
  std::string name;
  /// Holds the contents of the file.
  std::string bytes;

  /// Compares names and bytes.
  [[nodiscard]] bool operator==(const TarEntry& other) const = default;
};

/// Holds a sample of a WebDataset: the files of an archive whose names differ only in their extensions.
///
/// @code
/// sample.key      // "train/0001", of "train/0001.seg.png" and "train/0001.CLS"
/// sample["cls"]   // the bytes of "train/0001.CLS"
/// sample.bytes    // {"cls", ...}, {"seg.png", ...}
/// @endcode
struct WebSample {
  /// Holds the common name: the path up to the first dot of its last component.
  std::string key;
  /// Holds the contents of the files by their extensions, which are in lower case and have no leading dot.
  std::map<std::string, std::string, std::less<>> bytes;

  /// Returns the contents of the file with this extension. Throws std::out_of_range, which names the sample, if there
  /// is none.
  [[nodiscard]] const std::string& operator[](std::string_view extension) const {
    const auto found = bytes.find(extension);
    if (found != bytes.end()) return found->second;
    throw std::out_of_range("forebay: the sample \"" + key + "\" has no \"" + std::string(extension) + '"');
  }

  /// Compares keys, extensions and bytes.
  [[nodiscard]] bool operator==(const WebSample& other) const = default;
};

/// @name Readers
/// @{

/// Reads the files of a tar archive. See tar_entries.
class TarEntryReader : public detail::FileReader {
 public:
  /// Opens the archive. Throws a FileError.
  explicit TarEntryReader(std::string name, const FileOptions& options = {})
      : files_(File(std::move(name), options)) {}

  /// Fills `into` with the next file. Returns false at the end of the archive. Throws a FileError if the archive is
  /// damaged. The next call then searches for the next header, or returns false if the archive has ended too early.
  bool operator()(TarEntry& into) {
    if (!files_.next(file_)) return false;
    into.name = file_.name;
    files_.read(file_, into.bytes);
    return true;
  }

  /// Skips up to `count` files, reading only their headers. Returns how many, fewer only at the end of the archive.
  std::uint64_t skip(std::uint64_t count) {
    std::uint64_t skipped = 0;
    while (skipped < count && files_.next(file_)) ++skipped;
    return skipped;
  }

  /// Returns where the next call continues, as text: the position of the next header, or of where to search for one,
  /// and the contents of the global headers.
  [[nodiscard]] std::string cursor() const { return files_.cursor(); }
  /// Continues at a position that cursor() has returned. Throws a FileError if the archive ends before it.
  void seek(const std::string& cursor) { files_.seek(cursor); }

  /// Returns the archive and the byte at which the last file begins: "images.tar: byte 1024".
  [[nodiscard]] std::string location() const { return files_.name() + ": byte " + std::to_string(file_.begin); }

 private:
  detail::TarScanner<File> files_;
  detail::TarFile file_;
};

/// Reads the samples of a tar archive. See webdataset.
class WebSampleReader : public detail::FileReader {
 public:
  /// Opens the archive. Throws a FileError.
  explicit WebSampleReader(std::string name, const FileOptions& options = {})
      : samples_(File(std::move(name), options)) {}

  /// Fills `into` with the next sample. Returns false at the end of the archive. Throws a FileError if the archive is
  /// damaged. The next call then leaves out the samples that may be incomplete.
  bool operator()(WebSample& into) { return samples_.next(into.key, into.bytes); }

  /// Skips up to `count` samples, reading only headers. Returns how many, fewer only at the end of the archive.
  std::uint64_t skip(std::uint64_t count) {
    std::uint64_t skipped = 0;
    while (skipped < count && samples_.skip()) ++skipped;
    return skipped;
  }

  /// Returns where the next sample begins, as a text like that of TarEntryReader. The reader has usually read the
  /// header there.
  [[nodiscard]] std::string cursor() const { return samples_.cursor(); }
  /// Continues at a position that cursor() has returned. Throws a FileError if the archive ends before it.
  void seek(const std::string& cursor) { samples_.seek(cursor); }

  /// Returns the archive and the byte at which the last sample begins: "train.tar: byte 1024".
  [[nodiscard]] std::string location() const { return samples_.name() + ": byte " + std::to_string(samples_.begin()); }

 private:
  detail::WebSamples<File> samples_;
};

/// @}

namespace detail {

/// Reads the headers of all files. `next(extent, globals)`, made by `open(File)`, finds the next element.
template <class Open>
[[nodiscard]] std::shared_ptr<const FileExtents> index_of(const std::vector<std::string>& names, Open open) {
  std::vector<KnownFile> files;
  std::vector<std::size_t> ends;
  std::vector<FileExtent> extents;
  std::vector<GlobalsFrom> changes;
  for (const std::string& name : names) {
    File file = open_regular_file(name, {.buffer_size = 4096});  // for headers, which are far apart
    files.push_back({name, file.size()});
    auto next = open(std::move(file));
    TarGlobals globals;
    for (FileExtent extent{}; next(extent, globals);) {
      if (extent.length > std::string().max_size()) {
        throw FileError(name, extent.begin, "the element is too large for the memory of this system");
      }
      if (globals != (changes.empty() ? nullptr : changes.back().globals))
        changes.push_back({extents.size(), globals});
      extents.push_back(extent);
    }
    ends.push_back(extents.size());
  }
  return std::make_shared<const FileExtents>(std::move(files), std::move(ends), std::move(extents),
                                             std::move(changes));
}

[[noreturn]] inline void fail_changed(const FileExtents::Element& element) {
  throw FileError(element.file, element.begin, "the file has changed since the data set was created");
}

/// Finds the file in `element`, of which perhaps only the first bytes were read. Throws a FileError if it has changed.
[[nodiscard]] inline TarFile tar_file_of(const FileExtents::Element& element) {
  TarFile file;
  TarScanner<FilePart> files(FilePart(element.file, element.begin, element.bytes, element.end), element.globals);
  if (!files.next(file) || file.end() != element.end) fail_changed(element);
  return file;
}

/// Reads the first `most` bytes of an entry, and then its other bytes directly into the storage of `into`. Returns
/// false if the headers seem to be damaged, but perhaps were not read to their end. Throws a FileError if the file has
/// changed.
[[nodiscard]] inline bool read_tar_entry(const FileExtents& index, std::size_t number, std::uint64_t most,
                                         TarEntry& into) {
  const FileExtents::Element element = index.read(number, most);
  TarFile file;
  try {
    file = tar_file_of(element);
  } catch (const FileError&) {
    if (element.begin + element.bytes.size() < element.end) return false;
    throw;
  }
  into.name = std::move(file.name);
  into.bytes.resize(static_cast<std::size_t>(file.size));
  const auto headers = static_cast<std::size_t>(file.data - element.begin);
  const std::size_t read = element.bytes.copy(into.bytes.data(), into.bytes.size(), headers);
  if (read < file.size) index.read(number, file.data + read, std::span(into.bytes).subspan(read));
  return true;
}

inline void read_tar_entry(const FileExtents& index, std::size_t number, TarEntry& into) {
  constexpr std::uint64_t usual_headers = 4096;
  if (read_tar_entry(index, number, usual_headers, into)) return;
  static_cast<void>(read_tar_entry(index, number, std::numeric_limits<std::uint64_t>::max(), into));
}

/// Throws a FileError if the file has changed.
[[nodiscard]] inline WebSample web_sample_of(const FileExtents::Element& element) {
  WebSample sample;
  WebSamples<FilePart> samples(FilePart(element.file, element.begin, element.bytes), element.globals);
  if (!samples.next(sample.key, sample.bytes) || samples.end() != element.begin + element.bytes.size()) {
    fail_changed(element);
  }
  return sample;
}

}  // namespace detail

/// @name Archives in order
/// @{

/// Reads the files in tar archives, one archive after the other. Directories, links and devices are left out; a name
/// that ends in a slash is that of a directory.
///
/// `files` is the name of one archive, as a string or a path, or a range of names. A damaged header or an archive that
/// ends too early is a failure, a FileError. With `{.on_error = skip(n)}`, reading goes on at the next block that is a
/// header. Only a damaged record in a global header ends the archive, because it may apply to all files that follow.
/// An archive that is a pipe is read once, from the beginning to the end.
///
/// @code
/// for (const TarEntry& entry : tar_entries("images.tar").run()) show(entry.name, entry.bytes);
/// @endcode
template <class Files>
requires detail::FileName<Files> || detail::FileNames<Files>
[[nodiscard]] Dataset<TarEntry> tar_entries(Files&& files, ReadFileOptions options = {}) {
  return detail::read_in_order(
      detail::file_names(files), "tar_entries", options.on_error,
      [bytes = options.open](const std::string& name) { return TarEntryReader(name, {.open = bytes}); });
}

/// Reads the files in the listed archives: `tar_entries({"a.tar", "b.tar"})`.
template <class Name = std::string>  // always std::string; a template is compiled only where it is called
[[nodiscard]] Dataset<TarEntry> tar_entries(std::initializer_list<std::type_identity_t<Name>> files,
                                            ReadFileOptions options = {}) {
  return tar_entries(std::vector<std::string>(files), std::move(options));
}
void tar_entries(...) = delete;  // forebay: tar_entries(file) or tar_entries(files), by their names

/// Reads the samples in tar archives in the format WebDataset.
///
/// A sample is the longest run of files with the same key, the path up to the first dot of its last component. These
/// files belong to no sample and are left out: those without an extension, those whose name begins with a dot, and
/// those in a directory `__x__`. A sample never spans archives. Two files of a sample with the same extension are a
/// failure, after which the next sample follows.
///
/// With `{.on_error = skip(n)}`, a damaged header costs the samples next to it, because it is not known to which of
/// them the damaged file belongs.
///
/// @code
/// webdataset(list_files("train-*.tar")).shuffle(1000).map(4, [](const WebSample& sample) {
///   return Example{decode(sample["jpg"]), std::stoi(sample["cls"])};
/// })
/// @endcode
template <class Files>
requires detail::FileName<Files> || detail::FileNames<Files>
[[nodiscard]] Dataset<WebSample> webdataset(Files&& files, ReadFileOptions options = {}) {
  return detail::read_in_order(
      detail::file_names(files), "webdataset", options.on_error,
      [bytes = options.open](const std::string& name) { return WebSampleReader(name, {.open = bytes}); });
}

/// Reads the samples in the listed archives: `webdataset({"a.tar", "b.tar"})`.
template <class Name = std::string>  // always std::string; a template is compiled only where it is called
[[nodiscard]] Dataset<WebSample> webdataset(std::initializer_list<std::type_identity_t<Name>> files,
                                            ReadFileOptions options = {}) {
  return webdataset(std::vector<std::string>(files), std::move(options));
}
void webdataset(...) = delete;  // forebay: webdataset(file) or webdataset(files), by their names

/// @}
/// @name Archives with random access
/// @{

/// Holds the options of indexed_tar_entries.
struct TarIndexOptions {
  /// Selects files by their names as they are in the archive, with directories. What it does not select has no index,
  /// and does not count as left out. By default, all are selected.
  std::function<bool(const std::string& name)> select{};
};

/// Does the same as tar_entries, with random access.
///
/// Reads the headers of all archives now, and keeps 16 bytes for each entry. Throws a FileError if an archive is
/// damaged or not a regular file, and what `.select` throws. An archive that changes later is a failure of the data
/// set.
///
/// @code
/// indexed_tar_entries("images.tar").shuffle()   // reads each file of the archive once, in random order
/// indexed_tar_entries("images.tar", {.select = [](const std::string& name) { return name.ends_with(".jpg"); }})
/// @endcode
template <class Files>
requires detail::FileName<Files> || detail::FileNames<Files>
[[nodiscard]] IndexedDataset<TarEntry> indexed_tar_entries(Files&& files, const TarIndexOptions& options = {}) {
  auto index = detail::index_of(detail::file_names(files), [&select = options.select](File file) {
    return [&select, scanner = detail::TarScanner<File>(std::move(file)), found = detail::TarFile()](
               detail::FileExtent& extent, detail::TarGlobals& globals) mutable {
      do {
        if (!scanner.next(found)) return false;
      } while (select && !select(found.name));
      extent = {found.begin, found.end() - found.begin};
      globals = found.globals;
      return true;
    };
  });
  const std::size_t size = index->size();
  const detail::StageText text("indexed_tar_entries", {}, index->buffer_bytes());
  return detail::indexed_dataset<TarEntry>(size, text, [index = std::move(index)](std::size_t i, TarEntry& into) {
    detail::read_tar_entry(*index, i, into);
  });
}

/// Indexes the listed archives: `indexed_tar_entries({"a.tar", "b.tar"})`.
template <class Name = std::string>  // always std::string; a template is compiled only where it is called
[[nodiscard]] IndexedDataset<TarEntry> indexed_tar_entries(std::initializer_list<std::type_identity_t<Name>> files,
                                                           const TarIndexOptions& options = {}) {
  return indexed_tar_entries(std::vector<std::string>(files), options);
}
void indexed_tar_entries(...) = delete;  // forebay: indexed_tar_entries(files, options)

/// Does the same as webdataset, with random access.
///
/// Reads the headers of all archives now, and keeps 16 bytes for each sample. Throws a FileError if an archive is
/// damaged or not a regular file. An archive that changes later is a failure of the data set.
///
/// @code
/// indexed_webdataset(list_files("train-*.tar")).shuffle()   // mixes the samples of all archives
/// @endcode
template <class Files>
requires detail::FileName<Files> || detail::FileNames<Files>
[[nodiscard]] IndexedDataset<WebSample> indexed_webdataset(Files&& files) {
  auto index = detail::index_of(detail::file_names(files), [](File file) {
    return [samples = detail::WebSamples<File>(std::move(file))](detail::FileExtent& extent,
                                                                 detail::TarGlobals& globals) mutable {
      if (!samples.skip()) return false;
      extent = {samples.begin(), samples.end() - samples.begin()};
      globals = samples.globals();
      return true;
    };
  });
  const std::size_t size = index->size();
  const detail::StageText text("indexed_webdataset", {}, index->buffer_bytes());
  return detail::indexed_dataset<WebSample>(
      size, text, [index = std::move(index)](std::size_t i) { return detail::web_sample_of(index->read(i)); });
}

/// Indexes the listed archives: `indexed_webdataset({"a.tar", "b.tar"})`.
template <class Name = std::string>  // always std::string; a template is compiled only where it is called
[[nodiscard]] IndexedDataset<WebSample> indexed_webdataset(std::initializer_list<std::type_identity_t<Name>> files) {
  return indexed_webdataset(std::vector<std::string>(files));
}
void indexed_webdataset(...) = delete;  // forebay: indexed_webdataset(file) or indexed_webdataset(files)

/// @}

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_TAR_FILES_HPP
