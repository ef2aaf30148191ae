// SPDX-License-Identifier: MIT

/// @file
/// Includes all of forebay: queues (queues.hpp), coroutines that await them (async.hpp), data sets (dataset.hpp) and
/// file formats (files.hpp). Only html_report.hpp and progress_line.hpp are not included.
///
/// Each header can also be included alone. The files in this directory are the public headers; its subdirectories are
/// internal.

/// @namespace forebay
/// Contains all public names of the library.
///
/// Names in `detail` are internal. A macro adds an inline namespace, which programs need not name: see version.hpp.

#ifndef FOREBAY_FOREBAY_HPP
#define FOREBAY_FOREBAY_HPP

// IWYU pragma: begin_exports
#include "forebay/async.hpp"
#include "forebay/context.hpp"
#include "forebay/dataset.hpp"
#include "forebay/dataset_description.hpp"
#include "forebay/dataset_error.hpp"
#include "forebay/dataset_options.hpp"
#include "forebay/files.hpp"
#include "forebay/from_queue.hpp"
#include "forebay/indexed_dataset.hpp"
#include "forebay/pipeline.hpp"
#include "forebay/position.hpp"
#include "forebay/queues.hpp"
#include "forebay/sources.hpp"
// IWYU pragma: end_exports

#endif  // FOREBAY_FOREBAY_HPP
