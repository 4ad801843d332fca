//===- KernelParameters.cpp - The parameters of a kernel, and the pointers computed from them ---===//
//
// An access through `x + i` belongs to the array of `x` even if the address is in another array. To find the array of a
// pointer, the definition of the pointer is traced back through address arithmetic, selects, fields of structs and
// block arguments. (Tensors of pointers are structs between basic blocks.) If the definition depends on two parameters
// or on any other source, the array is unknown, and the emulator searches all arrays for the address at run time.
//
//===------------------------------------------------------------------------------===//
#include "conversion/lane_to_host/parts/KernelParameters.h"

#include "dialect/hk/facts/Facts.h"
#include "dialect/hk/ir/HkDialect.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace hocket {

KernelParameters::KernelParameters(HostBuilder &host) {
  OpBuilder &builder = host.builder;
  LLVM::LLVMFuncOp kernelOp = host.function();
  Location location = host.loc();
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Block &entry = kernelOp.getBody().front();
  unsigned count = entry.getNumArguments();
  Value lane = entry.addArgument(pointer, location);
  Value slots = entry.addArgument(pointer, location);
  (void)lane;
  builder.setInsertionPointToStart(&entry);
  for (unsigned i = 0; i < count; ++i) {
    if (hk::kImplicitAttr.getAttrOfArgument(kernelOp, i))
      implicitParameters.insert(i);
    BlockArgument old = entry.getArgument(i);
    if (old.use_empty())
      continue;
    Value slot = LLVM::GEPOp::create(builder, location, pointer, builder.getI64Type(), slots,
                                     ArrayRef<LLVM::GEPArg>{int32_t(i)});
    Value value = LLVM::LoadOp::create(builder, location, old.getType(), slot, /*alignment=*/8);
    old.replaceAllUsesWith(value);
    parameterOf[value] = i;
  }
  entry.eraseArguments(0, count);
  SmallVector<Attribute> parameters;
  for (unsigned i = 0; i < count; ++i)
    parameters.push_back(builder.getDictionaryAttr(cast<FunctionOpInterface>(*kernelOp).getArgAttrs(i)));
  former = {.name = kernelOp.getSymNameAttr(), .parameters = builder.getArrayAttr(parameters)};
  kernelOp.removeArgAttrsAttr();
  kernelOp.setFunctionType(
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()), {pointer, pointer}));
  kernelOp.setSymName(host_abi::kKernelSymbol);
  kernelOp.setLinkage(LLVM::Linkage::External);
}

namespace {

/// A value, or a field of a struct value.
struct Place {
  Value value;
  SmallVector<int64_t, 2> field;
};

/// Appends the values from which `place` is computed. Returns false if these values are not known.
bool appendSources(const Place &place, SmallVectorImpl<Place> &sources) {
  if (auto argument = dyn_cast<BlockArgument>(place.value)) {
    Block *block = argument.getOwner();
    if (block->isEntryBlock())
      return false;
    for (auto it = block->pred_begin(); it != block->pred_end(); ++it) {
      auto branch = dyn_cast<BranchOpInterface>((*it)->getTerminator());
      Value passed = branch ? branch.getSuccessorOperands(it.getSuccessorIndex())[argument.getArgNumber()] : Value();
      if (!passed)
        return false;
      sources.push_back({passed, place.field});
    }
    return true;
  }
  Operation *op = place.value.getDefiningOp();
  if (auto gep = dyn_cast<LLVM::GEPOp>(op))
    return sources.push_back({gep.getBase(), {}}), true;
  if (isa<LLVM::BitcastOp, LLVM::AddrSpaceCastOp>(op))
    return sources.push_back({op->getOperand(0), {}}), true;
  if (auto select = dyn_cast<LLVM::SelectOp>(op)) {
    sources.push_back({select.getTrueValue(), place.field});
    sources.push_back({select.getFalseValue(), place.field});
    return true;
  }
  if (auto extract = dyn_cast<LLVM::ExtractValueOp>(op)) {
    SmallVector<int64_t, 2> field(extract.getPosition());
    field.append(place.field.begin(), place.field.end());
    return sources.push_back({extract.getContainer(), std::move(field)}), true;
  }
  if (auto insert = dyn_cast<LLVM::InsertValueOp>(op)) {
    ArrayRef<int64_t> position = insert.getPosition();
    if (ArrayRef<int64_t>(place.field).take_front(position.size()) == position)
      sources.push_back({insert.getValue(), SmallVector<int64_t, 2>(llvm::drop_begin(place.field, position.size()))});
    else
      sources.push_back({insert.getContainer(), place.field});
    return true;
  }
  return false;
}

} // namespace

std::optional<unsigned> KernelParameters::originOf(Value pointer) {
  // The pointers of one tensor differ only in the last getelementptr, so the result is cached for their common base.
  while (auto gep = pointer.getDefiningOp<LLVM::GEPOp>())
    pointer = gep.getBase();
  if (auto known = origins.find(pointer); known != origins.end())
    return known->second;

  std::optional<unsigned> origin;
  bool known = true;
  DenseSet<std::pair<Value, size_t>> visited;
  SmallVector<Place> pending = {{pointer, {}}};
  while (known && !pending.empty()) {
    Place place = pending.pop_back_val();
    if (!visited.insert({place.value, llvm::hash_combine_range(place.field)}).second)
      continue;
    if (auto parameter = parameterOf.find(place.value); parameter != parameterOf.end()) {
      known = !origin || *origin == parameter->second;
      origin = parameter->second;
    } else {
      known = appendSources(place, pending);
    }
  }
  return origins[pointer] = known ? origin : std::nullopt;
}

} // namespace hocket
