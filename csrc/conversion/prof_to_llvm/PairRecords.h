//===- PairRecords.h - Finds records that one store of 16 bytes can write ---------------------===//
//
// Two records of 8 bytes whose first one has an even index in the buffer can be written by one store. Records at fixed
// program points have a running number n, and the index n + s, with a first index s of 0 or 1 for the whole kernel:
//
//                                    index with s = 0     index with s = 1
//     entry     mark                 0                    1
//     loop      begin x              1, 3, 5, ...         2, 4, 6, ...   } a pair, one store
//               end x                2, 4, 6, ...         3, 5, 7, ...   }
//
// The parity of n at the start of each block is a forward dataflow problem with three values: even, odd, and unknown.
// The pass selects the first index s for which more records are paired; a record counts eight times for each loop
// around its block.
//
// Two stores form a pair if they are adjacent (the records of a scope without inner records are, see
// ExpandRecords.cpp), and if both are executed under the same condition. A pair keeps the parity even if its condition
// is false.
//
//===----------------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_PROF_TO_LLVM_PAIRRECORDS_H
#define HOCKET_CONVERSION_PROF_TO_LLVM_PAIRRECORDS_H

#include "dialect/prof/ProfDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace hocket {

struct RecordPairs {
  int firstIndex = 0; ///< index of the first record in the buffer, 0 or 1
  /// The second record of each pair, by the first one.
  llvm::DenseMap<mlir::Operation *, prof::StoreRecordOp> secondOf;
};

/// `maxFirstIndex` is 0 or 1.
RecordPairs findRecordPairs(mlir::LLVM::LLVMFuncOp kernel, int maxFirstIndex);

} // namespace hocket

#endif
