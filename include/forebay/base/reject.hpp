// SPDX-License-Identifier: MIT
//
// reject.hpp: reject(), which throws an exception for an impossible setting, with the numbers in its message. It is
// compiled once for all types of queues, and separate from the checks, which stay small.

#ifndef FOREBAY_BASE_REJECT_HPP
#define FOREBAY_BASE_REJECT_HPP

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <stdexcept>
#include <utility>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// A part of a message: text or a number.
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

/// The concatenated parts, in a fixed buffer; a longer text is truncated.
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
