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
// Of the entries, those go first that were not read or written for longest. Nobody keeps count of them, as counts of
// processes that are killed go wrong: a writer lists the folder instead, once for every kSweepsPerLimit-th of the
// limit that is written, on average over all processes.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_RUNTIME_CACHE_H
#define HOCKET_RUNTIME_CACHE_H

#include "runtime/PrivateFolder.h"
#include <utility>

namespace hocket {

class DiskCache {
public:
  /// Named byte strings: {"cubin", ...}, {"ptx", ...}.
  using Entry = std::vector<std::pair<std::string, std::string>>;

  /// `directory` is made when the first entry is written, for the user alone (0700). One that cannot be trusted is not
  /// used: its files would be run as code.
  DiskCache(std::filesystem::path directory, uint64_t limitBytes)
      : directory(std::move(directory)), limitBytes(limitBytes) {}

  /// The entry stored under `key` (hexadecimal digits), if it is there and intact.
  std::optional<Entry> read(std::string_view key) const;

  /// Stores `entry`, replacing an older one. False when the directory cannot be used, the disk is full, or the entry is
  /// larger than all entries together may be.
  bool write(std::string_view key, const Entry &entry) const;

  struct Status {
    std::string problem; ///< why the directory is not used, or ""
    uint64_t entries = 0;
    uint64_t bytes = 0;
  };
  Status status() const;

  /// Removes all entries and what killed processes left; how many entries that were.
  uint64_t clear() const;

  std::filesystem::path pathOf(std::string_view key) const;

private:
  void makeRoom(const PrivateFolder &folder) const;

  std::filesystem::path directory;
  uint64_t limitBytes;
};

} // namespace hocket

#endif
