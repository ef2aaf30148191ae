// SPDX-License-Identifier: MIT

/// @file
/// Defines the data sets of files of binary records: fixed_size_records, length_prefixed_records and tfrecords, and
/// their readers; and those with random access: indexed_length_prefixed_records, indexed_tfrecords, and
/// indexed_text_lines for text.
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
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/base/arithmetic.hpp"
#include "forebay/base/reject.hpp"
#include "forebay/count.hpp"
#include "forebay/dataset.hpp"
#include "forebay/dataset_options.hpp"
#include "forebay/describe/properties.hpp"
#include "forebay/describe/stage_name.hpp"
#include "forebay/file.hpp"
#include "forebay/files/byte_order.hpp"
#include "forebay/files/file_reader.hpp"
#include "forebay/files/fixed_size_files.hpp"
#include "forebay/files/read_bytes.hpp"
#include "forebay/files/record_file.hpp"
#include "forebay/files/record_index.hpp"
#include "forebay/files/tfrecord.hpp"
#include "forebay/indexed_dataset.hpp"
#include "forebay/position.hpp"
#include "forebay/source/line_reader.hpp"
#include "forebay/sources.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

namespace detail {

/// Returns a data set of the records of an index. take(record, file, position) leaves only the data of a record.
template <class Take>
[[nodiscard]] IndexedDataset<std::string> indexed_records(StageText text, std::shared_ptr<const RecordIndex> records,
                                                          Take take, Properties properties = {}) {
  text.buffers = records->buffer_bytes();
  const std::size_t size = records->size();
  return indexed_dataset<std::string>(
      size, text,
      [records = std::move(records), take](std::size_t i, std::string& into) { records->read(i, into, take); },
      std::move(properties));
}

}  // namespace detail

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
/// opened or does not end after a whole record. A file that changes later is a DatasetError, unless what is read was in
/// the buffer already.
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
  return detail::indexed_dataset<T>(size, text, [records = std::move(records)](std::size_t i, std::span<T> into) {
    records->read(i, {reinterpret_cast<char*>(into.data()), into.size_bytes()});
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
                           const FileOptions& file_options = {})
      : file_(std::move(name), file_options), record_size_(record_size.at_least(1, "FixedSizeReader: record_size")) {
    const std::size_t header = options.header.at_least(0, "FixedSizeReader: header");
    if (file_.skip(header) < header) detail::reject_header(file_, file_.position(), header);
  }

  /// Fills `into` with the next record. Returns false at the end of the file. Throws a FileError if the file ends
  /// within a record; the next call returns false.
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

/// Holds the options of length_prefixed_records and indexed_length_prefixed_records:
/// `{.bytes = 8, .byte_order = std::endian::big}`.
struct LengthPrefixOptions {
  /// Counts the bytes of the length: 4 or 8.
  Count bytes = 4;
  /// Decides whether the lowest or the highest byte of a length comes first.
  std::endian byte_order = std::endian::little;
  /// Precedes each length; at most 8 bytes. A record that begins with other bytes is damaged. By default, there are
  /// none. For example "BINP", for the chunks of a binpack file of chess positions.
  std::string magic{};
};

namespace detail {

/// Returns the bytes of a length.
[[nodiscard]] inline std::size_t prefix_size(const LengthPrefixOptions& options) {
  const std::size_t bytes = options.bytes.between(4, 8, "length_prefixed_records: bytes");
  if (bytes != 4 && bytes != 8) reject({"length_prefixed_records: bytes must be 4 or 8, not ", bytes});
  return bytes;
}

/// Returns the options as they follow the name in a description: " 4 bytes little-endian, magic 42494e50".
[[nodiscard]] inline std::string text_of(const LengthPrefixOptions& options) {
  std::string text = " " + std::to_string(prefix_size(options)) + " bytes " +
                     (options.byte_order == std::endian::little ? "little-endian" : "big-endian");
  if (!options.magic.empty()) text += ", magic ";
  for (const char byte : options.magic) {
    constexpr std::string_view digits = "0123456789abcdef";
    const auto value = static_cast<unsigned char>(byte);
    text += {digits[value / 16], digits[value % 16]};
  }
  return text;
}

/// The bytes in front of a record.
class LengthPrefix {
 public:
  /// Throws std::invalid_argument unless the length has 4 or 8 bytes, and the magic at most 8.
  explicit LengthPrefix(LengthPrefixOptions options)
      : bytes_(prefix_size(options)), byte_order_(options.byte_order), magic_(std::move(options.magic)) {
    if (magic_.size() > most_magic) {
      reject({"length_prefixed_records: magic must have at most ", most_magic, " bytes, not ", magic_.size()});
    }
  }

  [[nodiscard]] std::size_t size() const noexcept { return magic_.size() + bytes_; }

  /// Sets `length`. Returns what is wrong with the size() bytes, or null.
  [[nodiscard]] const char* read(const char* prefix, std::uint64_t& length) const noexcept {
    if (std::string_view(prefix, magic_.size()) != magic_) return "the record does not begin with the magic bytes";
    prefix += magic_.size();
    length = bytes_ == 4 ? load<std::uint32_t>(prefix, byte_order_) : load<std::uint64_t>(prefix, byte_order_);
    return nullptr;
  }

  /// Leaves only the data of a record. Throws a FileError if its length has changed.
  void take_data(std::string& record, const std::string& file, std::uint64_t position) const {
    std::uint64_t length = 0;
    const char* const fault = read(record.data(), length);
    if (fault != nullptr) throw FileError(file, position, fault);
    if (length != record.size() - size()) throw FileError(file, position, "the length of the record has changed");
    record.erase(0, size());
  }

 private:
  static constexpr std::size_t most_magic = 8;

  std::size_t bytes_;
  std::endian byte_order_;
  std::string magic_;
};

}  // namespace detail

/// Reads the records of a file in which each record follows its length. See length_prefixed_records.
class LengthPrefixedReader : public detail::FileReader {
 public:
  /// Opens the file. Throws a FileError, and std::invalid_argument unless the length has 4 or 8 bytes, and the magic at
  /// most 8.
  explicit LengthPrefixedReader(std::string name, LengthPrefixOptions options = {},
                                const FileOptions& file_options = {})
      : records_(std::move(name), file_options), prefix_(std::move(options)) {}

  /// Fills `into` with the next record. Returns false at the end of the file. Throws a FileError if the file ends
  /// within a record; the next call returns false.
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
    return records_.next_header(prefix_.size(), length, [this](const char* prefix, std::uint64_t& into) {
      return prefix_.read(prefix, into);
    });
  }

  detail::RecordFile records_;
  detail::LengthPrefix prefix_;
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
[[nodiscard]] Dataset<std::string> length_prefixed_records(Files&& files, const LengthPrefixOptions& options = {},
                                                           ReadFileOptions read_options = {}) {
  static_cast<void>(detail::LengthPrefix(options));  // rejects wrong options here, not in a run
  return detail::read_in_order(detail::file_names(files), {"length_prefixed_records", detail::text_of(options)},
                               read_options.on_error, [options, bytes = read_options.open](const std::string& name) {
                                 return LengthPrefixedReader(name, options, {.open = bytes});
                               });
}

/// Does the same for the listed files: `length_prefixed_records({"a.bin", "b.bin"})`.
template <class Name = std::string>  // always std::string; a template is compiled only where it is called
[[nodiscard]] Dataset<std::string> length_prefixed_records(std::initializer_list<std::type_identity_t<Name>> files,
                                                           const LengthPrefixOptions& options = {},
                                                           ReadFileOptions read_options = {}) {
  return length_prefixed_records(std::vector<std::string>(files), options, std::move(read_options));
}
void length_prefixed_records(...) = delete;  // forebay: length_prefixed_records(files, options, read_options)

/// Creates a data set with random access to the records of files in which each record follows its length.
///
/// First it reads all lengths, and remembers 8 bytes for each record. Throws a FileError if a file cannot be read, ends
/// within a record or has a record that does not begin with the magic bytes. A file that changes later is a
/// DatasetError.
///
/// @code
/// indexed_length_prefixed_records(list_files("*.binpack"), {.magic = "BINP"}).shuffle()
/// @endcode
template <class Files>
requires detail::FileName<Files> || detail::FileNames<Files>
[[nodiscard]] IndexedDataset<std::string> indexed_length_prefixed_records(Files&& files,
                                                                          const LengthPrefixOptions& options = {}) {
  const detail::LengthPrefix prefix(options);
  const auto open = [&options](const std::string& name) {
    return detail::SkippedRecords(
        LengthPrefixedReader(name, options, {.buffer_size = detail::RecordIndex::buffer_of_headers}));
  };
  return detail::indexed_records({"indexed_length_prefixed_records", detail::text_of(options)},
                                 detail::RecordIndex::of(detail::file_names(files), open),
                                 [prefix](std::string& record, const std::string& file, std::uint64_t position) {
                                   prefix.take_data(record, file, position);
                                 });
}

/// Does the same for the listed files: `indexed_length_prefixed_records({"a.bin", "b.bin"})`.
template <class Name = std::string>  // always std::string; a template is compiled only where it is called
[[nodiscard]] IndexedDataset<std::string> indexed_length_prefixed_records(
    std::initializer_list<std::type_identity_t<Name>> files, const LengthPrefixOptions& options = {}) {
  return indexed_length_prefixed_records(std::vector<std::string>(files), options);
}
void indexed_length_prefixed_records(...) = delete;  // forebay: indexed_length_prefixed_records(files, options)

/// @}
/// @name TFRecords
/// @{

/// Reads the records of a TFRecord file, and checks their checksums. See tfrecords.
class TFRecordReader : public detail::FileReader {
 public:
  /// Opens the file. Throws a FileError.
  explicit TFRecordReader(std::string name, const FileOptions& options = {}) : records_(std::move(name), options) {}

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
[[nodiscard]] Dataset<std::string> tfrecords(Files&& files, ReadFileOptions options = {}) {
  return detail::read_in_order(
      detail::file_names(files), "tfrecords", options.on_error,
      [bytes = options.open](const std::string& name) { return TFRecordReader(name, {.open = bytes}); });
}

/// Does the same for the listed files: `tfrecords({"a.tfrecord", "b.tfrecord"})`.
template <class Name = std::string>  // always std::string; a template is compiled only where it is called
[[nodiscard]] Dataset<std::string> tfrecords(std::initializer_list<std::type_identity_t<Name>> files,
                                             ReadFileOptions options = {}) {
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
  const auto open = [](const std::string& name) {
    return detail::SkippedRecords(TFRecordReader(name, {.buffer_size = detail::RecordIndex::buffer_of_headers}));
  };
  return detail::indexed_records("indexed_tfrecords", detail::RecordIndex::of(detail::file_names(files), open),
                                 detail::take_tfrecord_data);
}

/// Does the same for the listed files: `indexed_tfrecords({"a.tfrecord", "b.tfrecord"})`.
template <class Name = std::string>  // always std::string; a template is compiled only where it is called
[[nodiscard]] IndexedDataset<std::string> indexed_tfrecords(std::initializer_list<std::type_identity_t<Name>> files) {
  return indexed_tfrecords(std::vector<std::string>(files));
}
void indexed_tfrecords(...) = delete;  // forebay: indexed_tfrecords(file) or indexed_tfrecords(files), by their names

/// @}
/// @name Lines
/// @{

namespace detail {

/// Finds the ends of lines. Throws a FileError if the file cannot be read, or is compressed.
class LineEnds {
 public:
  explicit LineEnds(const std::string& name) : file_(name) {}

  bool next(std::uint64_t& end) {
    bool is_there = false;
    for (;;) {
      std::string_view some = file_.buffered();
      if (file_.position() == 0) some = without_mark(some);
      if (some.empty()) break;
      is_there = true;
      const std::size_t newline = some.find('\n');
      file_.consume(newline == std::string_view::npos ? some.size() : newline + 1);
      if (newline != std::string_view::npos) break;
    }
    end = file_.position();
    return is_there;
  }

  /// Leaves only the text of a line.
  static void take_text(std::string& line, const std::string& /*file*/, std::uint64_t position) {
    if (line.ends_with('\n')) {
      line.pop_back();
      if (line.ends_with('\r')) line.pop_back();
    }
    if (position == 0 && line.starts_with(byte_order_mark)) line.erase(0, byte_order_mark.size());
  }

 private:
  static constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

  [[nodiscard]] std::string_view without_mark(std::string_view beginning) {
    if (const std::string fault = compression_fault(beginning); !fault.empty()) file_.fail(0, fault);
    if (!beginning.starts_with(byte_order_mark)) return beginning;
    file_.consume(byte_order_mark.size());
    return file_.buffered();
  }

  File file_;
};

/// Names lines like text_lines: "lines.txt:205".
class IndexedLines final : public Locations {
 public:
  explicit IndexedLines(std::shared_ptr<const RecordIndex> lines) noexcept : lines_(std::move(lines)) {}

  [[nodiscard]] std::string of(Position position) const override {
    if (position.number >= lines_->size()) return {};
    const auto [file, before] = lines_->place_of(static_cast<std::size_t>(position.number));
    return lines_->name(file) + ':' + std::to_string(before + 1);
  }

 private:
  std::shared_ptr<const RecordIndex> lines_;
};

}  // namespace detail

/// Creates a data set with random access to the lines of text files, without line endings and byte order marks.
///
/// First it reads the files once, and remembers 8 bytes for each line. Neighbouring lines are read through a buffer, so
/// shuffle_pages() is fast. Throws a FileError if a file cannot be read or is compressed. A file that changes later is
/// a DatasetError. Failures downstream know the file and the line, as with text_lines.
///
/// @code
/// indexed_text_lines(list_files("*.jsonl")).shuffle_pages(1'000)
/// @endcode
template <class Files>
requires detail::FileName<Files> || detail::FileNames<Files>
[[nodiscard]] IndexedDataset<std::string> indexed_text_lines(Files&& files) {
  const auto open = [](const std::string& name) { return detail::LineEnds(name); };
  auto lines = detail::RecordIndex::of(detail::file_names(files), open);
  detail::Properties properties;
  properties.locations = std::make_shared<const detail::IndexedLines>(lines);
  return detail::indexed_records("indexed_text_lines", std::move(lines), detail::LineEnds::take_text,
                                 std::move(properties));
}

/// Does the same for the listed files: `indexed_text_lines({"a.txt", "b.txt"})`.
template <class Name = std::string>  // always std::string; a template is compiled only where it is called
[[nodiscard]] IndexedDataset<std::string> indexed_text_lines(std::initializer_list<std::type_identity_t<Name>> files) {
  return indexed_text_lines(std::vector<std::string>(files));
}
void indexed_text_lines(...) = delete;  // forebay: indexed_text_lines(file) or indexed_text_lines(files)

/// @}

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_RECORD_FILES_HPP
