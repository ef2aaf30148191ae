// SPDX-License-Identifier: MIT

#include <array>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <tuple>

#include <forebay/files.hpp>

using Row = std::tuple<float, float, float>;
using Point = std::array<float, 3>;
using Batch = forebay::StackedBatch<Point>;

/// What C and Python hold a pointer to. What they receive lives here, too.
struct Loader {
  std::unique_ptr<forebay::Pipeline<Batch>> pipeline;
  Batch batch;
  std::string checkpoint;
  std::string error;
};

/// Calls `call`, and notes what it throws: an exception must not reach C.
template <class Call>
int noting_failure(Loader* loader, const Call& call) {
  try {
    return call();
  } catch (const std::exception& error) {
    loader->error = error.what();
    return -1;
  }
}

extern "C" {
/// Opens a file of three columns, at the beginning or at a checkpoint. Always returns a loader; loader_next() fails if
/// the file cannot be read.
Loader* loader_open(const char* file, const char* checkpoint) {
  auto* const loader = new Loader;
  noting_failure(loader, [&] {
    const auto point = [](const Row& row) { return Point{std::get<0>(row), std::get<1>(row), std::get<2>(row)}; };
    const auto batches = forebay::csv_rows<Row>(file).map(2, point).stacked_batch(2);
    const auto place = checkpoint == nullptr ? std::nullopt : std::optional<std::string>(checkpoint);
    // NOLINTNEXTLINE(modernize-make-unique): that would move the pipeline, which cannot be moved
    loader->pipeline.reset(new forebay::Pipeline<Batch>(batches.run(place)));
    return 0;
  });
  return loader;
}

/// Returns 1 with a batch, which is valid until the next call; 0 at the end; -1 after a failure.
int loader_next(Loader* loader, const float** values, std::size_t* rows) {
  return noting_failure(loader, [&] {
    if (loader->pipeline == nullptr) return -1;
    if (loader->pipeline->next(loader->batch) != forebay::QueueStatus::ok) return 0;
    *values = loader->batch.values().data();
    *rows = loader->batch.size();
    return 1;
  });
}

/// Returns where a run continues, or null after a failure. Valid until the next call.
const char* loader_checkpoint(Loader* loader) {
  const auto save = [&] {
    loader->checkpoint = loader->pipeline->checkpoint();
    return 0;
  };
  return loader->pipeline != nullptr && noting_failure(loader, save) == 0 ? loader->checkpoint.c_str() : nullptr;
}

/// Returns the text of the last failure.
const char* loader_error(const Loader* loader) { return loader->error.c_str(); }

/// Stops the threads of the loader, waits for them, and destroys it.
void loader_close(Loader* loader) { delete loader; }
}

int main() {
  const auto folder = std::filesystem::temp_directory_path() / ("guide-" + std::to_string(std::random_device()()));
  std::filesystem::create_directory(folder);
  const std::string file = (folder / "points.csv").string();
  std::ofstream(file) << "1,2,3\n4,5,6\n7,8,9\n10,11,12\n13,14,15\n";

  Loader* const loader = loader_open(file.c_str(), nullptr);
  const float* values = nullptr;
  std::size_t rows = 0;
  while (loader_next(loader, &values, &rows) == 1) std::cout << rows << " rows from " << values[0] << " on\n";
  loader_close(loader);

  std::filesystem::remove_all(folder);
}
