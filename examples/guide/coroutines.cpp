// SPDX-License-Identifier: MIT

#include <coroutine>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>

#include <forebay/forebay.hpp>

// NOLINTBEGIN(readability-identifier-naming,readability-convert-member-functions-to-static)

// The simplest coroutine type. Use that of your framework.
struct Task {
  struct promise_type {
    Task get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};

// NOLINTEND(readability-identifier-naming,readability-convert-member-functions-to-static)

// Fills a queue, and fails at the fourth image. The consumers receive the images, then the failure.
Task read(forebay::FIFOQueue<int>::Producer images) {
  try {
    for (int i = 0; i < 10; ++i) {
      if (i == 3) throw std::runtime_error("image 3 is damaged");
      if (co_await images.async_enqueue(i) != forebay::QueueStatus::ok) co_return;
    }
  } catch (...) {
    images.fail(std::current_exception());
  }
}

void show_images() {
  forebay::FIFOQueue<int> images(2);
  read(images.producer());
  try {
    for (const int image : images) std::cout << "image " << image << '\n';
  } catch (const std::exception& failure) {
    std::cout << "failed: " << failure.what() << '\n';
  }
}

// The event loop: a queue of coroutines, which one thread resumes.
struct Loop {
  forebay::FIFOQueue<std::coroutine_handle<>> ready{forebay::unbounded};

  void operator()(std::coroutine_handle<> coroutine) noexcept { static_cast<void>(ready.enqueue(coroutine)); }
  void run() {
    for (const auto coroutine : ready) coroutine.resume();
  }
};

// Waits for requests and for a stop, without a thread of its own.
Task serve(forebay::FIFOQueue<std::string>& requests, std::stop_token stop, Loop& loop) {
  while (auto request = co_await requests.async_dequeue({stop, forebay::on(loop)})) {
    std::cout << "request: " << *request << '\n';
  }
  std::cout << "stopped\n";
  loop.ready.close();
}

Task train(forebay::FIFOQueue<int>& images, std::stop_source& server, Loop& loop) {
  while (auto batch = co_await images.async_dequeue_up_to(4, forebay::on(loop))) {
    std::cout << "batch of " << batch->size() << '\n';
  }
  server.request_stop();
}

int main() {
  forebay::FIFOQueue<std::string> requests(8);
  forebay::FIFOQueue<int> images(8);
  std::stop_source server;
  Loop loop;
  serve(requests, server.get_token(), loop);
  train(images, server, loop);

  std::jthread reader([&] {
    static_cast<void>(requests.enqueue("which batch is it?"));
    for (int i = 0; i < 10; ++i) static_cast<void>(images.enqueue(i));  // a thread fills the queue as usual
    images.close();
  });
  loop.run();
  show_images();
}
