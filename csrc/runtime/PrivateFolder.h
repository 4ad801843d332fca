//===- PrivateFolder.h - Files that only this user can have written ----------------===//
//
// What is found here is run as code, so nothing is trusted for its path: the folder is opened, the open folder is
// checked, and files are opened relative to it and checked again once open. Whoever may exchange folders above it can
// at most lead us to another folder of ours.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_RUNTIME_PRIVATEFOLDER_H
#define HOCKET_RUNTIME_PRIVATEFOLDER_H

#include <cstdint>
#include <ctime>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hocket {

/// Other bits each time, in every process.
uint64_t randomBits();

/// A file descriptor that closes itself.
class FileDescriptor {
public:
  explicit FileDescriptor(int fd = -1) : fd(fd) {}
  FileDescriptor(FileDescriptor &&other) noexcept : fd(other.release()) {}
  FileDescriptor &operator=(FileDescriptor &&) = delete;
  ~FileDescriptor();

  explicit operator bool() const { return fd >= 0; }
  int get() const { return fd; }
  int release() { return std::exchange(fd, -1); }

private:
  int fd;
};

class PrivateFolder {
public:
  /// The folder at `path`; nothing, and the reason in `problem`, where it is not there or cannot be trusted: it must
  /// belong to this user, nobody else may write to it, and its last component must not be a symbolic link.
  static std::optional<PrivateFolder> open(const std::filesystem::path &path, std::string *problem = nullptr);
  /// The same, after making the folder and those above it that do not exist, for the user alone (0700).
  static std::optional<PrivateFolder> make(const std::filesystem::path &path);

  /// The bytes of a regular file of this user that nobody else may write to. It counts as used now.
  std::optional<std::string> read(const std::string &name) const;
  /// Makes `name` a file of these bytes, on the disk before it is visible: readers see all of it or what was there
  /// before. The bytes are first written to a file that ends in kTemporarySuffix.
  bool replace(const std::string &name, std::string_view bytes) const;
  /// Removes a file, a link or an empty folder; whether it is gone.
  bool remove(const std::string &name) const;

  struct File {
    std::string name;
    uint64_t bytes;
    timespec lastUse;
  };
  std::vector<File> files() const;

  static constexpr std::string_view kTemporarySuffix = ".part";

private:
  explicit PrivateFolder(FileDescriptor folder) : folder(std::move(folder)) {}

  FileDescriptor folder;
};

} // namespace hocket

#endif
