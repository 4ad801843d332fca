//===- PrivateFolder.h - Files that only this user can have written ----------------===//
//
// Files in this folder are run as code, so a path alone is not trusted. The folder is opened and checked. Files are
// opened relative to the open folder, and checked after opening. Another user who can replace a parent folder can only
// redirect Hocket to another folder of this user.
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
  /// Opens the folder. Creates the folder and its missing parents first, with access for the user only (0700).
  static std::optional<PrivateFolder> make(const std::filesystem::path &path);

  /// Returns the bytes of a regular file that belongs to this user and that no other user can write to, and sets the
  /// file's time of last use.
  std::optional<std::string> read(const std::string &name) const;
  /// Writes `bytes` to the file `name`, flushed to disk before it becomes visible: readers see the complete new or the
  /// old contents. The bytes are first written to a file that ends in kTemporarySuffix.
  bool replace(const std::string &name, std::string_view bytes) const;
  /// Removes a file, a link or an empty folder. Returns true if the file, link or folder no longer exists.
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
