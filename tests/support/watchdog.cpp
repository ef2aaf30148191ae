// SPDX-License-Identifier: MIT
//
// watchdog.cpp: ends a test that hangs, and prints the stack of every thread. It is linked into every test binary and
// registers itself.

#include <gtest/gtest.h>

#include <execinfo.h>
#include <fcntl.h>
#include <semaphore.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "tests/support/scaled_time.hpp"

namespace forebay_test {
namespace {

sem_t stack_printed;

extern "C" void print_own_stack(int /*signal*/) {
  std::array<void*, 64> frames{};
  backtrace_symbols_fd(frames.data(), backtrace(frames.data(), static_cast<int>(frames.size())), STDERR_FILENO);
  sem_post(&stack_printed);
}

/// Prints all stacks with line numbers. Returns false if there is no debugger, or if it is not permitted to attach.
bool print_stacks_with_debugger() {
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
  std::string program = "gdb";
  std::string process = std::to_string(getpid());
  std::string batch = "-batch";
  std::string attach = "-p";
  std::string execute = "-ex";
  std::string command = "thread apply all backtrace";
  const std::array<char*, 7> arguments = {program.data(), batch.data(),   attach.data(), process.data(),
                                          execute.data(), command.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  pid_t debugger = 0;
  const int failed = posix_spawnp(&debugger, program.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  if (failed != 0 || waitpid(debugger, &status, 0) != debugger) return false;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// Makes every thread print its own stack, one after the other.
void print_stacks_by_signal() {
  print_own_stack(0);  // loads what backtrace needs before any signal handler calls it
  sem_init(&stack_printed, 0, 0);
  struct sigaction action {};
  action.sa_handler = print_own_stack;
  sigaction(SIGUSR2, &action, nullptr);
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    const pid_t thread = std::atoi(task.path().filename().c_str());
    std::fprintf(stderr, "--- thread %d\n", static_cast<int>(thread));
    if (syscall(SYS_tgkill, getpid(), thread, SIGUSR2) != 0) continue;
    timespec deadline{};
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += 2;
    while (sem_timedwait(&stack_printed, &deadline) != 0 && errno == EINTR) {
    }
  }
}

/// Returns how many threads share a core, as far as is known, from 1 to 4: on a busy machine a test takes longer.
double busyness() {
  double load = 0;
  if (getloadavg(&load, 1) < 1) return 1;
  return std::clamp(load / std::max(1U, std::thread::hardware_concurrency()), 1.0, 4.0);
}

class Watchdog : public testing::EmptyTestEventListener {
 public:
  void OnTestProgramStart(const testing::UnitTest& /*program*/) override {
    thread_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
  }

  void OnTestProgramEnd(const testing::UnitTest& /*program*/) override { thread_ = std::jthread(); }

  void OnTestStart(const testing::TestInfo& test) override {
    expect(std::string(test.test_suite_name()) + "." + test.name(), Clock::now());
  }

  void OnTestEnd(const testing::TestInfo& /*test*/) override { expect({}, std::nullopt); }

 private:
  using Clock = std::chrono::steady_clock;

  void expect(std::string test, std::optional<Clock::time_point> begun) {
    const std::lock_guard guard(mutex_);
    test_ = std::move(test);
    begun_ = begun;
    changed_.notify_all();
  }

  void watch(const std::stop_token& stop) {
    const std::stop_callback wake_up(stop, [this] {
      const std::lock_guard guard(mutex_);
      changed_.notify_all();
    });
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
      if (!begun_) {
        changed_.wait(lock);
        continue;
      }
      const auto time = std::chrono::duration_cast<Clock::duration>(busyness() * watchdog_time());
      const Clock::time_point deadline = *begun_ + time;
      if (Clock::now() >= deadline) bark();
      changed_.wait_until(lock, deadline);
    }
  }

  [[noreturn]] void bark() {
    std::fprintf(stderr, "watchdog: %s hangs. Its threads:\n", test_.c_str());
    if (!print_stacks_with_debugger()) print_stacks_by_signal();
    std::fprintf(stderr, "watchdog: %s hung, see above.\n", test_.c_str());
    std::abort();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::string test_;
  std::optional<Clock::time_point> begun_;
  std::jthread thread_;
};

// GoogleTest owns the listener.
[[maybe_unused]] const bool registered = (testing::UnitTest::GetInstance()->listeners().Append(new Watchdog), true);

}  // namespace
}  // namespace forebay_test
