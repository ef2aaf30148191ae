// SPDX-License-Identifier: MIT

#include <atomic>
#include <iostream>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <forebay/queues.hpp>

// The pages of a small site, and their links.
const std::map<std::string, std::vector<std::string>> site = {
    {"index", {"guide", "reference", "news"}},
    {"guide", {"index", "queues", "stages"}},
    {"reference", {"queues", "stages"}},
    {"queues", {"guide", "reference"}},
    {"stages", {"queues"}},
    {"news", {}},
};

int main() {
  forebay::FIFOQueue<std::string> pages(forebay::unbounded);
  std::atomic<int> unfinished = 0;  // pages that are in the queue or in the hands of a thread
  std::mutex mutex;
  std::set<std::string> seen;

  const auto add = [&](const std::string& page) {
    {
      const std::lock_guard guard(mutex);
      if (!seen.insert(page).second) return;
    }
    // Counted before it is in the queue, so the count cannot reach 0 too early.
    ++unfinished;
    static_cast<void>(pages.enqueue(page));
  };

  forebay::Coordinator coordinator;
  const auto crawl = [&] {
    while (!coordinator.should_stop()) {
      const auto page = pages.dequeue(coordinator);
      if (!page) break;
      for (const std::string& link : site.at(*page)) add(link);
      if (--unfinished == 0) coordinator.request_stop();  // no page is left that could add another one
    }
  };

  add("index");
  for (int i = 0; i < 4; ++i) coordinator.launch("crawler", crawl);
  coordinator.join();

  std::cout << seen.size() << " pages:";
  for (const std::string& page : seen) std::cout << ' ' << page;
  std::cout << '\n';
}
