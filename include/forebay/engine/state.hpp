// SPDX-License-Identifier: MIT
//
// state.hpp: State, the parts of a queue: its sides and its discipline.

#ifndef FOREBAY_ENGINE_STATE_HPP
#define FOREBAY_ENGINE_STATE_HPP

#include <utility>

#include "forebay/base/thread_annotations.hpp"
#include "forebay/base/thread_record.hpp"
#include "forebay/count.hpp"
#include "forebay/engine/cell.hpp"
#include "forebay/engine/sides.hpp"
#include "forebay/engine/store.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// The last parameter is for debuggers, which do not see aliases.
template <class TheT, class TheDiscipline, class TheSync,
          class TheElement = typename TheDiscipline::template Stored<TheT>>
class State : public Sides<TheSync> {
 public:
  using T = TheT;
  using Discipline = TheDiscipline;
  using Sync = TheSync;
  using Element = TheElement;

  State(Capacity most, Discipline&& order)
      : Sides<Sync>(most, CellLayout<Sync>::template of<Element>(), order.min_after_dequeue(), order.waives_at_close(),
                    Discipline::kind, Discipline::moves_per_element),
        discipline(std::move(order)) {}
  ~State() { store().clear(this->producers.tail); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  [[no_unique_address]] Discipline discipline;

  /// Records that the calling thread has moved an element into or out of the queue.
  [[gnu::always_inline]] inline static void note_progress() noexcept { ThreadRecord<Sync>::note_progress(); }

  /// Returns the store with its type. Not analysed: this only passes the reference on and reads nothing.
  [[nodiscard]] Store<Element, Sync> store() noexcept FOREBAY_NO_THREAD_SAFETY_ANALYSIS {
    return Store<Element, Sync>(this->consumers.store);
  }
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_ENGINE_STATE_HPP
