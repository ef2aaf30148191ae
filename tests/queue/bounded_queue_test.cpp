// SPDX-License-Identifier: MIT
//
// bounded_queue_test.cpp: the examples of P0260R20 (C++ Concurrent Queues), retold, with an adaptor in place of
// std::bounded_queue: the search of files for a word, and the log of a program that may not block.

#include <gtest/gtest.h>

#include <concepts>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "forebay/queue_status.hpp"
#include "tests/support/background.hpp"
#include "tests/support/bounded_queue.hpp"
#include "tests/support/coroutines.hpp"
#include "tests/support/temporary_directory.hpp"

namespace forebay_test {
namespace {

namespace fs = std::filesystem;
using p0260::bounded_queue;
using p0260::conqueue_status;

/// The requirements of the proposal's concepts basic_concurrent_queue and concurrent_queue.
template <class Q>
concept ConcurrentQueue = std::move_constructible<typename Q::value_type> &&
    requires(Q q, const Q constant, typename Q::value_type&& t) {
  { constant.is_closed() }
  noexcept->std::same_as<bool>;
  { q.close() }
  noexcept->std::same_as<void>;
  { q.push(std::move(t)) } -> std::same_as<bool>;
  { q.emplace(std::move(t)) } -> std::same_as<bool>;
  { q.pop() } -> std::same_as<std::optional<typename Q::value_type>>;
  { q.try_push(std::move(t)) } -> std::same_as<conqueue_status>;
  { q.try_emplace(std::move(t)) } -> std::same_as<conqueue_status>;
  { q.try_pop().error() } -> std::same_as<conqueue_status>;
};
static_assert(ConcurrentQueue<bounded_queue<int>>);
static_assert(ConcurrentQueue<bounded_queue<std::unique_ptr<int>>>);

// ---- Find files with a string

using FileList = bounded_queue<fs::path>;

void search_files(FileList& files, const fs::path& directory) {
  for (const auto& entry : fs::directory_iterator(directory)) {
    if (entry.is_directory()) continue;
    EXPECT_TRUE(files.push(entry.path()));
  }
  files.close();
}

class Findings {
 public:
  void add(const fs::path& file) {
    const std::lock_guard guard(mutex_);
    names_.insert(file.filename().string());
  }
  [[nodiscard]] const std::set<std::string>& names() const { return names_; }

 private:
  std::mutex mutex_;
  std::set<std::string> names_;
};

void search_word(FileList& files, std::string_view word, Findings& found) {
  std::optional<fs::path> name;
  while ((name = files.pop())) {
    std::ifstream file(*name);
    for (std::string line; std::getline(file, line);) {
      if (line.find(word) == std::string::npos) continue;
      found.add(*name);
      break;
    }
  }
}

TEST(BoundedQueue, TwoThreadsSearchTheFilesThatAThirdOneFinds) {
  const TemporaryDirectory directory;
  fs::create_directory(directory.name("directory"));
  for (int i = 0; i < 20; ++i) {
    write_file(directory.name(std::to_string(i)), i % 3 == 0 ? "first line\na word\n" : "first line\nnothing\n");
  }
  FileList files(3);
  Findings found;
  {
    std::jthread a([&] { search_files(files, directory.path()); });
    std::jthread b1([&] { search_word(files, "word", found); });
    std::jthread b2([&] { search_word(files, "word", found); });
  }
  EXPECT_EQ(found.names(), (std::set<std::string>{"0", "3", "6", "9", "12", "15", "18"}));
}

// ---- Logging

TEST(BoundedQueue, AFullLogLosesMessagesInsteadOfBlocking) {
  bounded_queue<std::string> log(2);
  int lost = 0;
  const auto enqueue_message = [&](std::string&& message) {
    if (log.try_push(std::move(message)) != conqueue_status::success) ++lost;
  };
  for (const char* message : {"one", "two", "three"}) enqueue_message(message);
  EXPECT_EQ(lost, 1);

  std::string written;
  auto message = log.try_pop();
  for (; message; message = log.try_pop()) written += *std::move(message) + ' ';
  EXPECT_EQ(written, "one two ");
  EXPECT_EQ(message.error(), conqueue_status::empty);
}

// ---- Stages without threads

Detached add_one(bounded_queue<int>& in, bounded_queue<int>& out) {
  while (auto number = co_await in.async_pop()) {
    if (co_await out.async_push(*number + 1) != forebay::QueueStatus::ok) break;
  }
  out.close();
}

TEST(BoundedQueue, CoroutinesAwaitElementsAndRoom) {
  bounded_queue<int> in(1);
  bounded_queue<int> out(1);
  add_one(in, out);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(in.push(i));  // the last one waits in `in`, because `out` is full
  EXPECT_EQ(in.try_push(3), conqueue_status::full);
  in.close();
  for (int i = 1; i <= 3; ++i) EXPECT_EQ(out.pop(), i);
  EXPECT_EQ(out.pop(), std::nullopt);
}

// ---- What the wording promises besides

TEST(BoundedQueue, SaysWhyItCannot) {
  bounded_queue<int> queue(1);
  EXPECT_EQ(queue.try_emplace(1), conqueue_status::success);
  EXPECT_EQ(queue.try_push(2), conqueue_status::full);
  queue.close();
  EXPECT_TRUE(queue.is_closed());
  EXPECT_EQ(queue.try_push(2), conqueue_status::closed);
  EXPECT_FALSE(queue.push(2));
  EXPECT_EQ(queue.pop(), 1);
  EXPECT_EQ(queue.pop(), std::nullopt);
  EXPECT_EQ(queue.try_pop().error(), conqueue_status::closed);
}

TEST(BoundedQueue, CloseEndsPendingOperations) {
  bounded_queue<int> full(1);
  bounded_queue<int> empty(1);
  ASSERT_TRUE(full.push(1));
  Background push([&] { return full.push(2); });
  Background pop([&] { return empty.pop(); });
  full.close();  // whether they wait already or not
  empty.close();
  EXPECT_FALSE(push.get());
  EXPECT_EQ(pop.get(), std::nullopt);
}

}  // namespace
}  // namespace forebay_test
