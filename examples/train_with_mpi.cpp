// SPDX-License-Identifier: MIT
//
// Trains the classifier of the main example on many machines at once, with MPI. What you learn here:
//
//   - every rank has its shard of the same global batches, for any number of ranks. Each rank computes which records it
//     reads, so the input sends no messages;
//   - a failure or Ctrl-C in one rank ends all ranks together, with the same message;
//   - a checkpoint of the input is one line of text. Rank 0 saves it with the weights, and the training can resume with
//     any number of ranks that divides the global batch.
//
//   mpirun -n 4 train_with_mpi --epochs 5 --checkpoint model.txt
//
// MPI provides the rank and the number of ranks for shard(). Without MPI, use SLURM_PROCID and SLURM_NTASKS under
// Slurm, or RANK and WORLD_SIZE under torchrun, and sum the gradients in another way.

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <forebay/coordinator.hpp>
#include <forebay/dataset.hpp>

#include "fashion_mnist.hpp"
#include "interruption.hpp"
#include "options.hpp"
#include "ranks.hpp"
#include "saved_model.hpp"
#include "softmax_classifier.hpp"

namespace {

constexpr std::size_t global_batch = 32;
constexpr std::size_t steps_between_checkpoints = 20;

/// Describes this rank's shard of each global batch. The shards have the same size.
forebay::Dataset<std::vector<LabelledImage>> batches_of(const Ranks& ranks, const Options& options) {
  if (global_batch % static_cast<std::size_t>(ranks.count()) != 0) {
    throw std::runtime_error(std::to_string(ranks.count()) + " ranks cannot share batches of " +
                             std::to_string(global_batch));
  }
  return records(options.data, "train")
      .seed(options.seed)
      .shuffle()
      .shard(ranks.rank(), ranks.count(), forebay::Even::drop)
      .repeat(options.epochs)
      .map(options.threads, decode)
      .batch(global_batch / static_cast<std::size_t>(ranks.count()), {.remainder = forebay::drop});
}

class Training {
 public:
  /// Resumes from the checkpoint in `file` and saves new ones there, unless the name is empty.
  Training(const Ranks& ranks, const Options& options, std::filesystem::path file, forebay::Coordinator& coordinator)
      : ranks_(ranks), options_(options), file_(std::move(file)), coordinator_(coordinator) {}

  void run() {
    std::string saved;
    ranks_.together([&] {
      if (ranks_.rank() == 0 && !file_.empty()) saved = SavedModel::text_of(file_);
      return 0;
    });
    Ranks::broadcast(saved, 0);
    std::optional<forebay::Pipeline<std::vector<LabelledImage>>> batches;
    ranks_.together([&] {
      std::optional<std::string> from;
      if (!saved.empty()) {
        const SavedModel parsed = SavedModel::parse(saved, file_, SoftmaxClassifier::parameter_count);
        classifier_.set_parameters(parsed.parameters);
        from = parsed.checkpoint;
      }
      batches.emplace(batches_of(ranks_, options_), from, coordinator_);
      return 0;
    });
    train(*batches);
  }

  void report() const {
    const std::chrono::duration<double> whole = std::chrono::steady_clock::now() - begin_;
    const double mine = waited_ / whole;
    std::vector<double> shares(static_cast<std::size_t>(ranks_.count()));
    MPI_Gather(&mine, 1, MPI_DOUBLE, shares.data(), 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (ranks_.rank() != 0) return;
    std::cout << steps_ << " steps";
    if (steps_ > 0) {
      std::cout << ", mean loss " << std::fixed << std::setprecision(4)
                << loss_ / static_cast<float>(steps_ * global_batch);
    }
    std::cout << '\n';
    for (std::size_t rank = 0; rank < shares.size(); ++rank) {
      std::cout << "rank " << rank << " waited for input " << std::fixed << std::setprecision(1) << 100 * shares[rank]
                << " % of its time\n";
    }
  }

 private:
  /// The state that the ranks agree on before each step: the largest state of all ranks.
  enum Next : int { step, end, stop };

  void train(forebay::Pipeline<std::vector<LabelledImage>>& batches) {
    std::vector<LabelledImage> batch;
    std::vector<float> gradient(SoftmaxClassifier::parameter_count + 1);  // plus the loss
    std::string place = batches.checkpoint();
    while (ranks_.together([&] { return next(batches, batch); }) == step) {
      gradient.assign(gradient.size(), 0.0F);
      gradient.back() = classifier_.add_gradient(batch, gradient);
      Ranks::sum(gradient);
      classifier_.descend(gradient, global_batch);
      loss_ += gradient.back();
      place = batches.checkpoint();
      if (++steps_ % steps_between_checkpoints == 0) save(place);
    }
    save(place);
  }

  int next(forebay::Pipeline<std::vector<LabelledImage>>& batches, std::vector<LabelledImage>& batch) {
    const auto begin = std::chrono::steady_clock::now();
    const forebay::QueueStatus status = batches.next(batch);
    waited_ += std::chrono::steady_clock::now() - begin;
    if (status == forebay::QueueStatus::ok) return step;
    return status == forebay::QueueStatus::stopped ? stop : end;
  }

  /// The checkpoint after the last step that all ranks have completed. It excludes a batch that was taken but not used.
  void save(const std::string& place) {
    ranks_.together([&] {
      if (ranks_.rank() == 0 && !file_.empty()) {
        SavedModel{place, classifier_.parameters()}.write(file_);
      }
      return 0;
    });
  }

  const Ranks& ranks_;
  const Options& options_;
  const std::filesystem::path file_;
  forebay::Coordinator& coordinator_;
  SoftmaxClassifier classifier_;
  std::size_t steps_ = 0;
  float loss_ = 0.0F;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::chrono::duration<double> waited_{};
};

/// Removes `--checkpoint FILE` from the arguments, and returns FILE.
std::filesystem::path take_checkpoint(std::vector<char*>& arguments) {
  const auto is_it = [](const char* argument) { return std::string_view(argument) == "--checkpoint"; };
  const auto option = std::find_if(arguments.begin(), arguments.end(), is_it);
  if (option == arguments.end()) return {};
  if (option + 1 == arguments.end()) throw std::runtime_error("--checkpoint needs a file");
  std::filesystem::path file = *(option + 1);
  arguments.erase(option, option + 2);
  return file;
}

int run(int argument_count, char** arguments) {
  const Ranks ranks;
  try {
    std::vector<char*> others(arguments + 1, arguments + argument_count);
    const std::filesystem::path file = take_checkpoint(others);
    const Options options = Options::parse(others);
    if (options.help) {
      if (ranks.rank() == 0)
        std::cout << "usage: train_with_mpi [--checkpoint FILE], and what the main example takes\n";
      return EXIT_SUCCESS;
    }
    Interruption::listen();
    forebay::Coordinator coordinator;
    coordinator.launch("interruption", [&] { Interruption::pass_on(coordinator); });
    Training training(ranks, options, file, coordinator);
    training.run();
    training.report();
    coordinator.request_stop();
    coordinator.join();
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    if (ranks.rank() == 0) std::cerr << "train_with_mpi: " << error.what() << '\n';
    return EXIT_FAILURE;
  }
}

}  // namespace

int main(int argument_count, char** arguments) {
  int threads_of_mpi = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argument_count, &arguments, MPI_THREAD_FUNNELED, &threads_of_mpi);  // only this thread calls MPI
  const int status = run(argument_count, arguments);
  MPI_Finalize();
  return status;
}
