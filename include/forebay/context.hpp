// SPDX-License-Identifier: MIT
//
// context.hpp: Context, what a function of a data set can ask about its element, and a reader about the element that it
// reads: the position, random numbers, and whether the pipeline stops.
//
//   images.map(4, [](Image image, forebay::Context& context) {
//     if (context.draw().uniform() < 0.5) image.mirror();   // the same images each run, whatever the threads do
//     return image;
//   });
//
//   forebay::from_callable([&queue](forebay::Context& context) { return queue.dequeue(context.until_stop()); });
//
// Lifetime: that of the call it is given to; for flat_map's function, that of what the function returned.
//
// Thread safety: belongs to the thread of the call.

#ifndef FOREBAY_CONTEXT_HPP
#define FOREBAY_CONTEXT_HPP

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "forebay/base/address.hpp"
#include "forebay/base/random_bits.hpp"
#include "forebay/count.hpp"
#include "forebay/position.hpp"
#include "forebay/sync.hpp"
#include "forebay/version.hpp"
#include "forebay/wait.hpp"

namespace forebay::FOREBAY_ABI {

/// A uniform random bit generator, for the distributions of the standard library or by its own members. All but
/// normal() gives the same numbers on every platform; that gives the same but for rounding.
class Draw {
 public:
  using result_type = std::uint64_t;

  explicit Draw(std::uint64_t seed) noexcept : bits_(seed) {}

  [[nodiscard]] static constexpr result_type min() noexcept { return 0; }
  [[nodiscard]] static constexpr result_type max() noexcept { return std::numeric_limits<result_type>::max(); }
  result_type operator()() noexcept { return bits_(); }

  /// A number from 0 up to, but not including, 1.
  [[nodiscard]] double uniform() noexcept { return static_cast<double>(bits_() >> 11) * 0x1p-53; }

  /// A whole number from 0 up to, but not including, `count`. Throws std::invalid_argument if there is none.
  [[nodiscard]] std::uint64_t below(Count count) { return bits_.below(count.at_least(1, "below: count")); }

  /// A number of the normal distribution with mean 0 and standard deviation 1, by the method of Box and Muller.
  [[nodiscard]] double normal() noexcept {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    return radius * std::cos(6.283185307179586 * uniform());
  }

 private:
  detail::RandomBits bits_;
};

namespace detail {

/// Who knows whether the pipeline is to stop.
class StopQuery {
 public:
  [[nodiscard]] virtual bool stop_requested() const noexcept = 0;

  /// What to wait with until the pipeline is to stop: for ever, if nothing stops it.
  [[nodiscard]] virtual Wait until_stop() const noexcept { return Wait(); }

 protected:
  StopQuery() = default;
  StopQuery(const StopQuery&) = default;
  StopQuery& operator=(const StopQuery&) = default;
  ~StopQuery() = default;
};

/// A stop signal, as what a Wait is made from. Those of other policies than the standard one never stop a user's wait.
struct SignalledStop {
  [[nodiscard]] StopSignal<StdSync>& stop_signal() const noexcept { return signal; }
  [[nodiscard]] static Wait wait_for(StopSignal<StdSync>& signal) noexcept { return Wait(SignalledStop{signal}); }
  template <class Sync>
  [[nodiscard]] static Wait wait_for(StopSignal<Sync>& /*signal*/) noexcept {
    return Wait();
  }

  StopSignal<StdSync>& signal;
};

}  // namespace detail

class Context {
 public:
  /// For tests of functions and readers that take one: of an element at `position`, in a pipeline that does not stop.
  /// Draws depend on `stream` and the position only.
  explicit Context(Position position, std::uint64_t stream = 0, const detail::StopQuery* stop = nullptr) noexcept
      : position_(position), stream_(stream), stop_(stop) {}

  /// The element's own generator, which goes on from draw to draw. What it gives depends on the seed of the data set,
  /// the stage and the position of the element, and on nothing else.
  [[nodiscard]] Draw& draw() noexcept {
    if (!drew_) draw_ = Draw(detail::joined(stream_, position_.epoch, position_.number));
    drew_ = true;
    return draw_;
  }

  /// Which element it is: as the stage before numbered it. In a reader it is the element that is about to be read; its
  /// number is how many elements this reader has read in the epoch, whatever numbers they have downstream.
  [[nodiscard]] Position position() const noexcept { return position_; }

  /// Whether the pipeline is to stop, so that nobody waits for the result. What takes longer than a few milliseconds
  /// asks now and then. Then a function returns anything, or throws, and a reader reports its end, or throws: neither
  /// counts. True, too, for a reader of an interleave with .prefetch whose input is not wanted any more.
  [[nodiscard]] bool should_stop() const noexcept { return stop_ != nullptr && stop_->stop_requested(); }

  /// How long to wait in a call of forebay's: until the pipeline is to stop. For ever, if nothing stops it. Valid until
  /// the call that was given this Context returns.
  ///
  ///   auto record = queue.dequeue(context.until_stop());
  [[nodiscard]] Wait until_stop() const noexcept { return stop_ != nullptr ? stop_->until_stop() : Wait(); }

  // ---- For stages

  /// Who is asked from now on.
  void ask(const detail::StopQuery* stop) noexcept { stop_ = stop; }

 private:
  Position position_;
  std::uint64_t stream_;
  const detail::StopQuery* stop_;
  bool drew_ = false;
  Draw draw_{0};
};

/// Belongs to the call that it is given to.
template <class T>
class Out {
 public:
  using value_type = T;

  Out(const Out&) = delete;
  Out& operator=(const Out&) = delete;
  virtual ~Out() = default;

  /// The next result. Any number of them may come from one element.
  void emit(T element) { put(std::move(element)); }

  /// Ends the epoch behind what was emitted: no further element of it is read, and finish() is called next. What is
  /// emitted by this call after end() is dropped.
  void end() { end_epoch(); }

 protected:
  Out() = default;

 private:
  virtual void put(T&& element) = 0;
  virtual void end_epoch() noexcept = 0;
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_CONTEXT_HPP
