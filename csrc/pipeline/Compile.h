//===- Compile.h - Compilation from an hk module to device artifacts ----------------===//
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

/// Representations of a kernel that a compilation can return. `artifactName` returns the name of an artifact for users.
enum class Artifact : uint8_t {
  Hk,     ///< tile IR with shared memory allocated and barriers inserted
  Lane,   ///< the lane form, the last representation that GPU and emulator share
  Llvm,   ///< optimized LLVM IR
  Ptx,    ///< NVIDIA assembly
  Cubin,  ///< NVIDIA machine code
  Amdgcn, ///< AMD assembly
  Hsaco,  ///< AMD code object
};

std::string_view artifactName(Artifact artifact);
/// Returns the artifact called `name` if `target`'s vendor has it, and nullopt otherwise.
std::optional<Artifact> findArtifact(std::string_view name, const TargetInfo &target);

struct CompiledArtifacts {
  KernelFacts facts;
  std::map<Artifact, std::string> texts; ///< text of each artifact; binary bytes for cubin and hsaco
};

/// Checks that the lane form performs in addition to the program's own assertions.
struct LaneChecks {
  bool indices = false;       ///< check that address indices have not overflowed
  bool bufferOffsets = false; ///< check that buffer offsets are not negative; requires `indices`
};

/// Returns a context with all dialects loaded and without threads. A context must be used by one compilation at a time.
std::unique_ptr<mlir::MLIRContext> makeContext();

/// Runs the pipelines until all artifacts of `wanted` exist. An error that a pass reports at a line of the user's
/// source is thrown as a CompileError, any other error as an InternalError with the failing module.
CompiledArtifacts compileForGpu(mlir::ModuleOp module, const std::set<Artifact> &wanted, LaneChecks checks = {},
                                CompileTrace *trace = nullptr);

/// Assembles the PTX of the kernel that `facts` describes, for the kernel's target. If assembling fails, throws a
/// CompileError at the line of the user's inline assembly if the kernel contains any, else an InternalError.
std::string assemblePtx(const std::string &ptx, const KernelFacts &facts);

/// Lowers `module` in place to the lane form for the emulator, with additional assertions that the buffer indices of
/// ring buffers are valid.
KernelFacts lowerToLanes(mlir::ModuleOp module, LaneChecks checks = {});

} // namespace hocket

#endif
