// SPDX-License-Identifier: MIT
//
// Reads a serialised tf.train.Example, the usual content of a TFRecord: lists of bytes, floats or integers by name. It
// needs no protobuf library, because the format is small: https://protobuf.dev/programming-guides/encoding

#ifndef FOREBAY_EXAMPLES_TF_EXAMPLE_HPP
#define FOREBAY_EXAMPLES_TF_EXAMPLE_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/// Reads the fields of a protobuf message. Throws std::runtime_error if the message is damaged.
class ProtobufMessage {
 public:
  explicit ProtobufMessage(std::string_view bytes) : rest_(bytes) {}

  /// Reads the next field. Returns false at the end of the message.
  bool next() {
    if (rest_.empty()) return false;
    const std::uint64_t key = varint();
    number_ = key >> 3U;
    type_ = key & 7U;
    switch (type_) {
      case 0: value_ = varint(); return true;
      case 1: bytes_ = take(8); return true;
      case 2: bytes_ = take(varint()); return true;
      case 5: bytes_ = take(4); return true;
      default: throw std::runtime_error("tf.train.Example: unknown field type " + std::to_string(type_));
    }
  }

  /// Returns whether the field is a varint, or has bytes, and has this number.
  bool is_varint(std::uint64_t number) const { return number_ == number && type_ == 0; }
  bool is_bytes(std::uint64_t number) const { return number_ == number && type_ == 2; }
  bool is_fixed32(std::uint64_t number) const { return number_ == number && type_ == 5; }

  std::uint64_t value() const { return value_; }
  std::string_view bytes() const { return bytes_; }

  /// Reads a varint: seven bits a byte, the lowest first.
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1)[0]);
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return value;
    }
    throw std::runtime_error("tf.train.Example: a number has more than 64 bits");
  }

  std::string_view take(std::uint64_t count) {
    if (count > rest_.size()) throw std::runtime_error("tf.train.Example: the message ends within a field");
    const std::string_view taken = rest_.substr(0, static_cast<std::size_t>(count));
    rest_.remove_prefix(taken.size());
    return taken;
  }

  bool empty() const { return rest_.empty(); }

 private:
  std::string_view rest_;
  std::uint64_t number_ = 0;
  std::uint64_t type_ = 0;
  std::uint64_t value_ = 0;
  std::string_view bytes_;
};

/// The features of an example. Refers to `serialised`, which must outlive it and its results. Each member throws
/// std::runtime_error if there is no such feature or the message is damaged.
class TfExample {
 public:
  explicit TfExample(std::string_view serialised) : serialised_(serialised) {}

  std::vector<std::string_view> bytes(std::string_view name) const {
    std::vector<std::string_view> values;
    ProtobufMessage list(list_of(name, 1));
    while (list.next()) {
      if (list.is_bytes(1)) values.push_back(list.bytes());
    }
    return values;
  }

  std::vector<float> floats(std::string_view name) const {
    std::vector<float> values;
    ProtobufMessage list(list_of(name, 2));
    while (list.next()) {
      ProtobufMessage packed(list.is_bytes(1) || list.is_fixed32(1) ? list.bytes() : std::string_view());
      while (!packed.empty()) values.push_back(float_of(packed.take(4)));
    }
    return values;
  }

  std::vector<std::int64_t> integers(std::string_view name) const {
    std::vector<std::int64_t> values;
    ProtobufMessage list(list_of(name, 3));
    while (list.next()) {
      if (list.is_varint(1)) values.push_back(static_cast<std::int64_t>(list.value()));
      ProtobufMessage packed(list.is_bytes(1) ? list.bytes() : std::string_view());
      while (!packed.empty()) values.push_back(static_cast<std::int64_t>(packed.varint()));
    }
    return values;
  }

 private:
  /// Returns the list of a feature: field 1 has bytes, field 2 floats, field 3 integers.
  std::string_view list_of(std::string_view name, std::uint64_t kind) const {
    ProtobufMessage example(serialised_);
    while (example.next()) {
      if (!example.is_bytes(1)) continue;
      ProtobufMessage features(example.bytes());
      while (features.next()) {
        if (!features.is_bytes(1)) continue;
        std::string_view key;
        std::string_view feature;
        ProtobufMessage entry(features.bytes());
        while (entry.next()) {
          if (entry.is_bytes(1)) key = entry.bytes();
          if (entry.is_bytes(2)) feature = entry.bytes();
        }
        if (key == name) return list_in(feature, name, kind);
      }
    }
    throw std::runtime_error("tf.train.Example: there is no feature " + std::string(name));
  }

  static std::string_view list_in(std::string_view feature, std::string_view name, std::uint64_t kind) {
    ProtobufMessage fields(feature);
    while (fields.next()) {
      if (fields.is_bytes(kind)) return fields.bytes();
    }
    throw std::runtime_error("tf.train.Example: the feature " + std::string(name) + " has another type");
  }

  static float float_of(std::string_view bytes) {
    std::uint32_t bits = 0;
    for (std::size_t i = 4; i-- > 0;) bits = (bits << 8U) | static_cast<unsigned char>(bytes[i]);
    return std::bit_cast<float>(bits);
  }

  std::string_view serialised_;
};

#endif  // FOREBAY_EXAMPLES_TF_EXAMPLE_HPP
