// SPDX-License-Identifier: MIT
//
// PyTorch's C++ DataLoader.

#include <fcntl.h>
#include <torch/data.h>
#include <torch/types.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "../require.hpp"
#include "from_disk.hpp"

namespace forebay_benchmark::input {
namespace {

// The records of a file by index, as PyTorch's own data sets are: `get` runs in any worker.
class TorchRecords : public torch::data::datasets::Dataset<TorchRecords> {
 public:
  explicit TorchRecords(const DiskTask& task) : task_(&task), file_(open(task.file.path())) {}

  torch::data::Example<> get(std::size_t index) override {
    Record record;
    const ssize_t read =
        ::pread(*file_, record.bytes.data(), sizeof record, static_cast<off_t>(index * sizeof record));
    require(read == static_cast<ssize_t>(sizeof record), "a record cannot be read");
    torch::Tensor pixels = torch::empty({static_cast<std::int64_t>(pixel_count)});
    const std::uint32_t label =
        task_->decode(record, std::span<float, pixel_count>(pixels.data_ptr<float>(), pixel_count));
    return {std::move(pixels), torch::full({}, static_cast<std::int64_t>(label), torch::kInt64)};
  }
  torch::optional<std::size_t> size() const override { return task_->count; }

 private:
  static std::shared_ptr<const int> open(const std::filesystem::path& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    require(file >= 0, "the file of records cannot be read");
    return {new int(file), [](const int* opened) {
              ::close(*opened);
              delete opened;
            }};
  }

  const DiskTask* task_;
  std::shared_ptr<const int> file_;  // the workers have copies of the data set
};

}  // namespace

void run_torch(const DiskTask& task, ReadingStep& training, std::size_t workers) {
  const auto loader = torch::data::make_data_loader<torch::data::samplers::RandomSampler>(
      TorchRecords(task).map(torch::data::transforms::Stack<>()),
      torch::data::DataLoaderOptions().batch_size(images_of_a_batch).workers(workers));
  for (const auto& batch : *loader) {
    const auto* const labels = batch.target.data_ptr<std::int64_t>();
    const auto* const pixels = batch.data.data_ptr<float>();
    for (std::size_t i = 0; i < static_cast<std::size_t>(batch.data.size(0)); ++i) {
      training.add(pixels + i * pixel_count, static_cast<std::uint32_t>(labels[i]));
    }
  }
}

}  // namespace forebay_benchmark::input
