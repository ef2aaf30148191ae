// SPDX-License-Identifier: MIT
//
// node.hpp: Node<T>, the description of a stage with all that stands before it: what a Dataset<T> refers to. An
// immutable tree, shared by the data sets that were made from one another. To run it, the last node is opened, which
// opens those before it.

#ifndef FOREBAY_DESCRIBE_NODE_HPP
#define FOREBAY_DESCRIBE_NODE_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "forebay/base/address.hpp"
#include "forebay/describe/described_stage.hpp"
#include "forebay/describe/epoch.hpp"
#include "forebay/describe/facts.hpp"
#include "forebay/describe/single_use.hpp"
#include "forebay/describe/stage_name.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

template <class T>
class Chunk;
template <class T>
class Stream;

/// In what a description is opened: a pipeline, or a plain loop.
class Host {
 public:
  Host() = default;
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;
  virtual ~Host() = default;

  /// Has `action` called when the pipeline stops, at once if it has, by any thread and perhaps more than once. The
  /// host calls it no more when its pipeline's threads have ended. May be called by several threads at once.
  virtual void on_stop(std::function<void()> action) = 0;

  /// Something was opened in it that cannot go on where it was in another run: `why`.
  virtual void cannot_resume(const std::string& why) = 0;

  /// Whether it runs threads. If not, a map with threads is run like any other stage.
  [[nodiscard]] virtual bool runs_threads() const noexcept { return false; }
};

/// A host without threads. Nobody stops it, or whoever stops the one that it stands in.
class PlainHost final : public Host {
 public:
  explicit PlainHost(Host* outer = nullptr) noexcept : outer_(outer) {}

  void on_stop(std::function<void()> action) override {
    if (outer_ != nullptr) outer_->on_stop(std::move(action));
  }
  void cannot_resume(const std::string& why) override {
    if (outer_ != nullptr) outer_->cannot_resume(why);
  }

 private:
  Host* outer_;
};

/// What a stage has to know from those behind it when it is opened.
struct Opening {
  Host& host;
  EpochCount epochs{};          // how many may be read, by the repeats downstream alone
  std::uint64_t branch = 0;     // which branch of the tree this is
  std::string name{};           // what named() calls the stage that is opened
  std::size_t extra_ahead = 0;  // elements that a prefetch behind asks for
  bool can_resume = true;       // where it is is of interest
  bool is_elastic = false;      // Facts::is_elastic() of the last stage

  /// Of the elements; null if no stage downstream asks for them.
  std::shared_ptr<SourceLines> lines{};

  /// Takes the name, or what the stage is called without one.
  [[nodiscard]] std::string take_name(const char* otherwise) {
    std::string taken = name.empty() ? otherwise : std::move(name);
    name.clear();
    return taken;
  }

  /// The same of a stage that tells the location of a failing element of its input, of which `input` is known.
  [[nodiscard]] StageName take_name(const char* otherwise, const Facts& input) {
    if (input.has_lines && lines == nullptr) lines = std::make_shared<SourceLines>();
    return StageName(take_name(otherwise), input.has_lines ? lines : nullptr);
  }

  /// The address of everything that a stage with these facts draws. Of a stage that draws, they count it.
  [[nodiscard]] std::uint64_t stream(const Facts& facts) const noexcept {
    return joined(facts.seed, branch, facts.random_stages, facts.salt);
  }

  /// How many epochs of a stage with these facts may be read, by the repeats upstream and downstream of it.
  [[nodiscard]] EpochCount epochs_of(const Facts& facts) const noexcept { return facts.epochs * epochs; }

  /// For the branch `index` of a stage that has several, the first of which is 0.
  [[nodiscard]] Opening into_branch(std::uint64_t index) const {
    Opening opening = *this;
    if (index > 0) opening.branch = joined(branch, index);
    return opening;
  }
};

template <class T>
class IndexedSource;

/// What a batch stage asks of the map right before it: chunks of exactly `count` elements, fewer only at the end of an
/// epoch; and if `gather` is given, that it is called on each of them, in the work, with what shall become of it.
template <class T>
struct Whole {
  std::size_t count;
  std::function<void(Chunk<T>&)> gather{};
};

template <class T>
class Node {
 public:
  using value_type = T;

  explicit Node(Facts facts) : facts_(std::move(facts)) {
    if (facts_.stages.empty() || facts_.stages.back().type != nullptr) return;
    facts_.stages.back().own_bytes = sizeof(T);
    facts_.stages.back().type = &type_mark<T>;
  }
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  virtual ~Node() = default;

  [[nodiscard]] const Facts& facts() const noexcept { return facts_; }

  /// Makes a stream that delivers it and has the name of the stage.
  [[nodiscard]] std::unique_ptr<Stream<T>> open(Opening opening) const {
    std::string name = name_of(opening);
    return named(do_open(std::move(opening)), std::move(name));
  }

  /// The same for a batch stage: a map with threads does what `whole` says. (Others do not: who cuts batches has to
  /// look at what he gets.)
  [[nodiscard]] std::unique_ptr<Stream<T>> open_whole(Opening opening, const Whole<T>& whole) const {
    std::string name = name_of(opening);
    return named(do_open_whole(std::move(opening), whole), std::move(name));
  }

  /// The source of it, if only indexed stages, repeats and seamless come before. Then open_numbers() makes a stream
  /// that delivers numbers instead of elements.
  [[nodiscard]] virtual std::shared_ptr<const IndexedSource<T>> indexed_source() const noexcept { return nullptr; }
  [[nodiscard]] std::unique_ptr<Stream<T>> open_numbers(Opening opening) const {
    std::string name = name_of(opening);
    return named(do_open_numbers(std::move(opening)), std::move(name));
  }

  /// Whether it is a map with threads, to which a prefetch behind it is but a larger `ahead`.
  [[nodiscard]] virtual bool takes_extra_ahead() const noexcept { return false; }

 private:
  [[nodiscard]] virtual std::unique_ptr<Stream<T>> do_open(Opening opening) const = 0;
  [[nodiscard]] virtual std::unique_ptr<Stream<T>> do_open_whole(Opening opening, const Whole<T>& /*whole*/) const {
    return do_open(std::move(opening));
  }
  // NOLINTNEXTLINE(performance-unnecessary-value-param)
  [[nodiscard]] virtual std::unique_ptr<Stream<T>> do_open_numbers(Opening /*opening*/) const { return nullptr; }

  [[nodiscard]] std::string name_of(const Opening& opening) const {
    if (!opening.name.empty() || facts_.stages.empty()) return opening.name;
    return facts_.stages.back().known.name;
  }

  /// A stream that already has a name belongs to a stage upstream: this stage made none of its own.
  [[nodiscard]] static std::unique_ptr<Stream<T>> named(std::unique_ptr<Stream<T>> stream, std::string name) {
    if (stream->name().empty()) stream->set_name(std::move(name));
    return stream;
  }

  Facts facts_;
};

template <class T>
using NodePointer = std::shared_ptr<const Node<T>>;

/// Owns a new node. (A std::make_shared of each class of nodes would be a tenth of what there is to compile.)
template <class T>
[[nodiscard]] NodePointer<T> shared_node(const Node<T>* node) {
  return NodePointer<T>(node);
}

/// Opens a description to run it. Throws std::invalid_argument if it cannot be run. What can be run once has to be used
/// up by the caller.
template <class T>
[[nodiscard]] std::unique_ptr<Stream<T>> open_used(const Node<T>& node, Host& host, std::uint64_t branch = 0) {
  if (!node.facts().endless.empty()) throw std::invalid_argument(node.facts().endless);
  Opening opening{host};
  opening.branch = branch;
  opening.is_elastic = node.facts().is_elastic();
  opening.can_resume = node.facts().cannot_resume.empty();
  if (!opening.can_resume) host.cannot_resume(node.facts().cannot_resume);
  return node.open(std::move(opening));
}

/// Does the same for a description that may have been run already. If it fails, nothing of the description is used up.
template <class T>
[[nodiscard]] std::unique_ptr<Stream<T>> open_run(const Node<T>& node, Host& host, std::uint64_t branch = 0) {
  SingleUse::Use use(node.facts().single_uses);
  auto stream = open_used(node, host, branch);
  use.keep();
  return stream;
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_DESCRIBE_NODE_HPP
