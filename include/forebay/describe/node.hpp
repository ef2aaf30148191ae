// SPDX-License-Identifier: MIT
//
// node.hpp: Node<T>, the description of a stage and everything upstream, to which a Dataset<T> refers. Nodes form an
// immutable tree, which data sets made from one another share. To run it, open the last node, which opens the nodes
// upstream.

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

#include "forebay/base/hash.hpp"
#include "forebay/describe/described_stage.hpp"
#include "forebay/describe/epoch.hpp"
#include "forebay/describe/properties.hpp"
#include "forebay/describe/left_out.hpp"
#include "forebay/describe/single_use.hpp"
#include "forebay/describe/stage_name.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

template <class T>
class Chunk;
template <class T>
class Stream;

/// The environment in which a description is opened: a pipeline, or a plain loop.
class Runtime {
 public:
  Runtime() = default;
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;
  virtual ~Runtime() = default;

  /// Registers `action` to be called when the pipeline stops, or at once if it has. Any thread calls it, perhaps more
  /// than once, but not after the pipeline's threads have ended. Several threads may register actions concurrently.
  virtual void on_stop(std::function<void()> action) = 0;

  /// Reports that another run cannot resume something opened here; `why` is the reason.
  virtual void cannot_resume(const std::string& why) = 0;

  /// Returns whether it runs threads. Otherwise a map with threads runs like any other stage.
  [[nodiscard]] virtual bool runs_threads() const noexcept { return false; }

  /// Returns the counter of stages without a parallel stage downstream; null if nothing counts.
  [[nodiscard]] virtual std::shared_ptr<LeftOut> left_out() const noexcept { return nullptr; }
};

/// A runtime without threads. Only the outer runtime, if there is one, stops it.
class PlainRuntime final : public Runtime {
 public:
  explicit PlainRuntime(Runtime* outer = nullptr, std::shared_ptr<LeftOut> left_out = nullptr) noexcept
      : outer_(outer), left_out_(std::move(left_out)) {}

  void on_stop(std::function<void()> action) override {
    if (outer_ != nullptr) outer_->on_stop(std::move(action));
  }
  void cannot_resume(const std::string& why) override {
    if (outer_ != nullptr) outer_->cannot_resume(why);
  }
  [[nodiscard]] std::shared_ptr<LeftOut> left_out() const noexcept override { return left_out_; }

 private:
  Runtime* outer_;
  std::shared_ptr<LeftOut> left_out_;
};

/// What the downstream stages pass to a stage that is opened.
struct OpenContext {
  Runtime& runtime;
  EpochCount epochs{};          // how many may be read, from the downstream repeats alone
  std::uint64_t branch = 0;     // identifies the branch of the tree
  std::string name{};           // the stage's name from named(), or empty
  std::size_t extra_ahead = 0;  // elements that a prefetch downstream requests
  bool can_resume = true;       // stages note resume points
  bool is_elastic = false;      // Properties::is_elastic() of the last stage

  /// The lines of the elements; null if no downstream stage reports them.
  std::shared_ptr<SourceLines> lines{};

  std::shared_ptr<LeftOut> left_out{};  // counts what the stage leaves out; null if nothing counts

  /// Returns and clears the name. Without a name, returns `otherwise`.
  [[nodiscard]] std::string take_name(const char* otherwise) {
    std::string taken = name.empty() ? otherwise : std::move(name);
    name.clear();
    return taken;
  }

  /// Does the same for a stage that reports where a failing input element comes from. `input` has the properties of the
  /// input.
  [[nodiscard]] StageName take_name(const char* otherwise, const Properties& input) {
    if (input.make_lines == nullptr) return StageName(take_name(otherwise), input.locations);
    if (lines == nullptr) lines = input.make_lines();
    return StageName(take_name(otherwise), lines);
  }

  /// Returns the random stream of a stage with these properties. If the stage draws, the properties must already count
  /// it.
  [[nodiscard]] std::uint64_t stream(const Properties& properties) const noexcept {
    return hash_combine(properties.seed, branch, properties.random_stages, properties.salt);
  }

  /// Returns how many epochs of a stage with these properties may be read, from the repeats upstream and downstream.
  [[nodiscard]] EpochCount epochs_of(const Properties& properties) const noexcept {
    return properties.epochs * epochs;
  }

  /// Returns the opening for branch `index` of a stage with several inputs. The first branch is 0.
  [[nodiscard]] OpenContext into_branch(std::uint64_t index) const {
    OpenContext opening = *this;
    if (index > 0) opening.branch = hash_combine(branch, index);
    return opening;
  }
};

template <class T>
class IndexedSource;

/// What a stage requests of the one directly upstream.
template <class T>
struct Request {
  bool numbers_only = false;  // instead of elements, of a node that has an indexed_source()

  // By a batch stage: each chunk has exactly this many elements, fewer only at the end of an epoch. The workers call
  // `collate`, if it is set, on each chunk that becomes a batch. Only a map with threads complies.
  std::size_t fused_batch = 0;
  std::function<void(Chunk<T>&)> collate{};
};

template <class T>
class Node {
 public:
  using value_type = T;
  using SourcePointer = std::shared_ptr<const IndexedSource<T>>;

  explicit Node(Properties&& properties, SourcePointer source = nullptr)
      : properties_(std::move(properties)), source_(std::move(source)) {
    if (properties_.stages.empty() || properties_.stages.back().type != nullptr) return;
    properties_.stages.back().own_bytes = element_bytes<T>;
    properties_.stages.back().type = &type_mark<T>;
  }
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  virtual ~Node() = default;

  [[nodiscard]] const Properties& properties() const noexcept { return properties_; }

  /// Returns the source if all stages up to this one are indexed stages, repeats or seamless; otherwise null.
  [[nodiscard]] const SourcePointer& indexed_source() const noexcept { return source_; }

  /// Returns a stream of the elements, with the name of the stage. Changes `opening` for the upstream stages.
  [[nodiscard]] std::unique_ptr<Stream<T>> open(OpenContext&& opening, const Request<T>& request = {}) const {
    std::string name =
        opening.name.empty() && !properties_.stages.empty() ? properties_.stages.back().known.name : opening.name;
    auto stream = do_open(std::move(opening), request);
    // A stream that has a name belongs to an upstream stage: this stage made none.
    if (stream->name().empty()) stream->set_name(std::move(name));
    return stream;
  }

 private:
  [[nodiscard]] virtual std::unique_ptr<Stream<T>> do_open(OpenContext&& opening, const Request<T>& request) const = 0;

  Properties properties_;
  SourcePointer source_;
};

template <class T>
using NodePointer = std::shared_ptr<const Node<T>>;

/// Takes ownership of a new node. (std::make_shared of each node class would be a tenth of the code to compile.)
template <class T>
[[nodiscard]] NodePointer<T> shared_node(const Node<T>* node) {
  return NodePointer<T>(node);
}

/// Opens a description to run it, and uses up its single_uses. Throws std::invalid_argument if it cannot be run.
template <class T>
[[nodiscard]] std::unique_ptr<Stream<T>> open_run(const Node<T>& node, Runtime& runtime, std::uint64_t branch = 0) {
  if (!node.properties().endless.empty()) throw std::invalid_argument(node.properties().endless);
  SingleUse::use(node.properties().single_uses);
  OpenContext opening{runtime};
  opening.left_out = runtime.left_out();
  opening.branch = branch;
  opening.is_elastic = node.properties().is_elastic();
  opening.can_resume = node.properties().cannot_resume.empty();
  if (!opening.can_resume) runtime.cannot_resume(node.properties().cannot_resume);
  return node.open(std::move(opening));
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_DESCRIBE_NODE_HPP
