//===- Cache.cpp - Disk cache of compiled kernels ----------------------------------===//
#include "runtime/Cache.h"
#include "runtime/Bytes.h"
#include <algorithm>
#include <cstring>
#include <tuple>
#include <zlib.h>

namespace hocket {

static constexpr char kMagic[8] = {'H', 'O', 'C', 'K', 'E', 'T', 'K', 'C'};
static constexpr uint32_t kFormatVersion = 1;
static constexpr std::string_view kSuffix = ".hk";

// Listing 50,000 entries takes about 0.1 s, so a write does not always compute the size of the cache. Instead, each
// write sweeps (lists all entries and removes old ones) with a certain probability. On average, the entries written
// between two sweeps have limitBytes / kSweepsPerLimit bytes. A sweep frees limitBytes / kFreePart bytes, eight times
// the average size of these entries. The cache therefore exceeds its size limit before the next sweep with probability
// e^-8 only.
static constexpr uint64_t kSweepsPerLimit = 64;
static constexpr uint64_t kFreePart = 8;
// Allocation unit of a file on disk, in bytes.
static constexpr uint64_t kBlockBytes = 4096;
// Minimum age of a temporary file that is considered left over from a killed process. A sweep can remove the temporary
// file of a slow process, too; the entry is then written at a later compilation.
static constexpr time_t kStaleSeconds = 3600;

namespace {

struct Header {
  char magic[8];
  uint32_t version;
  uint32_t checksum;
  uint64_t payloadBytes;
};
static_assert(sizeof(Header) == 24, "the header is written as it lies in memory");

} // namespace

static uint32_t checksum(std::string_view bytes) {
  return crc32_z(0, reinterpret_cast<const Bytef *>(bytes.data()), bytes.size());
}

static std::string fileName(std::string_view key) { return std::string(key).append(kSuffix); }

static bool isEntry(const PrivateFolder::File &file) { return file.name.ends_with(kSuffix); }
static bool isTemporary(const PrivateFolder::File &file) {
  return file.name.ends_with(PrivateFolder::kTemporarySuffix);
}

static uint64_t bytesOnDisk(uint64_t bytes) { return (bytes + kBlockBytes - 1) / kBlockBytes * kBlockBytes; }

std::filesystem::path DiskCache::pathOf(std::string_view key) const { return directory / fileName(key); }

/// Returns the payload of `file`, the contents of a cache file; nullopt if the file is damaged.
static std::optional<std::string_view> payloadOf(std::string_view file) {
  Header header;
  if (file.size() < sizeof(header))
    return std::nullopt;
  std::memcpy(&header, file.data(), sizeof(header));
  std::string_view payload = file.substr(sizeof(header));
  bool intact = std::memcmp(header.magic, kMagic, sizeof(kMagic)) == 0 && header.version == kFormatVersion &&
                header.payloadBytes == payload.size() && header.checksum == checksum(payload);
  return intact ? std::optional(payload) : std::nullopt;
}

std::optional<DiskCache::Entry> DiskCache::read(std::string_view key) const {
  std::optional<PrivateFolder> folder = PrivateFolder::open(directory);
  std::optional<std::string> file = folder ? folder->read(fileName(key)) : std::nullopt;
  std::optional<std::string_view> payload = file ? payloadOf(*file) : std::nullopt;
  if (!payload)
    return std::nullopt;
  ByteReader reader{*payload};
  if (reader.string() != key)
    return std::nullopt;
  Entry entry;
  while (reader.ok && !reader.rest.empty()) {
    std::string_view name = reader.string();
    std::string_view value = reader.string();
    entry.emplace_back(name, value);
  }
  return reader.ok ? std::optional(std::move(entry)) : std::nullopt;
}

bool DiskCache::write(std::string_view key, const Entry &entry) const {
  std::string file(sizeof(Header), '\0');
  appendString(file, key);
  for (const auto &[name, value] : entry) {
    appendString(file, name);
    appendString(file, value);
  }
  std::string_view payload = std::string_view(file).substr(sizeof(Header));
  Header header{.magic = {}, .version = kFormatVersion, .checksum = checksum(payload), .payloadBytes = payload.size()};
  std::memcpy(header.magic, kMagic, sizeof(kMagic));
  std::memcpy(file.data(), &header, sizeof(header));

  uint64_t size = bytesOnDisk(file.size());
  if (size > limitBytes)
    return false;
  std::optional<PrivateFolder> folder = PrivateFolder::make(directory);
  if (!folder || !folder->replace(fileName(key), file))
    return false;
  if (randomBits() % limitBytes < size * kSweepsPerLimit)
    makeRoom(*folder);
  return true;
}

void DiskCache::makeRoom(const PrivateFolder &folder) const {
  std::vector<PrivateFolder::File> files = folder.files();
  time_t now = time(nullptr);
  uint64_t total = 0;
  std::erase_if(files, [&](const PrivateFolder::File &file) {
    if (isTemporary(file) && file.lastUse.tv_sec < now - kStaleSeconds)
      folder.remove(file.name);
    return !isEntry(file);
  });
  for (const PrivateFolder::File &file : files)
    total += bytesOnDisk(file.bytes);
  std::ranges::sort(
      files, {}, [](const PrivateFolder::File &file) { return std::tuple(file.lastUse.tv_sec, file.lastUse.tv_nsec); });
  uint64_t target = limitBytes - limitBytes / kFreePart;
  for (const PrivateFolder::File &file : files) {
    // The most recently used entry, which has just been written, is never removed.
    if (total <= target || &file == &files.back())
      return;
    folder.remove(file.name);
    total -= bytesOnDisk(file.bytes);
  }
}

DiskCache::Status DiskCache::status() const {
  Status status;
  std::error_code ignored;
  if (!std::filesystem::exists(std::filesystem::symlink_status(directory, ignored)))
    return status;
  if (auto folder = PrivateFolder::open(directory, &status.problem))
    for (const PrivateFolder::File &file : folder->files())
      if (isEntry(file)) {
        ++status.entries;
        status.bytes += bytesOnDisk(file.bytes);
      }
  return status;
}

uint64_t DiskCache::clear() const {
  uint64_t removed = 0;
  if (auto folder = PrivateFolder::open(directory))
    for (const PrivateFolder::File &file : folder->files())
      if (isEntry(file) || isTemporary(file))
        removed += folder->remove(file.name) && isEntry(file);
  return removed;
}

} // namespace hocket
