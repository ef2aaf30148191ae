// SPDX-License-Identifier: MIT
//
// What others read: the standard library, libarchive and NumPy, the last two if they are installed.

#ifndef FOREBAY_BENCHMARK_FILES_PEERS_HPP
#define FOREBAY_BENCHMARK_FILES_PEERS_HPP

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>

#ifdef FOREBAY_BENCHMARK_HAS_LIBARCHIVE
#include <archive.h>
#include <archive_entry.h>
#endif

#include "../require.hpp"
#include "by_hand.hpp"

namespace forebay_benchmark::files {

inline Sum lines_by_getline(const std::string& name) {
  Sum sum;
  std::ifstream file(name, std::ios::binary);
  for (std::string line; std::getline(file, line);) {
    if (line.ends_with('\r')) line.pop_back();
    sum.add(line.size());
  }
  return sum;
}

#ifdef FOREBAY_BENCHMARK_HAS_LIBARCHIVE
inline constexpr bool has_libarchive = true;

inline Sum tar_by_libarchive(const std::string& name) {
  Sum sum;
  const std::unique_ptr<archive, int (*)(archive*)> files(archive_read_new(), &archive_read_free);
  archive_read_support_format_tar(files.get());
  require(archive_read_open_filename(files.get(), name.c_str(), 262'144) == ARCHIVE_OK, "libarchive cannot open");
  archive_entry* entry = nullptr;
  std::string bytes;
  int status = ARCHIVE_OK;
  while ((status = archive_read_next_header(files.get(), &entry)) == ARCHIVE_OK) {
    bytes.resize(static_cast<std::size_t>(archive_entry_size(entry)));
    const auto read = archive_read_data(files.get(), bytes.data(), bytes.size());
    require(read >= 0 && static_cast<std::size_t>(read) == bytes.size(), "libarchive cannot read");
    sum.add(std::string(archive_entry_pathname(entry)).size() + bytes.size());
  }
  require(status == ARCHIVE_EOF, "libarchive has found damage");
  return sum;
}
#else
inline constexpr bool has_libarchive = false;
inline Sum tar_by_libarchive(const std::string& /*name*/) { return {}; }
#endif

/// Returns the median processor time that NumPy takes to read the array and copy each row; 0 without NumPy.
inline double seconds_by_numpy(const std::string& name, int repetitions) {
  const std::string program =
      "import numpy, time\n"
      "times = []\n"
      "for i in range(" +
      std::to_string(repetitions) +
      "):\n"
      "  begin = time.process_time()\n"
      "  for row in numpy.load(\"" +
      name +
      "\"): row.copy()\n"
      "  times.append(time.process_time() - begin)\n"
      "print(sorted(times)[len(times) // 2])";
  const std::string command = "python3 -c '" + program + "' 2>/dev/null";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> output(popen(command.c_str(), "r"), &pclose);
  double seconds = 0;
  if (output == nullptr || std::fscanf(output.get(), "%lf", &seconds) != 1) return 0;
  return seconds;
}

}  // namespace forebay_benchmark::files

#endif  // FOREBAY_BENCHMARK_FILES_PEERS_HPP
