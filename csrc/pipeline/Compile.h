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

/// Representations of a kernel that a compilation can return. `artifactName` returns the name of an artifact in Python.
enum class Artifact : uint8_t {
  Hk,     ///< tile IR after the tile pipeline, which allocates shared memory and inserts barriers
  Lane,   ///< the lane form (IR for one lane), the last IR that the GPU and the emulator share
  Llvm,   ///< optimized LLVM IR
  Ptx,    ///< NVIDIA assembly
  Cubin,  ///< NVIDIA machine code
  Amdgcn, ///< AMD assembly
  Hsaco,  ///< AMD code object
};

std::string_view artifactName(Artifact artifact);
/// Returns the artifact called `name`; nullopt if compilations for `target` have no such artifact.
std::optional<Artifact> findArtifact(std::string_view name, const TargetInfo &target);

struct CompiledArtifacts {
  KernelFacts facts;
  std::map<Artifact, std::string> texts; ///< text of each artifact; for Cubin and Hsaco, the bytes of the binary
};

/// Assertions that the lane pipeline adds to the kernel, apart from the user's own assertions.
struct LaneChecks {
  bool indices = false;       ///< assert that the indices of addresses have not overflowed
  bool bufferOffsets = false; ///< assert that the offsets of buffer accesses are not negative; requires `indices`
};

/// Returns an MLIRContext with all dialects loaded and without multithreading. Only one compilation at a time can use
/// the context.
std::unique_ptr<mlir::MLIRContext> makeContext();

/// Runs the compilation steps until all artifacts in `wanted` exist. Throws a CompileError for an error that a pass
/// reports at a line of the user's source, and an InternalError for any other error.
CompiledArtifacts compileForGpu(mlir::ModuleOp module, const std::set<Artifact> &wanted, LaneChecks checks = {},
                                CompileTrace *trace = nullptr);

/// Assembles the PTX of the kernel that `facts` describes, for the kernel's target. If assembling fails, throws a
/// CompileError at the line of the user's inline assembly, or an InternalError if the kernel contains no inline
/// assembly.
std::string assemblePtx(const std::string &ptx, const KernelFacts &facts);

/// Lowers `module` in place to the lane form for the emulator, with additional assertions that the buffer indices of
/// ring buffers are valid.
KernelFacts lowerToLanes(mlir::ModuleOp module, LaneChecks checks = {});

} // namespace hocket

#endif
