// SPDX-License-Identifier: MIT

#include <chrono>
#include <iostream>
#include <string>

#include <forebay/forebay.hpp>

using namespace std::chrono_literals;

int main() {
  forebay::FIFOQueue<int> questions(8);
  forebay::FIFOQueue<int> answers(8);

  // Chunks of one element: each answer is handed out as soon as it is made.
  const auto data = forebay::from_queue(questions).map({.threads = 2, .chunk = 1}, [](int x) { return x * x; });
  auto pipeline = data.run();

  // Nobody has asked yet. The call gives up, and the pipeline goes on.
  std::cout << "before the first question: " << to_string(pipeline.next(5ms).status()) << '\n';

  forebay::Coordinator coordinator;
  coordinator.launch("client", [&] {
    int question = 2;
    for (int i = 0; i < 4; ++i) {
      if (questions.enqueue(question) != forebay::QueueStatus::ok) return;
      const auto answer = answers.dequeue(coordinator);  // asks nothing more until it has the answer
      if (!answer) return;
      question = *answer;
    }
    questions.close();
  });

  for (const int square : pipeline) {
    std::cout << "answer: " << square << '\n';
    if (answers.enqueue(square % 1000, coordinator) != forebay::QueueStatus::ok) break;
  }
  coordinator.join();
}
