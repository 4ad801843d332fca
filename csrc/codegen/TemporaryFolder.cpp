//===- TemporaryFolder.cpp - Temporary files for programs that take paths ---------===//
#include "codegen/TemporaryFolder.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <cstdlib>

using namespace llvm;

namespace hocket {

Expected<TemporaryFolder> TemporaryFolder::create() {
  SmallString<128> parent;
  sys::path::system_temp_directory(/*ErasedOnReboot=*/true, parent);
  std::string pattern = (parent + "/hocket-XXXXXX").str();
  if (!mkdtemp(pattern.data())) // creates the folder with access rights for its owner only
    return createStringError(std::error_code(errno, std::generic_category()),
                             "cannot create a folder for temporary files in " + parent +
                                 " (set TMPDIR to another one)");
  return TemporaryFolder(std::move(pattern));
}

TemporaryFolder::~TemporaryFolder() {
  if (!path.empty())
    sys::fs::remove_directories(path);
}

Error TemporaryFolder::write(StringRef file, StringRef contents) const {
  std::error_code error;
  raw_fd_ostream stream(pathOf(file), error);
  if (!error) {
    stream << contents;
    stream.close();
    error = stream.error();
    stream.clear_error(); // the stream's destructor ends the process if an error has not been cleared
  }
  return error ? createStringError(error, "cannot write " + pathOf(file)) : Error::success();
}

Expected<std::string> TemporaryFolder::read(StringRef file) const {
  auto buffer = MemoryBuffer::getFile(pathOf(file), /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return createStringError(buffer.getError(), "cannot read " + pathOf(file));
  return (*buffer)->getBuffer().str();
}

} // namespace hocket
