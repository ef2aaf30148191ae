// SPDX-License-Identifier: MIT

#include <iostream>
#include <latch>
#include <string>
#include <thread>

#include <forebay/queues.hpp>

namespace {

struct Measurement {
  int step;
  double value;
};

}  // namespace

int main() {
  forebay::FIFOQueue<Measurement> measurements(4);  // the latest ones matter
  forebay::FIFOQueue<std::string> alarms(2);        // the first ones matter
  std::latch network(1);

  std::thread monitor([&, latest = measurements.consumer(), first = alarms.consumer()]() mutable {
    network.wait();  // the connection is down
    for (const Measurement& each : latest) std::cout << "step " << each.step << ": " << each.value << '\n';
    for (const std::string& each : first) std::cout << "alarm: " << each << '\n';
  });

  {
    const auto measured = measurements.producer();
    const auto raised = alarms.producer();
    for (int step = 1; step <= 1000; ++step) {  // the control loop never waits
      const double value = step / 4.0;
      static_cast<void>(measured.enqueue({step, value}, forebay::drop_oldest));
      if (value > 200)
        static_cast<void>(raised.enqueue("over 200 at step " + std::to_string(step), forebay::drop_newest));
    }
  }  // its end closes both queues

  network.count_down();
  monitor.join();
  std::cout << "dropped: " << measurements.statistics().dropped << " measurements, " << alarms.statistics().dropped
            << " alarms\n";
}
