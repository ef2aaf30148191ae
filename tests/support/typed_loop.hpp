// SPDX-License-Identifier: MIT
//
// typed_loop.hpp: TypedLoop, a PipelineLoop over outputs of a known type.

#ifndef FOREBAY_TESTS_SUPPORT_TYPED_LOOP_HPP
#define FOREBAY_TESTS_SUPPORT_TYPED_LOOP_HPP

#include <cstddef>

#include "forebay/parallel/pipeline_loop.hpp"

namespace forebay_test {

template <class T, class Sync>
class TypedLoop : public forebay::detail::PipelineLoop<Sync> {
  using Base = forebay::detail::PipelineLoop<Sync>;
  using EpochBound = forebay::detail::EpochBound;

 public:
  /// `open(runtime)` returns a stream of T.
  template <class Open>
  TypedLoop(const Open& open, const forebay::detail::Properties& properties, std::size_t most,
            const forebay::detail::Checkpoint* from = nullptr)
      : Base([&open](forebay::detail::Runtime& runtime) { return forebay::detail::make_input<T>(open(runtime)); },
             properties, most, from) {}

  /// `use` is called with a T&.
  template <class Use>
  forebay::QueueStatus take(const forebay::BasicWait<Sync>& wait, EpochBound* bound, const Use& use) {
    return Base::take(wait, bound, forebay::detail::use_as<T>(use));
  }
  template <class Use>
  void for_each(const Use& use, EpochBound* bound) {
    Base::for_each(forebay::detail::use_as<T>(use), bound);
  }
};

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_TYPED_LOOP_HPP
