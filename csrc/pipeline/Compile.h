//===- Compile.h - From an hk module to what a device loads -------------------------===//
#ifndef HOCKET_PIPELINE_COMPILE_H
#define HOCKET_PIPELINE_COMPILE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "pipeline/CompileTrace.h"
#include "runtime/KernelFacts.h"
#include "support/CompileError.h"
#include "target/TargetInfo.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace mlir {
class MLIRContext;
}

namespace hocket {

/// What a kernel can be turned into. The names users write are those of `artifactName`.
enum class Artifact : uint8_t {
  Hk,     ///< tile IR with shared memory placed and barriers inserted
  Lane,   ///< the lane form, the last module that GPU and emulator share
  Llvm,   ///< optimised LLVM IR
  Ptx,    ///< NVIDIA assembly
  Cubin,  ///< NVIDIA machine code
  Amdgcn, ///< AMD assembly
  Hsaco,  ///< AMD code object
};

std::string_view artifactName(Artifact artifact);
/// The artifact called `name` if `target`'s vendor has it, or nothing.
std::optional<Artifact> findArtifact(std::string_view name, const TargetInfo &target);

struct CompiledArtifacts {
  KernelFacts facts;
  std::map<Artifact, std::string> texts; ///< cubin and hsaco hold bytes
};

/// What the lane form asserts beside what the program says.
struct LaneChecks {
  bool indices = false;       ///< of addresses have not overflowed
  bool bufferOffsets = false; ///< are not negative; with `indices`
};

/// A context with every dialect loaded, threading off: one context belongs to one compilation at a time.
std::unique_ptr<mlir::MLIRContext> makeContext();

/// Runs the pipelines as far as `wanted` needs. Errors that a pass reports at a user's line are thrown as CompileError;
/// anything else as InternalError with the failing module.
CompiledArtifacts compileForGpu(mlir::ModuleOp module, const std::set<Artifact> &wanted, LaneChecks checks = {},
                                CompileTrace *trace = nullptr);

/// Lowers `module` in place to the lane form, for the emulator: it also asserts that the slots of rings exist.
KernelFacts lowerToLanes(mlir::ModuleOp module, LaneChecks checks = {});

} // namespace hocket

#endif
