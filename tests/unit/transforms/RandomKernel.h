//===- RandomKernel.h - Random programs over shared memory ------------------------===//
//
// A random kernel loads and stores a few buffers, one of which is a ring buffer of two slots, and waits for copies, in
// random order, in nested branches and loops. Stores and loads use different layouts. Therefore any two accesses of the
// same slot, one of them a write, are made by different lanes, unless both are stores.
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

/// Returns the text of a kernel. Allocations are at the start or, if `scattered`, anywhere; a scattered buffer is used
/// only nearby. `async`: the kernel also has asynchronous copies, groups and waits, and relaxed loads. `rotating`:
/// loops also access the slot of the ring buffer that an iteration selects.
std::string randomKernel(std::mt19937 &random, bool scattered, bool async = false, bool rotating = false);

/// Parses `text` and runs the passes (a textual pipeline).
mlir::OwningOpRef<mlir::ModuleOp> compile(mlir::MLIRContext &context, const std::string &text,
                                          const std::string &passes);

/// Returns the number of random programs that a test draws: `usual`, times HOCKET_RANDOM_WAITS if that is set.
int roundsOf(int usual);

} // namespace hocket

#endif
