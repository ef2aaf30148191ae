// SPDX-License-Identifier: MIT
//
// Trains a small image classifier with an input pipeline made of forebay's parts. What you learn here:
//
//   - how reader threads (QueueRunner) feed a training loop through a RandomShuffleQueue, which mixes what they read;
//   - how a loop takes batches into storage it reuses, and gets the last, short batch instead of losing it;
//   - how one Coordinator holds two such pipelines together (training set, test set), and how whatever goes wrong in
//     any thread - a file missing, truncated, not what it says - stops them all and comes out of one join();
//   - how Ctrl-C stops them, too.
//
//   training files -> ImageSource -> readers -> RandomShuffleQueue -> train() ----.
//                                                                                 |-- one Coordinator, one join()
//   test files -----> ImageSource -> reader --> FIFOQueue ----------> evaluate() -'
//
// Run it without arguments, at a terminal: at the end it draws what it has learned. --help lists the options.

#include <cstddef>
#include <cstdlib>
#include <exception>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <forebay/forebay.hpp>

#include "confusion_table.hpp"
#include "image_source.hpp"
#include "interruption.hpp"
#include "labelled_image.hpp"
#include "options.hpp"
#include "progress_line.hpp"
#include "softmax_classifier.hpp"
#include "terminal.hpp"
#include "terminal_picture.hpp"

namespace {

constexpr std::size_t batch_size = 32;

using ShuffledImages = forebay::RandomShuffleQueue<LabelledImage>;
using OrderedImages = forebay::FIFOQueue<LabelledImage>;

/// Trains on batches until the queue is closed and drained, or the coordinator wants everybody to stop.
void train(ShuffledImages& images, forebay::Coordinator& coordinator, const ImageSource& source,
           SoftmaxClassifier& classifier, ProgressLine& progress) {
  std::vector<LabelledImage> batch;  // its storage serves all batches
  // dequeue_up_to waits for a full batch as dequeue_many does, but at the end it also delivers what is left. After a
  // stop it would deliver what is stored, too.
  while (!coordinator.should_stop() &&
         images.dequeue_up_to(batch_size, batch, coordinator) == forebay::QueueStatus::ok) {
    const float loss = classifier.train(batch);
    // A full queue says that the readers keep up; one near min_after_dequeue asks for more of them.
    const double fill = static_cast<double>(images.size()) / static_cast<double>(images.capacity());
    progress.add_batch(batch.size(), loss, source.images_per_epoch(), fill);
  }
}

/// Classifies the test set. A loop over a queue ends when the queue is closed and drained, as its runner does at the
/// end of the input and at a stop; it throws if the queue was closed because a reader failed.
void evaluate(OrderedImages& images, const SoftmaxClassifier& classifier, ConfusionTable& confusion) {
  for (const LabelledImage& image : images) confusion.add(image.label, classifier.classify(image.pixels));
}

std::string percent(std::size_t part, std::size_t whole) {
  if (whole == 0) return "-";  // a class that the test set does not have
  return std::to_string((200 * part / whole + 1) / 2) + " %";
}

void report(const Terminal& terminal, const SoftmaxClassifier& classifier, const ConfusionTable& confusion) {
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
  print(std::cout, text.str());
}

void run(const Options& options) {
  ImageSource training_source(options.data / "train-images-idx3-ubyte", options.data / "train-labels-idx1-ubyte",
                              options.epochs);
  ImageSource test_source(options.data / "t10k-images-idx3-ubyte", options.data / "t10k-labels-idx1-ubyte", 1);

  // Shuffling mixes over what is stored, so at least 512 images stay in the queue until the readers are done.
  ShuffledImages training_images({.capacity = 1024, .min_after_dequeue = 512, .seed = options.seed});
  OrderedImages test_images(64);

  forebay::Coordinator coordinator;
  forebay::QueueRunner training_readers(training_images, options.readers, [&] { return training_source.next(); });
  forebay::QueueRunner test_reader(test_images, 1, [&] { return test_source.next(); });

  const Terminal terminal = Terminal::of_standard_output();
  SoftmaxClassifier classifier;
  ConfusionTable confusion;
  try {
    ProgressLine progress(std::cout, terminal, options.epochs);
    coordinator.launch("interruption", [&] { Interruption::pass_on(coordinator); });
    training_readers.start(coordinator);
    test_reader.start(coordinator);  // already now: it fills its queue and waits, and a bad file is found at once
    train(training_images, coordinator, training_source, classifier, progress);
    evaluate(test_images, classifier, confusion);
  } catch (...) {
    coordinator.request_stop(std::current_exception());
  }
  coordinator.request_stop();
  coordinator.join();  // all threads have ended; if anything failed, in whichever of them, it is thrown here

  if (Interruption::signal_number() == 0) report(terminal, classifier, confusion);
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
    return 128 + Interruption::signal_number();  // as a shell says it: 130 after Ctrl-C
  } catch (const std::exception& error) {
    std::cerr << "train_fashion_mnist: " << error.what() << '\n';
    return EXIT_FAILURE;
  }
}
