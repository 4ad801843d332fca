//===- HostBuilder.cpp - Emits operations of a host function -----------------------===//
#include "conversion/lane_to_host/HostBuilder.h"

#include "conversion/lane_to_host/RuntimeCalls.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace hocket {

// The following assertions check that calls with a wrong number of arguments, with a constant of another type, or with
// an SSA value as site number do not compile.
static_assert(std::is_invocable_v<decltype(calls::waitForStores), HostBuilder &, int, bool>);
static_assert(!std::is_invocable_v<decltype(calls::waitForStores), HostBuilder &, int>);
static_assert(!std::is_invocable_v<decltype(calls::waitForStores), HostBuilder &, bool, int>);
static_assert(!std::is_invocable_v<decltype(calls::clusterWait), HostBuilder &, Value>);

HostBuilder::HostBuilder(ModuleOp module, LLVM::LLVMFuncOp kernel)
    : builder(module.getContext()), moduleOp(module), kernelOp(kernel), location(kernel.getLoc()) {}

void HostBuilder::at(Operation *op) {
  builder.setInsertionPoint(op);
  location = op->getLoc();
}

Value HostBuilder::constant(Type type, int64_t value) {
  return LLVM::ConstantOp::create(builder, location, type, builder.getIntegerAttr(type, value));
}

static Value loadField(OpBuilder &builder, Location loc, Value base, size_t offset, Type type) {
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Value address = base;
  if (offset)
    address = LLVM::GEPOp::create(builder, loc, pointer, builder.getI8Type(), base,
                                  ArrayRef<LLVM::GEPArg>{int32_t(offset)}, LLVM::GEPNoWrapFlags::inbounds);
  return LLVM::LoadOp::create(builder, loc, type, address);
}

Value HostBuilder::laneField(size_t offset, Type type) { return loadField(builder, location, lane(), offset, type); }

Value HostBuilder::blockField(size_t offset, Type type) {
  Value block = laneField(offsetof(host_abi::LaneContext, block), LLVM::LLVMPointerType::get(builder.getContext()));
  return loadField(builder, location, block, offset, type);
}

Value HostBuilder::constantNumbers(ArrayRef<int32_t> numbers) {
  auto value = DenseElementsAttr::get(RankedTensorType::get(int64_t(numbers.size()), builder.getI32Type()), numbers);
  auto globals = moduleOp.getOps<LLVM::GlobalOp>();
  constexpr StringLiteral kName = "hocket_row";
  LLVM::GlobalOp constant;
  for (LLVM::GlobalOp global : globals)
    if (global.getSymName().starts_with(kName) && global.getValueAttr() == value)
      constant = global;
  if (!constant) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(moduleOp.getBody());
    auto type = LLVM::LLVMArrayType::get(builder.getI32Type(), unsigned(numbers.size()));
    constant = LLVM::GlobalOp::create(builder, moduleOp.getLoc(), type, /*isConstant=*/true, LLVM::Linkage::Internal,
                                      (kName + std::to_string(llvm::range_size(globals))).str(), value);
  }
  return LLVM::AddressOfOp::create(builder, location, constant);
}

LLVM::CallOp HostBuilder::call(StringRef name, Type result, TypeRange parameters, ValueRange arguments) {
  auto callee = moduleOp.lookupSymbol<LLVM::LLVMFuncOp>(name);
  if (!callee) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(moduleOp.getBody());
    Type returned = result ? result : LLVM::LLVMVoidType::get(builder.getContext());
    auto type = LLVM::LLVMFunctionType::get(returned, llvm::to_vector(parameters));
    callee = LLVM::LLVMFuncOp::create(builder, moduleOp.getLoc(), name, type);
    if (name == calls::tick.name)
      callee.setPassthroughAttr(builder.getStrArrayAttr({"no_callee_saved_registers"}));
    // The host's ABI requires that the caller zero-extends a bool.
    for (auto [i, parameter] : llvm::enumerate(parameters))
      if (parameter.isInteger(1))
        callee.setArgAttr(i, LLVM::LLVMDialect::getZExtAttrName(), builder.getUnitAttr());
  }
  auto op = LLVM::CallOp::create(builder, location, callee, arguments);
  if (callee.getArgAttrsAttr())
    op.setArgAttrsAttr(callee.getArgAttrsAttr());
  return op;
}

bool isRuntimeCall(Operation *op) {
  auto call = dyn_cast<LLVM::CallOp>(op);
  return call && call.getCallee().value_or("").starts_with(host_abi::kCallPrefix);
}

} // namespace hocket
