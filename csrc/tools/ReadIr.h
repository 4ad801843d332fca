//===- ReadIr.h - Reading IR text that somebody wrote by hand ------------------------------===//
#ifndef HOCKET_TOOLS_READIR_H
#define HOCKET_TOOLS_READIR_H

#include "llvm/Support/MemoryBuffer.h"

#include <memory>

namespace hocket {

/// The text of `file` (`-` for the standard input), or null after an error on stderr: for a file that cannot be opened,
/// and for what would crash MLIR's parser instead of being refused by it.
///
/// That is, of LLVM 22, an array attribute of `index` numbers, which have no width: `array<index: 1>`. The type may
/// also be hidden in an alias, so that an array of `!anything` is refused too. And llvm.insertvalue and
/// llvm.extractvalue with a place such as 2^32, of which the lowest 32 bits alone are compared with the number of
/// members.
std::unique_ptr<llvm::MemoryBuffer> openIr(llvm::StringRef file);

} // namespace hocket

#endif
