//===- Builtins.cpp - Dispatch of builtins by name --------------------------------===//
#include "frontend/semantics/Builtins.h"
#include "frontend/semantics/BuiltinTables.h"
#include "llvm/ADT/StringMap.h"

namespace hocket::frontend {

static llvm::StringMap<BuiltinFn> buildTable() {
  llvm::StringMap<BuiltinFn> table;
  for (auto theme : {amdAsyncBuiltins,
                     amdBufferBuiltins,
                     amdSchedulingBuiltins,
                     amdMatrixBuiltins,
                     amdScaledBuiltins,
                     assertBuiltins,
                     atomicBuiltins,
                     attributeBuiltins,
                     bankConflictBuiltins,
                     castBuiltins,
                     clusterBuiltins,
                     creationBuiltins,
                     dotBuiltins,
                     elementwiseBuiltins,
                     factBuiltins,
                     gatherBuiltins,
                     gridBuiltins,
                     gridControlBuiltins,
                     inlineAsmBuiltins,
                     layoutBuiltins,
                     mapBuiltins,
                     mathBuiltins,
                     memoryBuiltins,
                     nvidiaAsyncBuiltins,
                     nvidiaMatrixBuiltins,
                     nvidiaMbarrierBuiltins,
                     nvidiaNamedBarrierBuiltins,
                     nvidiaTmaBuiltins,
                     nvidiaTmaDescriptorBuiltins,
                     nvidiaWarpgroupBuiltins,
                     pairBuiltins,
                     partitionBuiltins,
                     pipelineBuiltins,
                     printBuiltins,
                     profilerBuiltins,
                     reductionBuiltins,
                     scanBuiltins,
                     selectedElementBuiltins,
                     shapeBuiltins,
                     sharedMemoryBuiltins,
                     staticBuiltins})
    for (const BuiltinEntry &entry : theme())
      table[entry.name] = entry.function;
  return table;
}

BuiltinFn findBuiltin(std::string_view name) {
  static const llvm::StringMap<BuiltinFn> table = buildTable();
  BuiltinFn refusal = refusalOf(name);
  return refusal ? refusal : table.lookup(name);
}

} // namespace hocket::frontend
