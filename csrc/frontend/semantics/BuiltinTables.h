//===- BuiltinTables.h - Tables of builtins, one per topic --------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_BUILTINTABLES_H
#define HOCKET_FRONTEND_SEMANTICS_BUILTINTABLES_H

#include "frontend/semantics/Builtins.h"

namespace hocket::frontend {

struct BuiltinEntry {
  std::string_view name; ///< `__hocket_builtin__` of the Python stub
  BuiltinFn function;
};

std::span<const BuiltinEntry> amdAsyncBuiltins();
std::span<const BuiltinEntry> amdBufferBuiltins();
std::span<const BuiltinEntry> amdSchedulingBuiltins();
std::span<const BuiltinEntry> amdMatrixBuiltins();
std::span<const BuiltinEntry> amdScaledBuiltins();
std::span<const BuiltinEntry> atomicBuiltins();
std::span<const BuiltinEntry> attributeBuiltins();
std::span<const BuiltinEntry> bankConflictBuiltins();
std::span<const BuiltinEntry> castBuiltins();
std::span<const BuiltinEntry> assertBuiltins();
std::span<const BuiltinEntry> clusterBuiltins();
std::span<const BuiltinEntry> creationBuiltins();
std::span<const BuiltinEntry> dotBuiltins();
std::span<const BuiltinEntry> elementwiseBuiltins();
std::span<const BuiltinEntry> factBuiltins();
std::span<const BuiltinEntry> gatherBuiltins();
std::span<const BuiltinEntry> gridBuiltins();
std::span<const BuiltinEntry> gridControlBuiltins();
std::span<const BuiltinEntry> inlineAsmBuiltins();
std::span<const BuiltinEntry> layoutBuiltins();
std::span<const BuiltinEntry> mapBuiltins();
std::span<const BuiltinEntry> mathBuiltins();
std::span<const BuiltinEntry> memoryBuiltins();
std::span<const BuiltinEntry> nvidiaAsyncBuiltins();
std::span<const BuiltinEntry> nvidiaMatrixBuiltins();
std::span<const BuiltinEntry> nvidiaMbarrierBuiltins();
std::span<const BuiltinEntry> nvidiaNamedBarrierBuiltins();
std::span<const BuiltinEntry> nvidiaWarpgroupBuiltins();
std::span<const BuiltinEntry> pairBuiltins();
std::span<const BuiltinEntry> partitionBuiltins();
std::span<const BuiltinEntry> pipelineBuiltins();
std::span<const BuiltinEntry> nvidiaTmaBuiltins();
std::span<const BuiltinEntry> nvidiaTmaDescriptorBuiltins();
std::span<const BuiltinEntry> printBuiltins();
std::span<const BuiltinEntry> profilerBuiltins();
std::span<const BuiltinEntry> reductionBuiltins();
std::span<const BuiltinEntry> scanBuiltins();
std::span<const BuiltinEntry> shapeBuiltins();
std::span<const BuiltinEntry> selectedElementBuiltins();
std::span<const BuiltinEntry> sharedMemoryBuiltins();
std::span<const BuiltinEntry> staticBuiltins();
/// Returns the builtin that raises an error for a function of an unsupported GPU's module. Null for other names.
BuiltinFn refusalOf(std::string_view name);

} // namespace hocket::frontend

#endif
