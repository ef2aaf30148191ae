// SPDX-License-Identifier: MIT
//
// forebay.cppm: the module forebay: `import forebay;` in place of `#include <forebay/forebay.hpp>`.
//
// The same names in the same namespace. A module has no macros: for FOREBAY_VERSION include <forebay/version.hpp>,
// which goes together with the import. Programs still include or import what they use of the standard library.

module;

#include "forebay/forebay.hpp"

export module forebay;

export namespace forebay {

using forebay::any_order;
using forebay::AwaitOptions;
using forebay::BasicAwaitOptions;
using forebay::BasicCoordinator;
using forebay::BasicProgressWatch;
using forebay::BasicQueueRunner;
using forebay::BasicWait;
using forebay::BatchOptions;
using forebay::BlockingQueue;
using forebay::BucketOptions;
using forebay::By;
using forebay::cancel_pending_enqueues;
using forebay::CancelledError;
using forebay::CancelPendingEnqueues;
using forebay::Capacity;
using forebay::Characters;
using forebay::clean_stop_types;
using forebay::CleanStopTypes;
using forebay::Context;
using forebay::Coordinator;
using forebay::Count;
using forebay::Counts;
using forebay::csv_rows;
using forebay::CsvOptions;
using forebay::CsvReader;
using forebay::CsvRow;
using forebay::Dataset;
using forebay::DatasetDescription;
using forebay::DatasetError;
using forebay::DeadlineExceededError;
using forebay::dequeue_any;
using forebay::Dequeued;
using forebay::Dimension;
using forebay::Draw;
using forebay::drop;
using forebay::ElementFrom;
using forebay::EnqueueManyResult;
using forebay::Even;
using forebay::every_n_steps;
using forebay::FIFOQueue;
using forebay::File;
using forebay::FileError;
using forebay::FileOptions;
using forebay::FirstInFirstOut;
using forebay::FixedShape;
using forebay::from_callable;
using forebay::from_indexed;
using forebay::from_list;
using forebay::from_queue;
using forebay::from_slices;
using forebay::idx_rows;
using forebay::IndexedDataset;
using forebay::InterleaveOptions;
using forebay::limiting_stage;
using forebay::list_files;
using forebay::MapOptions;
using forebay::mix;
using forebay::MonitoredSession;
using forebay::NamedThread;
using forebay::no_wait;
using forebay::NoPadding;
using forebay::NoWait;
using forebay::npy_rows;
using forebay::on;
using forebay::OneEpoch;
using forebay::OnError;
using forebay::operator<<;
using forebay::fixed_size_records;
using forebay::FixedSizeOptions;
using forebay::FixedSizeReader;
using forebay::indexed_tar_entries;
using forebay::indexed_tfrecords;
using forebay::indexed_webdataset;
using forebay::length_prefixed_records;
using forebay::LengthPrefixedReader;
using forebay::LengthPrefixOptions;
using forebay::Order;
using forebay::Out;
using forebay::OutOfRangeError;
using forebay::PaddedBatch;
using forebay::PaddedComponent;
using forebay::PaddedFirstInFirstOut;
using forebay::PaddingFIFOQueue;
using forebay::PaddingOptions;
using forebay::per_epoch;
using forebay::per_thread;
using forebay::PerEpoch;
using forebay::PerThread;
using forebay::Pipeline;
using forebay::pipeline_statistics;
using forebay::PipelineStatistics;
using forebay::Position;
using forebay::Prioritized;
using forebay::PriorityQueue;
using forebay::ProgressWatch;
using forebay::QueueError;
using forebay::QueueRef;
using forebay::QueueRunner;
using forebay::QueueStatistics;
using forebay::QueueStatus;
using forebay::RandomShuffleOptions;
using forebay::RandomShuffleQueue;
using forebay::range;
using forebay::ReadOptions;
using forebay::redirect;
using forebay::Remainder;
using forebay::report;
using forebay::Row;
using forebay::SessionRunHook;
using forebay::SingleValue;
using forebay::skip;
using forebay::SmallestFirst;
using forebay::StackedBatch;
using forebay::StageDescription;
using forebay::StageStatistics;
using forebay::Stall;
using forebay::start_queue_runners;
using forebay::StdSync;
using forebay::stop_at_step;
using forebay::StorageFactory;
using forebay::StragglersError;
using forebay::tar_entries;
using forebay::TarEntry;
using forebay::TarEntryReader;
using forebay::text_lines;
using forebay::TFRecordReader;
using forebay::tfrecords;
using forebay::ThreadActivity;
using forebay::to_string;
using forebay::Unbounded;
using forebay::unbounded;
using forebay::UniformDraw;
using forebay::usable_cores;
using forebay::verdict;
using forebay::Wait;
using forebay::webdataset;
using forebay::WebSample;
using forebay::WebSampleReader;
using forebay::write_metrics;
using forebay::zip;

}  // namespace forebay
