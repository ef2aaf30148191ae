// SPDX-License-Identifier: MIT

/// @file
/// Defines the data sets of files of binary records: fixed_size_records, length_prefixed_records, tfrecords and
/// indexed_tfrecords; and their readers.
///
/// @code
/// auto samples = forebay::fixed_size_records<Sample>("train.bin", {.header = 16}).shuffle();   // random access
/// auto examples = forebay::tfrecords(forebay::list_files("train-*.tfrecord"));                 // one after the other
/// @endcode
///
/// When to use: a data set for most programs. The readers are for flat_map and interleave, for example to read eight
/// files at once, or to set the size of the buffer:
///
/// @code
/// from_slices(names).interleave({.cycle = 8, .prefetch = 64}, [](const std::string& name) {
///   return TFRecordReader(name, {.buffer_size = 1 << 20});
/// })
/// @endcode
///
/// Thread safety: any number of threads may call the functions. Only one thread at a time may use a reader.

#ifndef FOREBAY_RECORD_FILES_HPP
#define FOREBAY_RECORD_FILES_HPP

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/base/arithmetic.hpp"
#include "forebay/base/reject.hpp"
#include "forebay/count.hpp"
#include "forebay/dataset.hpp"
#include "forebay/dataset_options.hpp"
#include "forebay/file.hpp"
#include "forebay/files/byte_order.hpp"
#include "forebay/files/file_reader.hpp"
#include "forebay/files/fixed_size_files.hpp"
#include "forebay/files/read_bytes.hpp"
#include "forebay/files/record_file.hpp"
#include "forebay/files/tfrecord_index.hpp"
#include "forebay/indexed_dataset.hpp"
#include "forebay/source/line_reader.hpp"
#include "forebay/sources.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

/// @name Records of the same size
/// @{

/// Holds the options of fixed_size_records: `{.header = 16}`.
struct FixedSizeOptions {
  /// Counts the bytes at the beginning of each file that are skipped.
  Count header = 0;
};

/// Creates a data set of the records of binary files, which are objects of type T as in memory.
///
/// The data set has random access, so shuffle() mixes the records of all files. T is trivially copyable. The numbers
/// in the files have the byte order of this machine, and every bit pattern in them has to be a value of T.
///
/// `files` is the name of one file, as a string or a path, or a range of names. Throws a FileError if a file cannot be
/// opened or does not end after a whole record. A file that changes later is a DatasetError.
///
/// @code
/// struct Sample {
///   std::int32_t label;
///   float value;
/// };
/// fixed_size_records<Sample>("train.bin")   // an IndexedDataset<Sample>
/// @endcode
template <class T, class Files>
requires detail::FileName<Files> || detail::FileNames<Files>
[[nodiscard]] IndexedDataset<T> fixed_size_records(Files&& files, FixedSizeOptions options = {}) {
  static_assert(std::is_trivially_copyable_v<T> && std::default_initializable<T> && !std::is_pointer_v<T>,
                "forebay: fixed_size_records<T> copies the bytes of a T, so T must be trivially copyable and have a "
                "default constructor, and cannot be a pointer; for bytes, write fixed_size_records(files, size)");
  const std::size_t header = options.header.at_least(0, "fixed_size_records: header");
  auto records = detail::fixed_size_files(detail::file_names(files), sizeof(T), header);
  const std::uint64_t size = records->size();
  const detail::StageText text = detail::text_of(*records, header);
  return detail::indexed_dataset<T>(size, text, [records = std::move(records)](std::size_t i, T& into) {
    records->read(i, {reinterpret_cast<char*>(&into), sizeof into});
  });
}

/// Does the same for the listed files: `fixed_size_records<Sample>({"a.bin", "b.bin"})`.
template <class T>
[[nodiscard]] IndexedDataset<T> fixed_size_records(std::initializer_list<std::string> files,
                                                   FixedSizeOptions options = {}) {
  return fixed_size_records<T>(std::vector<std::string>(files), options);
}

/// Creates a data set of the records of binary files, as strings of `record_size` bytes.
///
/// Throws std::invalid_argument for a size of 0. (TensorFlow: FixedLengthRecordDataset.)
///
/// @code
/// fixed_size_records(list_files("cifar-10/data_batch_*.bin"), 3073)   // an IndexedDataset<std::string>
/// @endcode
template <class Files>
requires detail::FileName<Files> || detail::FileNames<Files>
[[nodiscard]] IndexedDataset<std::string> fixed_size_records(Files&& files, Count record_size,
                                                             FixedSizeOptions options = {}) {
  const std::size_t bytes = record_size.at_least(1, "fixed_size_records: record_size");
  const std::size_t header = options.header.at_least(0, "fixed_size_records: header");
  auto records = detail::fixed_size_files(detail::file_names(files), bytes, header);
  const std::uint64_t size = records->size();
  const detail::StageText text = detail::text_of(*records, header);
  return detail::indexed_dataset<std::string>(size, text,
                                              [records = std::move(records)](std::size_t i, std::string& into) {
                                                into.resize(records->row_size());
                                                records->read(i, into);
                                              });
}

/// Does the same for the listed files: `fixed_size_records({"a.bin", "b.bin"}, 3073)`.
template <class Name = std::string>  // always std::string; a template is compiled only where it is called
[[nodiscard]] IndexedDataset<std::string> fixed_size_records(std::initializer_list<std::type_identity_t<Name>> files,
                                                             Count record_size, FixedSizeOptions options = {}) {
  return fixed_size_records(std::vector<std::string>(files), record_size, options);
}
void fixed_size_records(...) = delete;  // forebay: fixed_size_records<T>(files) or fixed_size_records(files, size)

/// Reads the records of a file one after the other, as strings of bytes: from a pipe, or in an interleave.
///
/// @code
/// from_slices(names).interleave({.cycle = 8, .prefetch = 64}, [](const std::string& name) {
///   return FixedSizeReader(name, 3073);
/// })
/// @endcode
class FixedSizeReader : public detail::FileReader {
 public:
  /// Opens the file and skips its header. Throws a FileError, and std::invalid_argument for a size of 0.
  explicit FixedSizeReader(std::string name, Count record_size, FixedSizeOptions options = {},
                           FileOptions file_options = {})
      : file_(std::move(name), file_options), record_size_(record_size.at_least(1, "FixedSizeReader: record_size")) {
    const std::size_t header = options.header.at_least(0, "FixedSizeReader: header");
    if (file_.skip(header) < header) detail::reject_header(file_, file_.position(), header);
  }

  /// Fills `into` with the next record. Returns false at the end of the file. Throws a FileError if the file ends
  /// within a record, and then returns false.
  bool operator()(std::string& into) {
    begin_ = file_.position();
    into.resize(record_size_);
    const std::size_t count = file_.read(into);
    if (count > 0 && count < record_size_) {
      detail::reject_end(file_, file_.position(), count, record_size_, begin_, {into.data(), count});
    }
    return count > 0;
  }

  /// Skips up to `count` records without reading them. Returns how many, fewer only at the end of the file.
  std::uint64_t skip(std::uint64_t count) {
    const std::uint64_t skipped = file_.skip(detail::saturating_multiply<std::uint64_t>(count, record_size_));
    const std::uint64_t rest = skipped % record_size_;
    if (rest > 0) detail::reject_end(file_, file_.position(), rest, record_size_);
    return skipped / record_size_;
  }

  /// Returns the position of the next record in the file.
  [[nodiscard]] std::uint64_t cursor() const noexcept { return file_.position(); }
  /// Continues at a position that cursor() has returned. Throws a FileError if the file ends before it.
  void seek(std::uint64_t cursor) { detail::resume_at(file_, cursor); }

  /// Returns the file and the byte at which the last record begins: "train.bin: byte 3073".
  [[nodiscard]] std::string location() const { return file_.name() + ": byte " + std::to_string(begin_); }

 private:
  File file_;
  std::size_t record_size_;
  std::uint64_t begin_ = 0;
};

/// @}
/// @name Records with a length
/// @{

/// Holds the options of length_prefixed_records: `{.bytes = 8, .byte_order = std::endian::big}`.
struct LengthPrefixOptions {
  /// Counts the bytes of the length: 4 or 8.
  Count bytes = 4;
  /// Decides whether the lowest or the highest byte of a length comes first.
  std::endian byte_order = std::endian::little;
};

namespace detail {

/// Returns the bytes of a length.
[[nodiscard]] inline std::size_t prefix_size(const LengthPrefixOptions& options) {
  const std::size_t bytes = options.bytes.between(4, 8, "length_prefixed_records: bytes");
  if (bytes != 4 && bytes != 8) reject({"length_prefixed_records: bytes must be 4 or 8, not ", bytes});
  return bytes;
}

/// Returns the options as they follow the name in a description: " 4 bytes little-endian".
[[nodiscard]] inline std::string text_of(const LengthPrefixOptions& options) {
  return " " + std::to_string(prefix_size(options)) + " bytes " +
         (options.byte_order == std::endian::little ? "little-endian" : "big-endian");
}

}  // namespace detail

/// Reads the records of a file in which each record follows its length. See length_prefixed_records.
class LengthPrefixedReader : public detail::FileReader {
 public:
  /// Opens the file. Throws a FileError, and std::invalid_argument unless the length has 4 or 8 bytes.
  explicit LengthPrefixedReader(std::string name, LengthPrefixOptions options = {}, FileOptions file_options = {})
      : records_(std::move(name), file_options),
        prefix_size_(detail::prefix_size(options)),
        byte_order_(options.byte_order) {}

  /// Fills `into` with the next record. Returns false at the end of the file. Throws a FileError if the file ends
  /// within a record, and then returns false.
  bool operator()(std::string& into) {
    std::uint64_t length = 0;
    if (!read_length(length)) return false;
    detail::read_bytes(records_.file(), length, into, "a record");
    return true;
  }

  /// Skips up to `count` records, reading only their lengths. Returns how many, fewer only at the end of the file.
  std::uint64_t skip(std::uint64_t count) {
    std::uint64_t length = 0;
    for (std::uint64_t skipped = 0; skipped < count; ++skipped) {
      if (!read_length(length)) return skipped;
      records_.pass(length);
    }
    return count;
  }

  /// Returns the position of the next record in the file.
  [[nodiscard]] std::uint64_t cursor() const noexcept { return records_.cursor(); }
  /// Continues at a position that cursor() has returned. Throws a FileError if the file ends before it.
  void seek(std::uint64_t cursor) { records_.seek(cursor); }

  /// Returns the file and the byte at which the last record begins: "train.bin: byte 16".
  [[nodiscard]] std::string location() const { return records_.location(); }

 private:
  bool read_length(std::uint64_t& length) {
    return records_.next_header(prefix_size_, length, [this](const char* prefix, std::uint64_t& into) -> const char* {
      into = prefix_size_ == 4 ? detail::load<std::uint32_t>(prefix, byte_order_)
                               : detail::load<std::uint64_t>(prefix, byte_order_);
      return nullptr;
    });
  }

  detail::RecordFile records_;
  std::size_t prefix_size_;
  std::endian byte_order_;
};

/// Reads the records of binary files in which each record follows its length, one file after the other.
///
/// A damaged length or a truncated file is a failure that names the file and the byte. With `{.on_error = skip(n)}` it
/// counts as one failure, and the next file follows, because the next record cannot be found.
///
/// @code
/// length_prefixed_records(files)                                                  // lengths of 4 bytes, little-endian
/// length_prefixed_records(files, {.bytes = 8, .byte_order = std::endian::big})
/// @endcode
template <class Files>
requires detail::FileName<Files> || detail::FileNames<Files>
[[nodiscard]] Dataset<std::string> length_prefixed_records(Files&& files, LengthPrefixOptions options = {},
                                                           ReadOptions read_options = {}) {
  return detail::read_in_order(detail::file_names(files), {"length_prefixed_records", detail::text_of(options)},
                               read_options,
                               [options](const std::string& name) { return LengthPrefixedReader(name, options); });
}

/// Does the same for the listed files: `length_prefixed_records({"a.bin", "b.bin"})`.
template <class Name = std::string>  // always std::string; a template is compiled only where it is called
[[nodiscard]] Dataset<std::string> length_prefixed_records(std::initializer_list<std::type_identity_t<Name>> files,
                                                           LengthPrefixOptions options = {},
                                                           ReadOptions read_options = {}) {
  return length_prefixed_records(std::vector<std::string>(files), options, std::move(read_options));
}
void length_prefixed_records(...) = delete;  // forebay: length_prefixed_records(files, options, read_options)

/// @}
/// @name TFRecords
/// @{

/// Reads the records of a TFRecord file, and checks their checksums. See tfrecords.
class TFRecordReader : public detail::FileReader {
 public:
  /// Opens the file. Throws a FileError.
  explicit TFRecordReader(std::string name, FileOptions options = {}) : records_(std::move(name), options) {}

  /// Fills `into` with the data of the next record. Returns false at the end of the file. Throws a FileError if the
  /// record is damaged. If only its data is damaged, the next call reads the next record; otherwise it returns false.
  bool operator()(std::string& into) {
    std::uint64_t length = 0;
    if (!read_length(length)) return false;
    File& file = records_.file();
    detail::read_bytes(file, length, into, "a record");
    std::array<char, checksum_size> checksum{};
    file.read_exactly(checksum, "a record");
    detail::check_tfrecord_data(into, checksum.data(), file.name(), records_.begin());
    return true;
  }

  /// Skips up to `count` records, reading only their lengths. Returns how many, fewer only at the end of the file.
  std::uint64_t skip(std::uint64_t count) {
    std::uint64_t length = 0;
    for (std::uint64_t skipped = 0; skipped < count; ++skipped) {
      if (!read_length(length)) return skipped;
      records_.pass(length + checksum_size);
    }
    return count;
  }

  /// Returns the position of the next record in the file.
  [[nodiscard]] std::uint64_t cursor() const noexcept { return records_.cursor(); }
  /// Continues at a position that cursor() has returned. Throws a FileError if the file ends before it.
  void seek(std::uint64_t cursor) { records_.seek(cursor); }

  /// Returns the file and the byte at which the last record begins: "train.tfrecord: byte 16".
  [[nodiscard]] std::string location() const { return records_.location(); }

 private:
  static constexpr std::size_t checksum_size = detail::tfrecord_frame - detail::tfrecord_header;

  bool read_length(std::uint64_t& length) {
    return records_.next_header(detail::tfrecord_header, length, detail::read_tfrecord_length);
  }

  detail::RecordFile records_;
};

/// Reads the records of TFRecord files, one file after the other, and checks their checksums.
///
/// The elements are the data of the records as they are; a serialised `tf.train.Example` is not parsed. A damaged
/// record is a failure that names the file and the byte. With `{.on_error = skip(n)}`, reading continues with the next
/// record if only the data is damaged, and with the next file if the length is. (TensorFlow: TFRecordDataset.)
///
/// @code
/// tfrecords(list_files("train-*.tfrecord"), {.on_error = skip(10)}).map(4, parse)
/// @endcode
template <class Files>
requires detail::FileName<Files> || detail::FileNames<Files>
[[nodiscard]] Dataset<std::string> tfrecords(Files&& files, ReadOptions options = {}) {
  return detail::read_in_order(detail::file_names(files), "tfrecords", options,
                               [](const std::string& name) { return TFRecordReader(name); });
}

/// Does the same for the listed files: `tfrecords({"a.tfrecord", "b.tfrecord"})`.
template <class Name = std::string>  // always std::string; a template is compiled only where it is called
[[nodiscard]] Dataset<std::string> tfrecords(std::initializer_list<std::type_identity_t<Name>> files,
                                             ReadOptions options = {}) {
  return tfrecords(std::vector<std::string>(files), std::move(options));
}
void tfrecords(...) = delete;  // forebay: tfrecords(file) or tfrecords(files), by their names

/// Creates a data set with random access to the records of TFRecord files.
///
/// First it reads the lengths of all records, and remembers 8 bytes for each. Throws a FileError if a file cannot be
/// read or a length is damaged. Damaged data, or a file that changes later, is a DatasetError.
///
/// @code
/// indexed_tfrecords(files).shuffle()   // mixes the records of all files
/// @endcode
template <class Files>
requires detail::FileName<Files> || detail::FileNames<Files>
[[nodiscard]] IndexedDataset<std::string> indexed_tfrecords(Files&& files) {
  auto records = detail::TFRecordIndex::of<TFRecordReader>(detail::file_names(files));
  const std::size_t size = records->size();
  const detail::StageText text("indexed_tfrecords", {}, records->buffer_bytes());
  return detail::indexed_dataset<std::string>(
      size, text, [records = std::move(records)](std::size_t i, std::string& into) { records->read(i, into); });
}

/// Does the same for the listed files: `indexed_tfrecords({"a.tfrecord", "b.tfrecord"})`.
template <class Name = std::string>  // always std::string; a template is compiled only where it is called
[[nodiscard]] IndexedDataset<std::string> indexed_tfrecords(std::initializer_list<std::type_identity_t<Name>> files) {
  return indexed_tfrecords(std::vector<std::string>(files));
}
void indexed_tfrecords(...) = delete;  // forebay: indexed_tfrecords(file) or indexed_tfrecords(files), by their names

/// @}

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_RECORD_FILES_HPP
