//===- RandomKernel.h - Random programs over shared memory ------------------------===//
//
// A kernel with a few buffers (one of them a ring of two slots) that it loads, stores and waits for in random order,
// in nested branches and loops. Stores and loads use different layouts, so that any two accesses of the same slot of
// which one writes are done by different lanes, except two stores.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TESTS_UNIT_TRANSFORMS_RANDOMKERNEL_H
#define HOCKET_TESTS_UNIT_TRANSFORMS_RANDOMKERNEL_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <random>

namespace hocket {

/// A context with the dialects that the passes work on.
std::unique_ptr<mlir::MLIRContext> makeTileContext();

/// The text of a kernel. Allocations are at the start (`scattered`: anywhere, each used only nearby). `async`: with
/// asynchronous copies, groups and waits, and relaxed loads. `rotating`: in loops also slots of the ring by the number
/// of the iteration.
std::string randomKernel(std::mt19937 &random, bool scattered, bool async = false, bool rotating = false);

/// Parses `text` and runs the passes (a textual pipeline).
mlir::OwningOpRef<mlir::ModuleOp> compile(mlir::MLIRContext &context, const std::string &text,
                                          const std::string &passes);

/// How many random programs a test draws: so many, times HOCKET_RANDOM_WAITS where that is set.
int roundsOf(int usual);

} // namespace hocket

#endif
