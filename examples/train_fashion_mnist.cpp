// SPDX-License-Identifier: MIT
//
// Trains a small image classifier. What you learn here:
//
//   - how to describe the input of a training loop, from files to batches, and run it on several threads;
//   - how the loop reads it epoch by epoch, with reused storage, and with the same batches in every run for any number
//     of threads;
//   - how the loop rethrows, in order, a failure in any thread, such as a truncated file or an invalid label;
//   - how one Coordinator stops all threads, also after Ctrl-C;
//   - what limits the speed, and how a run resumes from a checkpoint.
//
//   files -> records -> shuffled records -> decoded on several threads -> batches -> train()
//   files -> records -------------------> decoded on several threads -> evaluate()
//
// Run it in a terminal without arguments: at the end it draws what it has learned. With --watch it also shows which
// stage limits the input. --help lists the options.

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <iomanip>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <forebay/coordinator.hpp>
#include <forebay/dataset.hpp>
#include <forebay/progress_line.hpp>
#include <forebay/report.hpp>

#include "confusion_table.hpp"
#include "fashion_mnist.hpp"
#include "interruption.hpp"
#include "live_view.hpp"
#include "options.hpp"
#include "softmax_classifier.hpp"
#include "terminal.hpp"
#include "terminal_picture.hpp"

namespace {

/// With --watch, shows which stage limits the pipeline, until it is destroyed.
template <class T>
std::unique_ptr<LiveView> watch(const Options& options, const forebay::Pipeline<T>& pipeline) {
  if (!options.watch) return nullptr;
  return std::make_unique<LiveView>(std::cout, Terminal::of_standard_output(),
                                    [&pipeline] { return pipeline.statistics(); });
}

/// Describes the training data: each epoch has a different order, and records are shuffled while they are small. The
/// window keeps reads sequential, which is faster than to shuffle all records.
forebay::Dataset<std::vector<LabelledImage>> training_batches(const Options& options) {
  return records(options.data, "train")
      .seed(options.seed)
      .repeat(options.epochs)
      .shuffle(1024)
      .map(options.threads, decode)
      .batch(32);
}

/// Returns what limits the speed of the training, and what would help.
std::string train(const Options& options, std::size_t images_per_epoch, const Terminal& terminal,
                  forebay::Coordinator& coordinator, SoftmaxClassifier& classifier) {
  auto batches = training_batches(options).run(coordinator);
  const auto view = watch(options, batches);
  forebay::ProgressLine progress(
      std::cout, batches,
      {.redraw = terminal.live, .epochs = options.epochs, .elements_per_epoch = images_per_epoch, .unit = "images"});
  float loss = 0;  // a moving average
  float count = 0;
  for (std::vector<LabelledImage>& batch : batches) {
    count = std::min(count + 1, 50.0F);
    loss += (classifier.train(batch) - loss) / count;
    progress.set_columns(terminal.columns());
    progress.add(batch.size(), {{"loss", loss}});
  }
  return forebay::verdict(batches.statistics());
}

/// Trains for one epoch. If `stop` is not 0, stops after that many batches, and resumes from a checkpoint, with one
/// thread more. Returns what was learned.
std::vector<float> parameters_after_epoch(Options options, forebay::Coordinator& coordinator, std::size_t stop) {
  options.epochs = 1;
  SoftmaxClassifier classifier;
  std::optional<std::string> checkpoint;
  {
    auto batches = training_batches(options).run(coordinator);
    std::size_t count = 0;
    for (const std::vector<LabelledImage>& batch : batches) {
      classifier.train(batch);
      if (++count != stop) continue;
      checkpoint = batches.checkpoint();
      break;
    }
  }
  if (!checkpoint) return classifier.parameters();
  ++options.threads;
  for (const auto& batch : training_batches(options).run(checkpoint, coordinator)) classifier.train(batch);
  return classifier.parameters();
}

ConfusionTable evaluate(const Options& options, forebay::Coordinator& coordinator,
                        const SoftmaxClassifier& classifier) {
  ConfusionTable confusion;
  auto images = records(options.data, "t10k").map(options.threads, decode).run(coordinator);
  for (const LabelledImage& image : images) confusion.add(image.label, classifier.classify(image.pixels));
  return confusion;
}

std::string percent(std::size_t part, std::size_t whole) {
  if (whole == 0) return "-";  // the test set has no images of this class
  return std::to_string((200 * part / whole + 1) / 2) + " %";
}

/// What report() shows, apart from the classifier.
struct Findings {
  std::string limit;  // of the speed of the training
  bool resumes_exactly = false;
  ConfusionTable confusion{};
};

void report(const Terminal& terminal, const SoftmaxClassifier& classifier, const Findings& findings) {
  const ConfusionTable& confusion = findings.confusion;
  std::vector<TerminalPicture::Panel> panels;
  for (std::size_t k = 0; k < class_count; ++k) {
    const std::string accuracy = percent(confusion.correct_of(k), confusion.total_of(k));
    panels.push_back({std::string(class_names[k]), accuracy, classifier.class_template(k)});
  }
  std::ostringstream text;
  TerminalPicture(terminal).draw(text, panels);

  const double accuracy = static_cast<double>(confusion.correct()) / static_cast<double>(confusion.total());
  text << std::fixed << std::setprecision(3) << "\ntest accuracy " << accuracy << " (" << confusion.correct() << " of "
       << confusion.total() << ")\nmost often mistaken:\n";
  for (const ConfusionTable::Confusion& mistake : confusion.most_confused(3)) {
    text << "  " << class_names[mistake.truth] << " for " << class_names[mistake.guess] << " (" << mistake.count
         << ")\n";
  }
  const std::size_t columns = std::min<std::size_t>(terminal.columns(), 100);
  text << '\n'
       << wrapped(findings.limit, columns) << '\n'
       << wrapped(
              std::string("An epoch that stops in the middle and resumes, with another number of threads, learns ") +
                  (findings.resumes_exactly ? "exactly the same." : "something else: please report this."),
              columns);
  print(std::cout, text.str());
}

void run(const Options& options) {
  const std::size_t images_per_epoch = records(options.data, "train").size();
  static_cast<void>(records(options.data, "t10k"));  // report a damaged test set now, not after the training

  const Terminal terminal = Terminal::of_standard_output();
  SoftmaxClassifier classifier;
  Findings findings;
  forebay::Coordinator coordinator;
  coordinator.launch("interruption", [&] { Interruption::pass_on(coordinator); });
  try {
    findings.limit = train(options, images_per_epoch, terminal, coordinator, classifier);
    findings.confusion = evaluate(options, coordinator, classifier);
    findings.resumes_exactly = parameters_after_epoch(options, coordinator, 0) ==
                               parameters_after_epoch(options, coordinator, images_per_epoch / 64);
  } catch (...) {
    coordinator.request_stop(std::current_exception());
  }
  coordinator.request_stop();
  coordinator.join();  // waits for all threads; rethrows the first failure

  if (Interruption::signal_number() == 0) report(terminal, classifier, findings);
}

}  // namespace

int main(int argument_count, char** arguments) {
  try {
    const Options options = Options::parse({arguments + 1, arguments + argument_count});
    if (options.help) {
      print(std::cout, Options::usage);
      return EXIT_SUCCESS;
    }
    Interruption::listen();
    run(options);
    if (Interruption::signal_number() == 0) return EXIT_SUCCESS;
    std::cerr << "train_fashion_mnist: interrupted\n";
    return 128 + Interruption::signal_number();  // the convention of shells: 130 after Ctrl-C
  } catch (const std::exception& error) {
    std::cerr << "train_fashion_mnist: " << error.what() << '\n';
    return EXIT_FAILURE;
  }
}
