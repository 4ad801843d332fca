//===- PrivateFolder.cpp - Files that only this user can have written --------------===//
#include "runtime/PrivateFolder.h"
#include <cerrno>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

namespace hocket {

// Maximum size of a file that PrivateFolder::read accepts; the files that Hocket writes are smaller.
static constexpr off_t kMaxFileBytes = off_t(1) << 30;

uint64_t randomBits() {
  uint64_t bits = 0;
  if (getentropy(&bits, sizeof(bits)) != 0)
    return uint64_t(getpid()) << 32 ^ std::chrono::steady_clock::now().time_since_epoch().count();
  return bits;
}

FileDescriptor::~FileDescriptor() {
  if (fd >= 0)
    close(fd);
}

/// Repeats the system call `call` while signals interrupt it.
template <typename Call>
static auto retried(Call &&call) {
  auto result = call();
  while (result < 0 && errno == EINTR)
    result = call();
  return result;
}

static bool writeAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t put = retried([&] { return ::write(fd, bytes.data(), bytes.size()); });
    if (put <= 0)
      return false;
    bytes.remove_prefix(put);
  }
  return true;
}

/// Reads `size` bytes from the file descriptor `fd` into `out`. Returns true if the file ends after exactly these
/// bytes.
static bool readAll(int fd, char *out, size_t size) {
  char excess;
  while (size > 0) {
    ssize_t got = retried([&] { return ::read(fd, out, size); });
    if (got <= 0)
      return false;
    out += got;
    size -= got;
  }
  return ::read(fd, &excess, 1) == 0;
}

/// Returns the reason why another user can have modified the file or folder with these properties; "" if no other user
/// can.
static std::string whyShared(const struct stat &facts) {
  if (facts.st_uid != geteuid())
    return "belongs to another user";
  return facts.st_mode & (S_IWGRP | S_IWOTH) ? "is writable by other users" : "";
}

std::optional<PrivateFolder> PrivateFolder::open(const std::filesystem::path &path, std::string *problem) {
  // O_PATH cannot be used, because a folder opened with O_PATH cannot be listed.
  FileDescriptor folder(retried([&] { return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC); }));
  struct stat facts;
  std::string reason;
  if (!folder || fstat(folder.get(), &facts) != 0) {
    reason = std::strerror(errno);
    if (lstat(path.c_str(), &facts) == 0 && S_ISLNK(facts.st_mode))
      reason = "is a symbolic link";
  } else {
    reason = whyShared(facts);
  }
  if (reason.empty())
    return PrivateFolder(std::move(folder));
  if (problem)
    *problem = reason;
  return std::nullopt;
}

/// Creates the folder `path` and its missing parents; existing folders are not changed.
static void makeFolders(const std::filesystem::path &path) {
  std::error_code ignored;
  if (path.empty() || std::filesystem::exists(path, ignored))
    return;
  makeFolders(path.parent_path());
  mkdir(path.c_str(), S_IRWXU);
}

std::optional<PrivateFolder> PrivateFolder::make(const std::filesystem::path &path) {
  makeFolders(path);
  return open(path);
}

std::optional<std::string> PrivateFolder::read(const std::string &name) const {
  // O_NONBLOCK is necessary, because opening a FIFO without a writer would block forever.
  FileDescriptor file(
      retried([&] { return openat(folder.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC); }));
  struct stat facts;
  if (!file || fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode) || !whyShared(facts).empty() ||
      facts.st_size > kMaxFileBytes)
    return std::nullopt;
  std::string bytes(facts.st_size, '\0');
  if (!readAll(file.get(), bytes.data(), bytes.size()))
    return std::nullopt;
  futimens(file.get(), nullptr);
  return bytes;
}

bool PrivateFolder::replace(const std::string &name, std::string_view bytes) const {
  // The name of the temporary file is random. A process ID in the name would not be unique, because processes in
  // different containers can have the same ID. A file left by a killed process would also block the next process with
  // the same ID.
  char unique[32];
  std::snprintf(unique, sizeof(unique), ".%016" PRIx64, randomBits());
  std::string temporary = name + unique + std::string(kTemporarySuffix);
  {
    FileDescriptor file(retried([&] {
      return openat(folder.get(), temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                    S_IRUSR | S_IWUSR);
    }));
    if (!file)
      return false;
    bool written = writeAll(file.get(), bytes) && fsync(file.get()) == 0;
    if (!written) {
      unlinkat(folder.get(), temporary.c_str(), 0);
      return false;
    }
  }
  auto rename = [&] { return renameat(folder.get(), temporary.c_str(), folder.get(), name.c_str()) == 0; };
  bool renamed = rename() || (errno == EISDIR && remove(name) && rename());
  if (!renamed)
    unlinkat(folder.get(), temporary.c_str(), 0);
  return renamed;
}

bool PrivateFolder::remove(const std::string &name) const {
  return unlinkat(folder.get(), name.c_str(), 0) == 0 || errno == ENOENT ||
         unlinkat(folder.get(), name.c_str(), AT_REMOVEDIR) == 0;
}

std::vector<PrivateFolder::File> PrivateFolder::files() const {
  std::vector<File> found;
  // The folder is opened again for listing, because a duplicated descriptor would share its read position with other
  // threads.
  int listed = openat(folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *listing = listed < 0 ? nullptr : fdopendir(listed);
  if (!listing) {
    FileDescriptor closes(listed);
    return found;
  }
  while (const dirent *item = readdir(listing)) {
    std::string name = item->d_name;
    struct stat facts;
    if (name != "." && name != ".." && fstatat(folder.get(), name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0)
      found.push_back({std::move(name), uint64_t(facts.st_size), facts.st_mtim});
  }
  closedir(listing);
  return found;
}

} // namespace hocket
