// SPDX-License-Identifier: MIT
//
// cpu_quota.hpp: CpuQuota, how much CPU time Linux' control groups (cgroups) allow the process. Containers and batch
// systems limit a process that way: all cores are visible, but the process may use them for part of the time only.

#ifndef FOREBAY_BASE_CPU_QUOTA_HPP
#define FOREBAY_BASE_CPU_QUOTA_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "forebay/base/arithmetic.hpp"
#include "forebay/base/text_fields.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// The control groups of the process: its own, and those that contain it, as far as they are mounted. Version 1,
/// version 2 and both at the same time. A file that is missing or malformed counts as no limit.
///
/// Algorithm: /proc/self/cgroup names the process's group in each hierarchy. /proc/self/mountinfo says where a
/// hierarchy is mounted, and which of its groups is at the mount point. The rest of the name leads from there to the
/// process's group.
class CpuQuota {
 public:
  /// All file names are relative to `root`, which is empty except in tests.
  explicit CpuQuota(const std::string& root = {}) {
    const std::string mounts = text_of_file(root + "/proc/self/mountinfo");
    const std::string groups = text_of_file(root + "/proc/self/cgroup");
    for (std::string_view rest = groups; !rest.empty();) add_group(root, mounts, take_field(rest, '\n'));
  }

  /// Returns the smallest quota of all groups, in cores, rounded up; 0 if there is none.
  [[nodiscard]] std::size_t cores() const {
    std::uint64_t least = 0;
    const auto limit_to = [&least](std::uint64_t cores) {
      if (cores > 0 && (least == 0 || cores < least)) least = cores;
    };
    for (const std::string& directory : v1_) limit_to(cores_v1(directory));
    for (const std::string& directory : v2_) limit_to(cores_v2(directory));
    return static_cast<std::size_t>(smaller<std::uint64_t>(least, std::numeric_limits<std::size_t>::max()));
  }

  /// Returns how long threads of these groups have been stopped because a quota was used up. Linux adds the times of
  /// all cores, so the sum may exceed the elapsed time.
  [[nodiscard]] std::chrono::nanoseconds throttled() const {
    using std::chrono::nanoseconds;
    std::uint64_t sum = 0;
    for (const std::string& directory : v1_) sum = saturating_add(sum, throttled(directory, "throttled_time", 1));
    for (const std::string& directory : v2_) sum = saturating_add(sum, throttled(directory, "throttled_usec", 1000));
    const auto most = static_cast<std::uint64_t>(nanoseconds::max().count());
    return nanoseconds(static_cast<nanoseconds::rep>(smaller(sum, most)));
  }

 private:
  struct Mount {
    std::string group;  // which is at the mount point; empty: the root group
    std::string point;  // empty: there is no mount
  };

  static constexpr std::size_t longest_name = 4096;

  /// Adds the group in a line of /proc/self/cgroup, "4:cpu,cpuacct:/name" or "0::/name".
  void add_group(const std::string& root, std::string_view mounts, std::string_view line) {
    const std::string_view number = take_field(line, ':');
    const std::string_view controllers = take_field(line, ':');
    const bool is_v2 = number == "0" && controllers.empty();
    if (!is_v2 && !has_field(controllers, ',', "cpu")) return;
    if (line.empty() || line.front() != '/' || line.size() > longest_name) return;
    const Mount mount = mount_of(mounts, is_v2, line);
    if (mount.point.empty()) return;
    std::vector<std::string>& directories = is_v2 ? v2_ : v1_;
    directories = {root + mount.point};
    std::string_view below = name_below(mount, line);
    for (; !below.empty(); below = below.substr(0, below.rfind('/'))) {
      directories.push_back(directories.front() + std::string(below));
    }
  }

  /// Returns the mount point of the hierarchy, preferably one whose group contains `name`.
  static Mount mount_of(std::string_view mounts, bool is_v2, std::string_view name) {
    Mount any;
    while (!mounts.empty()) {
      Mount mount = parsed_mount(take_field(mounts, '\n'), is_v2);
      if (!mount.point.empty() && contains(mount, name)) return mount;
      if (any.point.empty()) any = std::move(mount);
    }
    return any;
  }

  /// Parses "31 23 0:28 / /sys/fs/cgroup rw,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate". Without a mount point
  /// if it is no mount of the hierarchy.
  static Mount parsed_mount(std::string_view line, bool is_v2) {
    for (int i = 0; i < 3; ++i) static_cast<void>(take_field(line, ' '));
    const std::string_view group = take_field(line, ' ');
    const std::string_view point = take_field(line, ' ');
    const std::size_t separator = line.find(" - ");
    if (separator == std::string_view::npos) return {};
    line.remove_prefix(separator + 3);
    const std::string_view type = take_field(line, ' ');
    static_cast<void>(take_field(line, ' '));
    const bool is_it = is_v2 ? type == "cgroup2" : type == "cgroup" && has_field(line, ',', "cpu");
    if (!is_it) return {};
    return {group == "/" ? std::string() : unescaped(group), unescaped(point)};
  }

  /// Decodes the spaces, tabs, line ends and backslashes of /proc/self/mountinfo: "\040" is a space.
  static std::string unescaped(std::string_view text) {
    std::string decoded;
    while (!text.empty()) {
      std::string_view digits = text.substr(1, 3);
      const std::optional<std::uint64_t> code = take_number(digits, 8);
      const bool is_escape = text.size() >= 4 && text[0] == '\\' && code && digits.empty();
      decoded += is_escape ? static_cast<char>(*code) : text[0];
      text.remove_prefix(is_escape ? 4 : 1);
    }
    return decoded;
  }

  /// A name with ".." is of a group outside the process's namespace: no mount leads to it.
  static bool contains(const Mount& mount, std::string_view name) {
    if (has_field(name, '/', "..") || name.substr(0, mount.group.size()) != mount.group) return false;
    return name.size() == mount.group.size() || name[mount.group.size()] == '/';
  }

  /// Returns the part of `name` below the mount point; empty if the group is not below it.
  static std::string_view name_below(const Mount& mount, std::string_view name) {
    const std::string_view below = contains(mount, name) ? name.substr(mount.group.size()) : std::string_view();
    return below == "/" ? std::string_view() : below;
  }

  /// Parses "200000 100000": the quota and the period, in microseconds; "max 100000" is no limit.
  static std::uint64_t cores_v2(const std::string& directory) {
    const std::string text = text_of_file(directory + "/cpu.max");
    std::string_view period = text;
    const std::string_view quota = take_field(period, ' ');
    return rounded_up(number_of(quota), number_of(period));
  }

  /// A quota of -1 is no limit.
  static std::uint64_t cores_v1(const std::string& directory) {
    return rounded_up(number_of(text_of_file(directory + "/cpu.cfs_quota_us")),
                      number_of(text_of_file(directory + "/cpu.cfs_period_us")));
  }

  static std::uint64_t rounded_up(std::optional<std::uint64_t> quota, std::optional<std::uint64_t> period) noexcept {
    if (quota.value_or(0) == 0 || period.value_or(0) == 0) return 0;
    return (*quota - 1) / *period + 1;
  }

  /// The time is in units of `unit` nanoseconds.
  static std::uint64_t throttled(const std::string& directory, std::string_view key, std::uint64_t unit) {
    const std::string text = text_of_file(directory + "/cpu.stat");
    for (std::string_view rest = text; !rest.empty();) {
      std::string_view line = take_field(rest, '\n');
      if (take_field(line, ' ') != key) continue;
      return saturating_multiply(number_of(line).value_or(0), unit);
    }
    return 0;
  }

  // The directories of the group in a hierarchy and of those that contain it. Empty if the hierarchy is not mounted.
  std::vector<std::string> v1_;
  std::vector<std::string> v2_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_BASE_CPU_QUOTA_HPP
