// SPDX-License-Identifier: MIT

/// @file
/// Defines npy_rows and idx_rows, which read the rows of array files with random access: the .npy files of NumPy, and
/// the IDX files of the MNIST family.
///
/// @code
/// using Image = std::array<std::array<float, 28>, 28>;
/// auto images = forebay::npy_rows<Image>("images.npy");        // numpy.save("images.npy", array): shape (n, 28, 28)
/// auto labels = forebay::idx_rows<std::uint8_t>("labels-idx1-ubyte");
/// auto samples = zip(images, labels).shuffle(1024);
/// @endcode
///
/// The first extent of an array counts its rows; a row has the other extents. **T** decides which rows are accepted:
///
/// | T | rows |
/// |---|---|
/// | a number, such as `float` | one number: the array has one dimension |
/// | `std::array<float, 784>` | 784 numbers in any shape, such as (784,) or (28, 28) |
/// | `std::array<std::array<float, 28>, 28>` | exactly the shape (28, 28) |
/// | `std::vector<float>` | any shape but (), flattened: the last index varies fastest |
///
/// The type of the numbers is the same in T and in the file; their byte order may differ from that of the machine. The
/// bits of float16, for which C++20 has no type, are read into std::uint16_t.
///
/// When to use: for arrays that another program has saved. For raw numbers without a header, use fixed_size_records.
///
/// Lifetime: an IndexedDataset, a value that is cheap to copy. It opens the files again when it reads them, and throws
/// a DatasetError if their size has changed.
///
/// Thread safety: any number of threads may call these functions.

#ifndef FOREBAY_ARRAY_FILES_HPP
#define FOREBAY_ARRAY_FILES_HPP

#include <cstddef>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/dataset.hpp"
#include "forebay/files/array_rows.hpp"
#include "forebay/indexed_dataset.hpp"
#include "forebay/source/line_reader.hpp"
#include "forebay/sources.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

namespace detail {

template <class T, class ReadHeader>
[[nodiscard]] IndexedDataset<T> indexed_array_rows(const std::vector<std::string>& names, const char* name,
                                                   const ReadHeader& read_header) {
  static_assert(ArrayRow<T>::is_right,
                "forebay: T must be a number, a std::array of numbers or of such arrays, or a std::vector of numbers; "
                "a number is a bool, an integer, a float or a double");
  auto rows = array_rows<T>(names, read_header);
  const std::uint64_t size = rows->size();
  const StageText text(name, {}, rows->buffer_bytes());
  return indexed_dataset<T>(size, text, [rows = std::move(rows)](std::size_t row, T& into) { rows->read(row, into); });
}

}  // namespace detail

/// Creates a data set of the rows of .npy files, of versions 1 to 3, one file after the other.
///
/// `files` is the name of one file, as a string or a path, or a range of names. All files have the same type, byte
/// order and shape of rows. Reads the headers, and throws a FileError if a file cannot be read, is damaged, or does not
/// fit T. Arrays of objects or structures, .npz archives, and arrays in Fortran order with several rows and columns are
/// rejected by name.
///
/// @code
/// npy_rows<float>("weights.npy")[3]                                // the fourth number
/// npy_rows<std::vector<double>>(list_files("part-*.npy")).shuffle()   // all rows of all parts
/// @endcode
template <class T, class Files>
requires detail::FileName<Files> || detail::FileNames<Files>
[[nodiscard]] IndexedDataset<T> npy_rows(Files&& files) {
  return detail::indexed_array_rows<T>(detail::file_names(files), "npy_rows", detail::read_npy_header);
}

/// Creates a data set of the rows of the listed files: `npy_rows<float>({"a.npy", "b.npy"})`.
template <class T, class Name = std::string>  // Name is always std::string: compiled only where it is called
[[nodiscard]] IndexedDataset<T> npy_rows(std::initializer_list<std::type_identity_t<Name>> files) {
  return npy_rows<T>(std::vector<std::string>(files));
}
template <class T>
void npy_rows(...) = delete;  // forebay: npy_rows<T>(file) or npy_rows<T>(files), by their names

/// Creates a data set of the rows of IDX files, one file after the other.
///
/// `files` is the name of one file, as a string or a path, or a range of names. All files have rows of the same type
/// and shape. The numbers are std::uint8_t, std::int8_t, std::int16_t, std::int32_t, float or double. Reads the
/// headers, and throws a FileError if a file cannot be read, is damaged, or does not fit T.
///
/// @code
/// idx_rows<std::array<std::uint8_t, 784>>("train-images-idx3-ubyte")   // 60,000 images
/// idx_rows<std::uint8_t>("train-labels-idx1-ubyte")                    // and their labels
/// @endcode
template <class T, class Files>
requires detail::FileName<Files> || detail::FileNames<Files>
[[nodiscard]] IndexedDataset<T> idx_rows(Files&& files) {
  return detail::indexed_array_rows<T>(detail::file_names(files), "idx_rows", detail::read_idx_header);
}

/// Creates a data set of the rows of the listed files: `idx_rows<float>({"a.idx", "b.idx"})`.
template <class T, class Name = std::string>  // Name is always std::string: compiled only where it is called
[[nodiscard]] IndexedDataset<T> idx_rows(std::initializer_list<std::type_identity_t<Name>> files) {
  return idx_rows<T>(std::vector<std::string>(files));
}
template <class T>
void idx_rows(...) = delete;  // forebay: idx_rows<T>(file) or idx_rows<T>(files), by their names

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_ARRAY_FILES_HPP
