// SPDX-License-Identifier: MIT
//
// usable_cores_test.cpp: how many cores a program may use.
//
//   The control groups      CpuQuota*, with a tree of files in place of /proc and /sys/fs/cgroup
//   All limits together     UsableCores*

#include "forebay/usable_cores.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "forebay/base/cpu_quota.hpp"
#include "tests/support/environment.hpp"

#if defined(__linux__)
#include <sched.h>
#endif

namespace forebay_test {
namespace {

using forebay::detail::CpuQuota;
using std::chrono::nanoseconds;

/// An empty directory that acts as the root of the file system.
class FileTree {
 public:
  FileTree() : root_(std::filesystem::path(testing::TempDir()) / name_of_test()) {
    std::filesystem::remove_all(root_);
    std::filesystem::create_directories(root_);
  }
  FileTree(const FileTree&) = delete;
  FileTree& operator=(const FileTree&) = delete;
  ~FileTree() { std::filesystem::remove_all(root_); }

  /// Writes a file. The name begins with a slash.
  FileTree& file(const std::string& name, const std::string& text) {
    const std::filesystem::path path = root_.string() + name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return *this;
  }

  /// Writes the files of a process whose cgroup is in a version 2 hierarchy at /sys/fs/cgroup.
  FileTree& process_v2(const std::string& group, const std::string& mounted = "/") {
    file("/proc/self/cgroup", "0::" + group + "\n");
    return file("/proc/self/mountinfo", "22 27 0:21 / /proc rw,relatime - proc proc rw\n31 23 0:28 " + mounted +
                                            " /sys/fs/cgroup rw,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate\n");
  }

  /// Does the same for version 1, with the controllers cpu and cpuacct at /sys/fs/cgroup/cpu,cpuacct.
  FileTree& process_v1(const std::string& group, const std::string& mounted = "/") {
    file("/proc/self/cgroup", "5:memory:/elsewhere\n4:cpu,cpuacct:" + group + "\n3:cpuset:/\n");
    return file("/proc/self/mountinfo",
                "30 31 0:27 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n31 31 0:28 " + mounted +
                    " /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct\n");
  }
  FileTree& limit_v1(const std::string& group, const std::string& quota, const std::string& period = "100000\n") {
    file("/sys/fs/cgroup/cpu,cpuacct" + group + "/cpu.cfs_quota_us", quota);
    return file("/sys/fs/cgroup/cpu,cpuacct" + group + "/cpu.cfs_period_us", period);
  }

  [[nodiscard]] std::string root() const { return root_.string(); }
  [[nodiscard]] std::size_t cores() const { return CpuQuota(root()).cores(); }
  [[nodiscard]] nanoseconds throttled() const { return CpuQuota(root()).throttled(); }

 private:
  static std::string name_of_test() {
    const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
    return std::string("forebay_") + test.test_suite_name() + "." + test.name();
  }

  const std::filesystem::path root_;
};

// ---- The control groups

// proves: usable-cores
TEST(CpuQuota, OfVersion2IsRoundedUp) {
  FileTree files;
  files.process_v2("/job");
  const std::vector<std::pair<std::string, std::size_t>> cases{{"100000 100000\n", 1},
                                                               {"100001 100000\n", 2},
                                                               {"250000 100000\n", 3},
                                                               {"1000 100000\n", 1},
                                                               {"800000 50000\n", 16}};
  for (const auto& [text, cores] : cases) {
    files.file("/sys/fs/cgroup/job/cpu.max", text);
    EXPECT_EQ(files.cores(), cores) << text;
  }
}

// proves: usable-cores
TEST(CpuQuota, OfVersion1IsRoundedUp) {
  FileTree files;
  files.process_v1("/job").limit_v1("/job", "150000\n");
  EXPECT_EQ(files.cores(), 2U);
  files.limit_v1("/job", "150000\n", "50000\n");
  EXPECT_EQ(files.cores(), 3U);
}

TEST(CpuQuota, ThatIsNoLimitIsUnknown) {
  FileTree version_2;
  version_2.process_v2("/job").file("/sys/fs/cgroup/job/cpu.max", "max 100000\n");
  EXPECT_EQ(version_2.cores(), 0U);
  FileTree version_1;
  version_1.process_v1("/job").limit_v1("/job", "-1\n");
  EXPECT_EQ(version_1.cores(), 0U);
}

// proves: usable-cores
TEST(CpuQuota, IsTheSmallestOfTheGroupAndThoseThatContainIt) {
  FileTree version_2;
  version_2.process_v2("/slurm/job/step");
  version_2.file("/sys/fs/cgroup/slurm/job/step/cpu.max", "max 100000\n");
  version_2.file("/sys/fs/cgroup/slurm/job/cpu.max", "400000 100000\n");
  EXPECT_EQ(version_2.cores(), 4U);
  version_2.file("/sys/fs/cgroup/slurm/cpu.max", "300000 100000\n");
  EXPECT_EQ(version_2.cores(), 3U);
  version_2.file("/sys/fs/cgroup/cpu.max", "200000 100000\n");
  EXPECT_EQ(version_2.cores(), 2U);
  version_2.file("/sys/fs/cgroup/slurm/job/step/cpu.max", "100000 100000\n");
  EXPECT_EQ(version_2.cores(), 1U);
  FileTree version_1;
  version_1.process_v1("/a/b").limit_v1("/a/b", "400000\n").limit_v1("/a", "200000\n").limit_v1("", "300000\n");
  EXPECT_EQ(version_1.cores(), 2U);
}

TEST(CpuQuota, OfOtherGroupsDoesNotCount) {
  FileTree files;
  files.process_v2("/job").file("/sys/fs/cgroup/job/cpu.max", "400000 100000\n");
  files.file("/sys/fs/cgroup/other/cpu.max", "100000 100000\n");
  files.file("/sys/fs/cgroup/job/inner/cpu.max", "100000 100000\n");
  EXPECT_EQ(files.cores(), 4U);
}

// proves: usable-cores
TEST(CpuQuota, IsFoundWhereBothVersionsAreMounted) {
  FileTree files;
  files.file("/proc/self/cgroup", "9:name=systemd:/\n1:cpu:/job\n0::/unit\n");
  files.file("/proc/self/mountinfo",
             "32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu\n"
             "40 31 0:37 / /sys/fs/cgroup/systemd rw,relatime - cgroup cgroup rw,name=systemd\n"
             "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n");
  files.file("/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "300000\n");
  files.file("/sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(files.cores(), 3U);
  files.file("/sys/fs/cgroup/unified/unit/cpu.max", "200000 100000\n");
  EXPECT_EQ(files.cores(), 2U);
}

// proves: usable-cores
TEST(CpuQuota, OfAContainerIsThatOfTheGroupAtTheMountPoint) {
  FileTree version_2;
  version_2.process_v2("/docker/c0ffee", "/docker/c0ffee").file("/sys/fs/cgroup/cpu.max", "200000 100000\n");
  EXPECT_EQ(version_2.cores(), 2U);
  FileTree version_1;
  version_1.process_v1("/docker/c0ffee/inner", "/docker/c0ffee").limit_v1("/inner", "-1\n").limit_v1("", "200000\n");
  EXPECT_EQ(version_1.cores(), 2U);
  FileTree name_that_begins_alike;
  name_that_begins_alike.process_v2("/docker/c0ffee2", "/docker/c0ffee");
  name_that_begins_alike.file("/sys/fs/cgroup/2/cpu.max", "100000 100000\n");
  EXPECT_EQ(name_that_begins_alike.cores(), 0U);
}

TEST(CpuQuota, OfAGroupOutsideTheNamespaceIsThatOfTheMountPoint) {
  FileTree files;
  files.process_v2("/../other").file("/sys/fs/cgroup/cpu.max", "300000 100000\n");
  files.file("/sys/fs/other/cpu.max", "100000 100000\n");
  EXPECT_EQ(files.cores(), 3U);
}

TEST(CpuQuota, PrefersTheMountThatContainsTheGroup) {
  FileTree files;
  files.file("/proc/self/cgroup", "0::/mine/job\n");
  files.file(
      "/proc/self/mountinfo",
      "40 31 0:37 /other /mnt/other rw - cgroup2 cgroup2 rw\n41 31 0:38 /mine /mnt/mine rw - cgroup2 none rw\n");
  files.file("/mnt/other/cpu.max", "100000 100000\n").file("/mnt/mine/job/cpu.max", "200000 100000\n");
  EXPECT_EQ(files.cores(), 2U);
}

TEST(CpuQuota, IsFoundBehindSpacesAndBackslashesInNames) {
  FileTree files;
  files.file("/proc/self/cgroup", "0::/a job\n");
  files.file("/proc/self/mountinfo", "41 31 0:38 / /mnt/my\\040groups rw - cgroup2 cgroup2 rw\n");
  files.file("/mnt/my groups/a job/cpu.max", "200000 100000\n");
  EXPECT_EQ(files.cores(), 2U);
}

// proves: usable-cores
TEST(CpuQuota, OfMissingFilesIsUnknown) {
  FileTree files;
  EXPECT_EQ(files.cores(), 0U);
  EXPECT_EQ(files.throttled(), nanoseconds(0));
  files.process_v2("/job");
  EXPECT_EQ(files.cores(), 0U);
  files.process_v1("/job").file("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "100000\n");
  EXPECT_EQ(files.cores(), 0U) << "there is no period";
  files.file("/proc/self/mountinfo", "");
  EXPECT_EQ(files.cores(), 0U);
}

// proves: usable-cores
TEST(CpuQuota, ThatIsMalformedIsUnknown) {
  FileTree files;
  files.process_v2("/job");
  for (const char* const text :
       {"", "\n", " ", "max", "100000", "100000 ", "100000 0\n", "0 100000\n", "-100000 100000\n", "1e5 1e5\n",
        "100000 100000 100000\n", "99999999999999999999999 100000\n", "100000 99999999999999999999999\n", "a b\n"}) {
    files.file("/sys/fs/cgroup/job/cpu.max", text);
    EXPECT_EQ(files.cores(), 0U) << text;
  }
  files.process_v1("/job");
  for (const char* const text : {"", "\n", "0\n", "-2\n", "nonsense\n", "1 2\n", "99999999999999999999999\n"}) {
    files.limit_v1("/job", text);
    EXPECT_EQ(files.cores(), 0U) << text;
    files.limit_v1("/job", "100000\n", text);
    EXPECT_EQ(files.cores(), 0U) << text;
  }
}

TEST(CpuQuota, ThatIsHugeIsNotCutOff) {
  FileTree files;
  files.process_v2("/job").file("/sys/fs/cgroup/job/cpu.max", "18446744073709551615 1\n");
  EXPECT_EQ(files.cores(), std::numeric_limits<std::size_t>::max());
}

TEST(CpuQuota, OfMalformedNamesIsUnknown) {
  FileTree files;
  files.process_v2("/job").file("/sys/fs/cgroup/job/cpu.max", "100000 100000\n");
  ASSERT_EQ(files.cores(), 1U);
  for (const std::string& text : {std::string(), std::string("\n"), std::string("0::"), std::string("0::job\n"),
                                  std::string("0:/job\n"), std::string(":::\n"), std::string("0:cpuset:/job\n"),
                                  "0::/" + std::string(5000, '/') + "job\n", std::string("0::\0/job\n", 9)}) {
    files.file("/proc/self/cgroup", text);
    EXPECT_EQ(files.cores(), 0U) << text;
  }
  files.file("/proc/self/cgroup", "0::/job\n");
  for (const char* const text :
       {"", "\n", " - \n", "41 31 0:38 / /sys/fs/cgroup rw cgroup2 cgroup2 rw\n", "41 31 0:38 / - cgroup2\n",
        "41 31 0:38 / /sys/fs/cgroup rw - cgroup cgroup rw,cpu\n", "cgroup2 cgroup2 cgroup2 cgroup2 cgroup2 - \n"}) {
    files.file("/proc/self/mountinfo", text);
    EXPECT_EQ(files.cores(), 0U) << text;
  }
}

// proves: usable-cores
TEST(CpuQuota, OfFilesThatAreChangedAnywhereThrowsNothing) {
  FileTree files;
  files.process_v2("/job").file("/sys/fs/cgroup/job/cpu.max", "200000 100000\n");
  files.file("/sys/fs/cgroup/job/cpu.stat", "usage_usec 9\nthrottled_usec 1000\n");
  const std::vector<std::pair<std::string, std::string>> texts{
      {"/proc/self/cgroup", "0::/job\n"},
      {"/proc/self/mountinfo", "31 23 0:28 / /sys/fs/cgroup rw,relatime shared:9 - cgroup2 cgroup2 rw\n"},
      {"/sys/fs/cgroup/job/cpu.max", "200000 100000\n"},
      {"/sys/fs/cgroup/job/cpu.stat", "usage_usec 9\nthrottled_usec 1000\n"}};
  const std::string letters = std::string("\0\n/9", 4);
  for (const auto& [name, text] : texts) {
    for (std::size_t i = 0; i <= text.size(); ++i) {
      files.file(name, text.substr(0, i));
      EXPECT_NO_THROW(static_cast<void>(files.cores() + static_cast<std::size_t>(files.throttled().count())));
      for (const char letter : i < text.size() ? letters : std::string()) {
        std::string changed = text;
        changed[i] = letter;
        files.file(name, changed);
        EXPECT_NO_THROW(static_cast<void>(files.cores() + static_cast<std::size_t>(files.throttled().count())));
      }
    }
    files.file(name, text);
  }
  EXPECT_EQ(files.cores(), 2U);
}

// proves: usable-cores
TEST(CpuQuota, CountsTheTimeOfStoppedThreadsInTheUnitOfEachVersion) {
  FileTree version_1;
  version_1.process_v1("/job").file("/sys/fs/cgroup/cpu,cpuacct/job/cpu.stat",
                                    "nr_periods 7\nnr_throttled 3\nthrottled_time 1234567\n");
  EXPECT_EQ(version_1.throttled(), nanoseconds(1'234'567));
  FileTree version_2;
  version_2.process_v2("/job").file("/sys/fs/cgroup/job/cpu.stat",
                                    "usage_usec 5\nnr_periods 7\nnr_throttled 3\nthrottled_usec 1234567\n");
  EXPECT_EQ(version_2.throttled(), nanoseconds(1'234'567'000));
}

TEST(CpuQuota, CountsTheTimeOfThreadsThatAnOuterGroupStopped) {
  FileTree files;
  files.process_v2("/job/step").file("/sys/fs/cgroup/job/cpu.stat", "throttled_usec 40\n");
  files.file("/sys/fs/cgroup/job/step/cpu.stat", "throttled_usec 2\n");
  EXPECT_EQ(files.throttled(), nanoseconds(42'000));
}

TEST(CpuQuota, OfAMalformedTimeIsNone) {
  FileTree files;
  files.process_v2("/job");
  for (const char* const text : {"", "throttled_usec", "throttled_usec \n", "throttled_usec -1\n",
                                 "throttled_usec 1 2\n", "throttled_usecs 4\n", "throttled_time 4\n"}) {
    files.file("/sys/fs/cgroup/job/cpu.stat", text);
    EXPECT_EQ(files.throttled(), nanoseconds(0)) << text;
  }
  files.file("/sys/fs/cgroup/job/cpu.stat", "throttled_usec 18446744073709551615\n");
  EXPECT_EQ(files.throttled(), nanoseconds::max());
}

// ---- All limits together

// proves: usable-cores
TEST(UsableCores, AreWhatTheEnvironmentSays) {
  const FileTree files;
  for (const auto& [text, cores] : std::vector<std::pair<const char*, std::size_t>>{
           {"1", 1}, {"3", 3}, {" 3", 3}, {"3 \t\n", 3}, {"0012", 12}, {"1000", 1000}, {"65536", 65536}}) {
    EXPECT_EQ(forebay::detail::usable_cores_with(text, 1, files.cores()), cores) << text;
  }
}

// proves: usable-cores
TEST(UsableCores, AreNotWhatTheEnvironmentSaysIfThatIsNoNumberOfCores) {
  const FileTree files;
  for (const char* const text : {"",
                                 " ",
                                 "0",
                                 "00",
                                 "-1",
                                 "-0",
                                 "+3",
                                 "3.5",
                                 "3,5",
                                 "3 4",
                                 "3x",
                                 "x3",
                                 "0x4",
                                 "all",
                                 "65537",
                                 "4294967297",
                                 "18446744073709551615",
                                 "18446744073709551617",
                                 "99999999999999999999999999",
                                 "\xC2\xB3",
                                 "\n"}) {
    EXPECT_EQ(forebay::detail::usable_cores_with(text, 1, files.cores()), 1U) << text;
  }
}

// proves: usable-cores
TEST(UsableCores, AreLimitedByTheQuota) {
  FileTree files;
  files.process_v2("/job").file("/sys/fs/cgroup/job/cpu.max", "100000 100000\n");
  EXPECT_EQ(forebay::detail::usable_cores_with(nullptr, 64, files.cores()), 1U);
  EXPECT_EQ(forebay::detail::usable_cores_with("9", 64, files.cores()), 9U) << "the environment overrides it";
}

TEST(UsableCores, AreAtLeastOneAndAtMostTheQuotaAllows) {
  const FileTree files;
  EXPECT_EQ(forebay::detail::usable_cores_with(nullptr, 1, files.cores()), 1U);
  EXPECT_GE(forebay::detail::usable_cores_with(nullptr, 0, files.cores()), 1U);
  EXPECT_GE(forebay::usable_cores(), 1U);
  EXPECT_EQ(forebay::detail::least_known(0, 0, 0), 1U);
  EXPECT_EQ(forebay::detail::least_known(0, 5, 4), 4U);
  EXPECT_EQ(forebay::detail::least_known(3, 5, 4), 3U);
}

TEST(UsableCores, AreThoseOfTheVariableNow) {
  const EnvironmentVariable variable("FOREBAY_CORES", "37");
  EXPECT_EQ(forebay::usable_cores(), 37U);
}

#if defined(__linux__)
// proves: usable-cores
TEST(UsableCores, AreThoseOfTheAffinityMaskThatThreadsInherit) {
  const FileTree files;
  std::size_t own = 0;
  std::size_t inherited = 0;
  std::thread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(sched_getcpu()), &one);  // as `taskset -c` does
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    own = forebay::detail::usable_cores_with(nullptr, 64, files.cores());
    std::thread([&] { inherited = forebay::detail::usable_cores_with(nullptr, 64, files.cores()); }).join();
  }).join();
  EXPECT_EQ(own, 1U);
  EXPECT_EQ(inherited, 1U);
}
#endif

}  // namespace
}  // namespace forebay_test
