//===- PrivateFolder.h - Files that only this user can have written ----------------===//
//
// Files in this folder are run as code, so a path alone is not trusted. `open` opens the folder, then checks its owner
// and permissions. Files are opened relative to the open folder, and checked after opening. If another user can replace
// a parent folder, that user can only redirect Hocket to another folder that belongs to this user.
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

/// Returns random bits that differ at each call and in every process.
uint64_t randomBits();

/// A file descriptor that is closed by the destructor.
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
  /// Opens the folder at `path`. Returns nullopt, with the reason in `problem`, if the folder does not exist or cannot
  /// be trusted. A trusted folder belongs to this user, no other user can write to it, and its last path component is
  /// not a symbolic link.
  static std::optional<PrivateFolder> open(const std::filesystem::path &path, std::string *problem = nullptr);
  /// Creates the folder at `path` and its missing parents, with access for the user only (0700), and opens the folder.
  static std::optional<PrivateFolder> make(const std::filesystem::path &path);

  /// Returns the bytes of a regular file that belongs to this user and that no other user can write to, and sets the
  /// file's time of last use.
  std::optional<std::string> read(const std::string &name) const;
  /// Replaces the contents of the file `name` by `bytes` atomically: a reader sees either the old contents or the
  /// complete new contents. The bytes are first written and flushed to a file whose name ends in kTemporarySuffix,
  /// which is then renamed.
  bool replace(const std::string &name, std::string_view bytes) const;
  /// Removes the file, link or empty folder `name`. Returns true if `name` does not exist afterwards.
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
