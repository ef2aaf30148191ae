// SPDX-License-Identifier: MIT
//
// Lets the processes of an MPI program agree on each step.

#ifndef FOREBAY_EXAMPLES_RANKS_HPP
#define FOREBAY_EXAMPLES_RANKS_HPP

#include <mpi.h>

#include <cstddef>
#include <exception>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

/// The ranks of the program. All of them call each member function together.
class Ranks {
 public:
  Ranks() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &count_);
  }

  int rank() const { return rank_; }
  int count() const { return count_; }

  /// Runs `work`, which returns a number, in every rank, and returns the largest number. If `work` throws in one rank,
  /// throws its message in all ranks.
  template <class Work>
  int together(Work work) const {
    struct {
      int number;
      int rank;
    } mine{0, rank_}, largest{};
    std::string message;
    try {
      mine.number = work();
    } catch (const std::exception& error) {
      mine.number = std::numeric_limits<int>::max();
      message = error.what();
    }
    MPI_Allreduce(&mine, &largest, 1, MPI_2INT, MPI_MAXLOC, MPI_COMM_WORLD);
    if (largest.number != std::numeric_limits<int>::max()) return largest.number;
    broadcast(message, largest.rank);
    throw std::runtime_error("rank " + std::to_string(largest.rank) + ": " + message);
  }

  /// Returns the text of rank `from` in all ranks.
  static void broadcast(std::string& text, int from) {
    auto size = static_cast<int>(text.size());
    MPI_Bcast(&size, 1, MPI_INT, from, MPI_COMM_WORLD);
    text.resize(static_cast<std::size_t>(size));
    MPI_Bcast(text.data(), size, MPI_CHAR, from, MPI_COMM_WORLD);
  }

  static void sum(std::vector<float>& numbers) {
    MPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  }

 private:
  int rank_ = 0;
  int count_ = 1;
};

#endif  // FOREBAY_EXAMPLES_RANKS_HPP
