// SPDX-License-Identifier: MIT
//
// The command line of train_fashion_mnist.

#ifndef FOREBAY_EXAMPLES_OPTIONS_HPP
#define FOREBAY_EXAMPLES_OPTIONS_HPP

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include <forebay/usable_cores.hpp>

/// The options of the user. An unknown option is a std::invalid_argument that says what is wrong.
struct Options {
  static constexpr std::string_view usage =
      "Trains a softmax classifier on Fashion-MNIST, fed by an input pipeline with\n"
      "threads. Ctrl-C ends it.\n"
      "\n"
      "usage: train_fashion_mnist [--data DIR] [--epochs N] [--threads N] [--seed N]\n"
      "                           [--watch]\n"
      "  --data DIR   folder with the four IDX files, not gzip-compressed\n"
      "               (default: the sample beside the source)\n"
      "  --epochs N   how often to go through the training set (default: 20)\n"
      "  --threads N  threads that decode, the loop's own included (default: as many\n"
      "               as there are cores that the program may use)\n"
      "  --seed N     seed of the shuffling (default: 7)\n"
      "  --watch      shows, while it trains, which stage of the input limits it\n"
      "  -h, --help   print this and exit\n"
      "--epochs=N and the like are understood, too.\n";

  std::filesystem::path data = FOREBAY_EXAMPLE_DATA "/fashion-mnist";  // set by examples/CMakeLists.txt
  std::size_t epochs = 20;
  std::size_t threads = forebay::usable_cores();
  std::uint64_t seed = 7;
  bool watch = false;
  bool help = false;

  /// Reads the arguments that follow the program's name.
  static Options parse(std::span<char* const> arguments) {
    Options options;
    while (!arguments.empty()) {
      const std::string_view argument = arguments.front();
      if (argument == "-h" || argument == "--help") {
        options.help = true;
        return options;
      }
      if (argument == "--watch") {
        options.watch = true;
        arguments = arguments.subspan(1);
        continue;
      }
      const std::string_view name = argument.substr(0, argument.find('='));
      if (name == "--data") {
        options.data = folder(name, take_value(name, arguments));
      } else if (name == "--epochs") {
        options.epochs = number<std::size_t>(name, take_value(name, arguments), 1, 100'000);
      } else if (name == "--threads") {
        options.threads = number<std::size_t>(name, take_value(name, arguments), 1, 256);
      } else if (name == "--seed") {
        options.seed =
            number<std::uint64_t>(name, take_value(name, arguments), 0, std::numeric_limits<std::uint64_t>::max());
      } else {
        throw std::invalid_argument("unknown option '" + std::string(argument) + "' (--help lists them)");
      }
    }
    return options;
  }

 private:
  /// Removes the first argument, NAME=VALUE, or the first two, NAME and VALUE.
  static std::string_view take_value(std::string_view name, std::span<char* const>& arguments) {
    const std::string_view argument = arguments.front();
    arguments = arguments.subspan(1);
    if (argument.size() > name.size()) return argument.substr(name.size() + 1);
    if (arguments.empty()) throw std::invalid_argument(std::string(name) + " needs a value");
    const std::string_view value = arguments.front();
    arguments = arguments.subspan(1);
    return value;
  }

  static std::filesystem::path folder(std::string_view name, std::string_view text) {
    if (text.empty()) throw std::invalid_argument(std::string(name) + " must be a folder, not ''");
    return text;
  }

  template <class Number>
  static Number number(std::string_view name, std::string_view text, Number lowest, Number highest) {
    Number value{};
    const char* const end = text.data() + text.size();
    const auto [stopped_at, error] = std::from_chars(text.data(), end, value);
    if (error == std::errc{} && stopped_at == end && value >= lowest && value <= highest) return value;
    throw std::invalid_argument(std::string(name) + " must be a whole number from " + std::to_string(lowest) + " to " +
                                std::to_string(highest) + ", not '" + std::string(text) + "'");
  }
};

#endif  // FOREBAY_EXAMPLES_OPTIONS_HPP
