// SPDX-License-Identifier: MIT
//
// reject.hpp: how an impossible setting is rejected: by an exception whose message names the numbers. Once for all
// types, and away from the code that checks.

#ifndef FOREBAY_BASE_REJECT_HPP
#define FOREBAY_BASE_REJECT_HPP

#include <concepts>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <utility>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// A part of a message: words, or a number.
class MessagePart {
 public:
  MessagePart(const char* words) noexcept : words_(words) {}
  template <std::integral Number>
  MessagePart(Number number) noexcept
      : is_negative_(std::cmp_less(number, 0)), number_(static_cast<unsigned long long>(number)) {}

  void append_to(std::string& message) const {
    if (words_ != nullptr) {
      message += words_;
    } else {
      message += is_negative_ ? std::to_string(static_cast<long long>(number_)) : std::to_string(number_);
    }
  }

 private:
  const char* words_ = nullptr;
  bool is_negative_ = false;
  unsigned long long number_ = 0;
};

/// What the parts say one behind the other.
[[nodiscard, gnu::noinline]] inline std::string message_of(std::initializer_list<MessagePart> parts) {
  std::string message = "forebay: ";
  for (const MessagePart& part : parts) part.append_to(message);
  return message;
}

/// Throws std::invalid_argument.
[[noreturn, gnu::noinline]] inline void reject(std::initializer_list<MessagePart> parts) {
  throw std::invalid_argument(message_of(parts));
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_BASE_REJECT_HPP
