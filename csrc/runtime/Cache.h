//===- Cache.h - Compiled kernels on disk ------------------------------------------===//
//
// One file per entry, named by its key:
//
//   8 bytes   magic "HOCKETKC"
//   4 bytes   format version          (little endian, as everything here)
//   4 bytes   CRC-32 of the payload
//   8 bytes   length of the payload
//   payload   the key, then the parts: length and bytes of each name and value
//
// A file is written under a temporary name beside its place, flushed to the disk and renamed, so a reader sees a whole
// entry or none, also on network file systems and with any number of writers. Whatever does not verify is treated as
// absent: the kernel is compiled again and the entry replaced. Nothing here ever throws or fails a launch.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_RUNTIME_CACHE_H
#define HOCKET_RUNTIME_CACHE_H

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hocket {

class DiskCache {
public:
  /// Named byte strings: {"cubin", ...}, {"ptx", ...}.
  using Entry = std::vector<std::pair<std::string, std::string>>;

  /// `directory` is made when the first entry is written, for the user alone (0700). A directory that belongs to
  /// somebody else, or that others may write to, is not used: its files would be run as code.
  explicit DiskCache(std::filesystem::path directory) : directory(std::move(directory)) {}

  /// The entry stored under `key` (hexadecimal digits), if it is there and intact.
  std::optional<Entry> read(std::string_view key) const;

  /// Stores `entry`, replacing an older one. False when the directory cannot be used or the disk is full.
  bool write(std::string_view key, const Entry &entry) const;

  std::filesystem::path pathOf(std::string_view key) const;

private:
  std::filesystem::path directory;
};

} // namespace hocket

#endif
