//===- TemporaryFolder.h - Temporary files for programs that take paths ----------------===//
#ifndef HOCKET_CODEGEN_TEMPORARYFOLDER_H
#define HOCKET_CODEGEN_TEMPORARYFOLDER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace hocket {

/// A temporary folder in $TMPDIR or /tmp that only the current user can access. The destructor removes the folder with
/// its files. If the process is killed, the folder is not removed. Unnamed temporary files are not an alternative,
/// because lld renames its output file.
class TemporaryFolder {
public:
  static llvm::Expected<TemporaryFolder> create();

  TemporaryFolder(TemporaryFolder &&other) noexcept : path(std::exchange(other.path, "")) {}
  TemporaryFolder &operator=(TemporaryFolder &&) = delete;
  ~TemporaryFolder();

  std::string pathOf(llvm::StringRef file) const { return path + "/" + file.str(); }
  llvm::Error write(llvm::StringRef file, llvm::StringRef contents) const;
  llvm::Expected<std::string> read(llvm::StringRef file) const;

private:
  explicit TemporaryFolder(std::string path) : path(std::move(path)) {}

  std::string path;
};

} // namespace hocket

#endif
