//===- Cache.cpp - Compiled kernels on disk ----------------------------------------===//
#include "runtime/Cache.h"
#include "runtime/Bytes.h"
#include <atomic>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

namespace hocket {

static constexpr char kMagic[8] = {'H', 'O', 'C', 'K', 'E', 'T', 'K', 'C'};
static constexpr uint32_t kFormatVersion = 1;
// Guards the allocations below against a corrupt length; no kernel comes near it.
static constexpr uint64_t kMaxPayloadBytes = uint64_t(1) << 30;

namespace {

struct Header {
  char magic[8];
  uint32_t version;
  uint32_t checksum;
  uint64_t payloadBytes;
};
static_assert(sizeof(Header) == 24, "the header is written as it lies in memory");

/// A file descriptor that closes itself.
struct File {
  int fd;
  explicit File(int fd) : fd(fd) {}
  ~File() {
    if (fd >= 0)
      close(fd);
  }
  File(const File &) = delete;
};

} // namespace

static uint32_t checksum(std::string_view bytes) {
  return crc32(0, reinterpret_cast<const Bytef *>(bytes.data()), bytes.size());
}

static bool readAll(int fd, void *buffer, size_t size) {
  auto *out = static_cast<char *>(buffer);
  while (size > 0) {
    ssize_t got = ::read(fd, out, size);
    if (got <= 0)
      return false;
    out += got;
    size -= got;
  }
  return true;
}

static bool writeAll(int fd, const void *buffer, size_t size) {
  auto *in = static_cast<const char *>(buffer);
  while (size > 0) {
    ssize_t put = ::write(fd, in, size);
    if (put <= 0)
      return false;
    in += put;
    size -= put;
  }
  return true;
}

/// True for a directory of ours that nobody else can put files into.
static bool isTrusted(const std::filesystem::path &directory) {
  struct stat facts;
  return stat(directory.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode) && facts.st_uid == geteuid() &&
         (facts.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/// Makes `directory` and what lies above it, readable by the user alone. Directories that exist are left as they are.
static void makePrivate(const std::filesystem::path &directory) {
  std::error_code ignored;
  if (directory.empty() || std::filesystem::exists(directory, ignored))
    return;
  makePrivate(directory.parent_path());
  mkdir(directory.c_str(), S_IRWXU);
}

std::filesystem::path DiskCache::pathOf(std::string_view key) const { return directory / (std::string(key) + ".hk"); }

std::optional<DiskCache::Entry> DiskCache::read(std::string_view key) const {
  if (!isTrusted(directory))
    return std::nullopt;
  File file(open(pathOf(key).c_str(), O_RDONLY | O_CLOEXEC));
  Header header;
  if (file.fd < 0 || !readAll(file.fd, &header, sizeof(header)) ||
      std::memcmp(header.magic, kMagic, sizeof(kMagic)) != 0 || header.version != kFormatVersion ||
      header.payloadBytes > kMaxPayloadBytes)
    return std::nullopt;
  std::string payload(header.payloadBytes, '\0');
  char excess;
  if (!readAll(file.fd, payload.data(), payload.size()) || ::read(file.fd, &excess, 1) != 0 ||
      checksum(payload) != header.checksum)
    return std::nullopt;

  ByteReader reader{payload};
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
  std::string payload;
  appendString(payload, key);
  for (const auto &[name, value] : entry) {
    appendString(payload, name);
    appendString(payload, value);
  }
  Header header{.magic = {}, .version = kFormatVersion, .checksum = checksum(payload), .payloadBytes = payload.size()};
  std::memcpy(header.magic, kMagic, sizeof(kMagic));

  makePrivate(directory);
  if (!isTrusted(directory))
    return false;
  static std::atomic<unsigned> counter = 0;
  std::string temporary =
      pathOf(key).string() + "." + std::to_string(getpid()) + "." + std::to_string(counter++) + ".part";
  File file(open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (file.fd < 0)
    return false;
  bool written = writeAll(file.fd, &header, sizeof(header)) && writeAll(file.fd, payload.data(), payload.size()) &&
                 fsync(file.fd) == 0 && rename(temporary.c_str(), pathOf(key).c_str()) == 0;
  if (!written)
    unlink(temporary.c_str());
  return written;
}

} // namespace hocket
