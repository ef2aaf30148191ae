// SPDX-License-Identifier: MIT
//
// reject.hpp: how an impossible setting is rejected: by an exception whose message names the numbers. Written once for
// all types of queues, and apart from the code that checks, which stays small.

#ifndef FOREBAY_BASE_REJECT_HPP
#define FOREBAY_BASE_REJECT_HPP

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <stdexcept>
#include <utility>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// A part of a message: words, or a number.
struct MessagePart {
  MessagePart(const char* what) noexcept : words(what) {}
  template <std::integral Number>
  MessagePart(Number value) noexcept
      : is_negative(std::cmp_less(value, 0)),
        number(is_negative ? 0 - static_cast<unsigned long long>(value) : static_cast<unsigned long long>(value)) {}

  const char* words = nullptr;
  bool is_negative = false;
  unsigned long long number = 0;
};

/// What the parts say one behind the other, in memory of its own: cut off where it does not fit.
class Message {
 public:
  [[gnu::noinline]] explicit Message(std::initializer_list<MessagePart> parts) noexcept {
    append("forebay: ");
    for (const MessagePart& part : parts) {
      if (part.words != nullptr) {
        append(part.words);
      } else {
        if (part.is_negative) append("-");
        append(part.number);
      }
    }
  }

  [[nodiscard]] const char* text() const noexcept { return text_; }

 private:
  void append(const char* words) noexcept {
    while (*words != '\0') append(*words++);
  }
  void append(unsigned long long number) noexcept {
    unsigned long long place = 1;
    while (number / place >= 10) place *= 10;
    for (; place > 0; place /= 10) append(static_cast<char>('0' + number / place % 10));
  }
  void append(char letter) noexcept {
    if (length_ + 1 < sizeof text_) text_[length_++] = letter;
  }

  char text_[256] = {};
  std::size_t length_ = 0;
};

[[noreturn, gnu::noinline]] inline void reject(std::initializer_list<MessagePart> parts) {
  throw std::invalid_argument(Message(parts).text());
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_BASE_REJECT_HPP
