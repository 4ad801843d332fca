//===- PairRecords.h - Finds pairs of records that one store can write ------------------------===//
//
// One store can write two consecutive records of 8 bytes if the first of them has an even index in the buffer. A record
// at a fixed program point has a running number n, and the index n + s in the buffer, where s is the first index of the
// kernel, 0 or 1:
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
// Two stores can form a pair if they are adjacent and have the same condition. The records of a scope without inner
// records are adjacent (ExpandRecords.cpp). The parity after a pair equals the parity before the pair, even if the
// condition is false.
//
//===----------------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_PROF_TO_LLVM_PAIRRECORDS_H
#define HOCKET_CONVERSION_PROF_TO_LLVM_PAIRRECORDS_H

#include "dialect/prof/ProfDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace hocket {

struct RecordPairs {
  int firstIndex = 0; ///< index of the first record in the buffer, 0 or 1
  /// Maps the first record of each pair to the second record.
  llvm::DenseMap<mlir::Operation *, prof::StoreRecordOp> secondOf;
};

/// Returns the pairs for the first index, 0 or `maxFirstIndex`, with which more records are paired. `maxFirstIndex` is
/// 0 or 1.
RecordPairs findRecordPairs(mlir::LLVM::LLVMFuncOp kernel, int maxFirstIndex);

} // namespace hocket

#endif
