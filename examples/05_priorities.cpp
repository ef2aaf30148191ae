// SPDX-License-Identifier: MIT
//
// 05_priorities.cpp: what is most urgent leaves first. What you learn here:
//
//   - a PriorityQueue hands out the smallest element, and of equal ones the one that came first;
//   - it chooses from what is stored at that moment: what is more urgent but arrives later has to come after;
//   - a priority can stand beside the value (Prioritized), or be any part of it (By), and the greatest can come first;
//   - a batch is the smallest elements of those stored, in order, so it cannot be larger than the capacity.

#include <functional>
#include <iostream>
#include <stdexcept>
#include <string>

#include <forebay/queues.hpp>

namespace {

using Chores = forebay::PriorityQueue<forebay::Prioritized<std::string>>;

void do_next_two(Chores& chores) {
  for (const auto& chore : *chores.dequeue_many(2)) std::cout << chore.priority << ": " << chore.value << '\n';
}

struct Patient {
  std::string name;
  int pain;
};

}  // namespace

int main() {
  Chores chores(10);
  const auto in = chores.enqueue_many({{3, "read"}, {1, "feed the cat"}, {2, "water flowers"}, {1, "feed the dog"}});
  std::cout << in.count << " chores\n";
  do_next_two(chores);
  if (chores.enqueue(0, "put out the fire") != forebay::QueueStatus::ok) return 1;
  do_next_two(chores);

  forebay::PriorityQueue<Patient, forebay::By<&Patient::pain, std::greater<>>> patients(3);
  std::cout << patients.enqueue_many({{"Ann", 2}, {"Bob", 9}, {"Cid", 5}}).count << " patients\n";
  for (const Patient& patient : *patients.dequeue_many(3)) std::cout << patient.pain << ": " << patient.name << '\n';

  try {
    const auto four = patients.dequeue_many(4);  // it could only wait for ever
  } catch (const std::invalid_argument& error) {
    std::cout << error.what() << '\n';
  }
}

// Prints:
//
//   4 chores
//   1: feed the cat
//   1: feed the dog
//   0: put out the fire
//   2: water flowers
//   3 patients
//   9: Bob
//   5: Cid
//   2: Ann
//   forebay: a batch of 4 elements exceeds the capacity of 3
