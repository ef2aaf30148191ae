// SPDX-License-Identifier: MIT

/// @file
/// Includes every header for files: File, and the data sets of common file formats.
///
/// forebay.hpp includes it; dataset.hpp does not, for shorter compile times.

#ifndef FOREBAY_FILES_HPP
#define FOREBAY_FILES_HPP

// IWYU pragma: begin_exports
#include "forebay/array_files.hpp"
#include "forebay/csv_files.hpp"
#include "forebay/file.hpp"
#include "forebay/record_files.hpp"
#include "forebay/tar_files.hpp"
// IWYU pragma: end_exports

#endif  // FOREBAY_FILES_HPP
