//===- Cache.h - Disk cache of compiled kernels ------------------------------------===//
//
// Each entry is one file, whose name is the entry's key and the suffix .hk:
//
//   8 bytes   magic "HOCKETKC"
//   4 bytes   format version          (little endian, as all numbers here)
//   4 bytes   CRC-32 of the payload
//   8 bytes   length of the payload
//   payload   the key, then the parts: length and bytes of each name and value.
//
// A file is written under a temporary name in the same folder, flushed to the disk and renamed. A reader therefore sees
// either a complete entry or no entry, also on network file systems and with any number of writers. An entry whose
// checksum or key is wrong is treated as absent: the kernel is compiled again and the entry replaced. A failure of the
// cache neither throws nor makes a launch fail.
//
// The least recently used entries are removed first. Processes do not keep a shared count of the bytes in the folder,
// because the count would be wrong after a process is killed. Instead, each writer lists the folder with a small
// probability. On average, the folder is listed once whenever all processes together have written limitBytes /
// kSweepsPerLimit bytes.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_RUNTIME_CACHE_H
#define HOCKET_RUNTIME_CACHE_H

#include "runtime/PrivateFolder.h"
#include <utility>

namespace hocket {

class DiskCache {
public:
  /// An entry is a list of named byte strings, such as {"cubin", ...}, {"ptx", ...}.
  using Entry = std::vector<std::pair<std::string, std::string>>;

  /// `directory` is created when the first entry is written, with access for the user only (0700). An untrusted
  /// directory is not used, because its files would be run as code.
  DiskCache(std::filesystem::path directory, uint64_t limitBytes)
      : directory(std::move(directory)), limitBytes(limitBytes) {}

  /// Returns the entry stored under `key` (hexadecimal digits), if it exists and is intact.
  std::optional<Entry> read(std::string_view key) const;

  /// Stores `entry`, and replaces an older entry with the same key. Returns false if the directory cannot be used, the
  /// disk is full, or the entry is larger than the size limit of the whole cache.
  bool write(std::string_view key, const Entry &entry) const;

  struct Status {
    std::string problem; ///< reason why the directory is not used, or ""
    uint64_t entries = 0;
    uint64_t bytes = 0;
  };
  Status status() const;

  /// Removes all entries and all temporary files. Returns the number of removed entries.
  uint64_t clear() const;

  std::filesystem::path pathOf(std::string_view key) const;

private:
  void makeRoom(const PrivateFolder &folder) const;

  std::filesystem::path directory;
  uint64_t limitBytes;
};

} // namespace hocket

#endif
