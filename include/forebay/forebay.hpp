// SPDX-License-Identifier: MIT
//
// forebay.hpp: all of forebay: queues (queues.hpp) and data sets (dataset.hpp). Each header can be included alone, too.
//
// A file in this directory is a public header. The directories in it are internal.

#ifndef FOREBAY_FOREBAY_HPP
#define FOREBAY_FOREBAY_HPP

// IWYU pragma: begin_exports
#include "forebay/context.hpp"
#include "forebay/dataset.hpp"
#include "forebay/dataset_description.hpp"
#include "forebay/dataset_error.hpp"
#include "forebay/dataset_options.hpp"
#include "forebay/indexed_dataset.hpp"
#include "forebay/pipeline.hpp"
#include "forebay/position.hpp"
#include "forebay/queues.hpp"
#include "forebay/sources.hpp"
// IWYU pragma: end_exports

#endif  // FOREBAY_FOREBAY_HPP
