//===- ReadIr.h - Reads handwritten IR text ------------------------------------------------===//
#ifndef HOCKET_TOOLS_READIR_H
#define HOCKET_TOOLS_READIR_H

#include "llvm/Support/MemoryBuffer.h"

#include <memory>

namespace hocket {

/// Returns the text of `file` (`-` for standard input). Returns null and prints an error if the file cannot be opened
/// or contains a construct that crashes MLIR's parser instead of being rejected.
///
/// In LLVM 22, two constructs crash MLIR's parser. The first construct is an array attribute with elements of type
/// `index`, which has no width: `array<index: 1>`. openIr also rejects an array of `!anything`, because an alias can
/// hide the type `index`. The second construct is an llvm.insertvalue or llvm.extractvalue with a position such as
/// 2^32: MLIR compares only the lowest 32 bits of the position with the number of members.
std::unique_ptr<llvm::MemoryBuffer> openIr(llvm::StringRef file);

} // namespace hocket

#endif
