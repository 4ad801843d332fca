//===- ArgumentAccesses.cpp - Finds the arguments through which a kernel accesses global memory --===//
#include "analysis/global/ArgumentAccesses.h"

#include "analysis/global/ValueSources.h"
#include "dialect/hk/ir/HkDialect.h"
#include "dialect/hk/layouts/MemDescViews.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace hocket {

/// Returns the kernel arguments from which `accessed` (pointers or a tensor descriptor) may be computed.
static llvm::SmallVector<Value> argumentsBehind(Value accessed) {
  accessed = hk::lookThroughRegions(accessed);
  if (isa<hk::PointerType>(getElementTypeOrSelf(accessed.getType())))
    return originsOf(accessed);
  if (isa<BlockArgument>(accessed))
    return {accessed};
  // If the kernel builds the tensor descriptor, the pointers in the descriptor are traced back.
  llvm::SmallVector<Value> arguments;
  for (Value operand : accessed.getDefiningOp()->getOperands())
    if (isa<hk::PointerType>(getElementTypeOrSelf(operand.getType())))
      llvm::append_range(arguments, originsOf(operand));
  return arguments;
}

static std::vector<std::string> namesOf(FunctionOpInterface kernel, const llvm::DenseSet<Value> &accessed) {
  std::vector<std::string> names;
  for (BlockArgument argument : kernel.getArguments())
    if (auto name = dyn_cast<NameLoc>(argument.getLoc()); name && accessed.contains(argument))
      names.push_back(name.getName().str());
  return names;
}

ArgumentAccesses argumentAccesses(ModuleOp module) {
  llvm::DenseSet<Value> read, written;
  module.walk([&](MemoryEffectOpInterface op) {
    llvm::SmallVector<MemoryEffects::EffectInstance> effects;
    op.getEffectsOnResource(hk::GlobalMemory::get(), effects);
    for (const MemoryEffects::EffectInstance &effect : effects)
      if (Value accessed = effect.getValue())
        (isa<MemoryEffects::Write>(effect.getEffect()) ? written : read).insert_range(argumentsBehind(accessed));
  });
  ArgumentAccesses found;
  for (auto function : module.getOps<FunctionOpInterface>())
    if (function.isPublic() && !function.isExternal())
      found = {namesOf(function, read), namesOf(function, written)};
  return found;
}

} // namespace hocket
