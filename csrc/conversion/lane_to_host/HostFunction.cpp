//===- HostFunction.cpp - Builds the host function of a kernel ----------------------===//
#include "conversion/lane_to_host/HostFunction.h"

#include "conversion/lane_to_host/RuntimeCalls.h"
#include "dialect/hk/facts/ModuleFacts.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace hocket {

bool isBetweenBlocks(LLVM::FenceOp fence) {
  StringRef scope = fence.getSyncscope().value_or("");
  return !scope.starts_with("workgroup") && !scope.starts_with("wavefront") && !scope.starts_with("singlethread") &&
         !scope.starts_with("block");
}

bool isBetweenWarps(LLVM::FenceOp fence) {
  StringRef scope = fence.getSyncscope().value_or("");
  return !scope.starts_with("wavefront") && !scope.starts_with("singlethread");
}

HostFunction::HostFunction(ModuleOp module, LLVM::LLVMFuncOp kernel)
    : builder(module.getContext()), moduleOp(module), kernelOp(kernel), location(kernel.getLoc()),
      targetInfo(hk::targetOf(module)) {
  if (auto bytes = module->getAttrOfType<IntegerAttr>("hk.shared_bytes"))
    sharedSize = bytes.getInt();
  ctas = hk::numCtasOf(module);
  threads = int64_t(hk::blockWarpsOf(module)) * targetInfo.warpSize;
  kernel.walk([&](LLVM::FenceOp fence) {
    blockFences |= isBetweenBlocks(fence);
    warpFences |= isBetweenWarps(fence);
  });
  convertSignature();
}

void HostFunction::convertSignature() {
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Block &entry = kernelOp.getBody().front();
  unsigned count = entry.getNumArguments();
  Value lane = entry.addArgument(pointer, location);
  Value slots = entry.addArgument(pointer, location);
  (void)lane;
  builder.setInsertionPointToStart(&entry);
  for (unsigned i = 0; i < count; ++i) {
    if (kernelOp.getArgAttr(i, hk::HkDialect::kImplicitAttr))
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
  formerKernel = {builder.getNamedAttr("name", kernelOp.getSymNameAttr()),
                  builder.getNamedAttr("parameters", builder.getArrayAttr(parameters))};
  kernelOp.removeArgAttrsAttr();
  kernelOp.setFunctionType(
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()), {pointer, pointer}));
  kernelOp.setSymName(host_abi::kKernelSymbol);
  kernelOp.setLinkage(LLVM::Linkage::External);
}

void HostFunction::at(Operation *op) {
  builder.setInsertionPoint(op);
  location = op->getLoc();
}

Value HostFunction::constant(Type type, int64_t value) {
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

Value HostFunction::laneField(size_t offset, Type type) { return loadField(builder, location, lane(), offset, type); }

Value HostFunction::blockField(size_t offset, Type type) {
  Value block = laneField(offsetof(host_abi::LaneContext, block), LLVM::LLVMPointerType::get(builder.getContext()));
  return loadField(builder, location, block, offset, type);
}

Value HostFunction::grow(StackMemory &memory, int64_t bytes) {
  if (memory.address && bytes <= memory.bytes)
    return memory.address;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&kernelOp.getBody().front());
  memory.bytes = bytes;
  Value size = i64(bytes);
  if (memory.address) {
    auto allocation = memory.address.getDefiningOp<LLVM::AllocaOp>();
    allocation->moveAfter(size.getDefiningOp());
    allocation.getArraySizeMutable().assign(size);
    return memory.address;
  }
  constexpr unsigned kAlignment = 16; // a larger one would enlarge every lane's frame
  return memory.address =
             LLVM::AllocaOp::create(builder, kernelOp.getLoc(), LLVM::LLVMPointerType::get(builder.getContext()),
                                    builder.getI8Type(), size, kAlignment);
}

Value HostFunction::constantNumbers(ArrayRef<int32_t> numbers) {
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

LLVM::CallOp HostFunction::call(StringRef name, Type result, TypeRange parameters, ValueRange arguments) {
  auto callee = moduleOp.lookupSymbol<LLVM::LLVMFuncOp>(name);
  if (!callee) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(moduleOp.getBody());
    Type returned = result ? result : LLVM::LLVMVoidType::get(builder.getContext());
    auto type = LLVM::LLVMFunctionType::get(returned, llvm::to_vector(parameters));
    callee = LLVM::LLVMFuncOp::create(builder, moduleOp.getLoc(), name, type);
    if (name == calls::tick.name)
      callee.setPassthroughAttr(builder.getStrArrayAttr({"no_callee_saved_registers"}));
    // By the ABI, the caller zero-extends a bool.
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

host_abi::SiteNumber HostFunction::site(Operation *op, Site site) {
  SmallVector<NamedAttribute> fields;
  fields.push_back(builder.getNamedAttr("kind", builder.getStringAttr(host_abi::kSiteKindNames[size_t(site.kind)])));
  fields.push_back(builder.getNamedAttr("loc", Attribute(LocationAttr(op->getLoc()))));
  if (site.bytes)
    fields.push_back(builder.getNamedAttr("bytes", builder.getI32IntegerAttr(site.bytes)));
  if (site.alignment && site.alignment != site.bytes)
    fields.push_back(builder.getNamedAttr("alignment", builder.getI32IntegerAttr(site.alignment)));
  if (site.argument)
    fields.push_back(builder.getNamedAttr("argument", builder.getI32IntegerAttr(*site.argument)));
  if (!site.message.empty())
    fields.push_back(builder.getNamedAttr("message", builder.getStringAttr(site.message)));
  if (!site.from.empty())
    fields.push_back(builder.getNamedAttr("from", builder.getStringAttr(site.from)));
  if (site.order != host_abi::AtomicOrder::Relaxed)
    fields.push_back(builder.getNamedAttr("order", builder.getI32IntegerAttr(int32_t(site.order))));
  if (site.kind == host_abi::SiteKind::Atomic && blockFences)
    fields.push_back(builder.getNamedAttr("fenced", builder.getUnitAttr()));
  if (site.blockScope)
    fields.push_back(builder.getNamedAttr("block_scope", builder.getUnitAttr()));
  if (site.isStore)
    fields.push_back(builder.getNamedAttr("is_store", builder.getUnitAttr()));
  if (site.unusedCopies)
    fields.push_back(builder.getNamedAttr("unused_copies", builder.getI32IntegerAttr(int32_t(site.unusedCopies))));
  if (stage)
    fields.push_back(builder.getNamedAttr("stage", stage));
  Attribute key = builder.getDictionaryAttr(fields);
  return sites.try_emplace(key, host_abi::SiteNumber(sites.size())).first->second;
}

Block *HostFunction::faultBlock() {
  if (fault)
    return fault;
  OpBuilder::InsertionGuard guard(builder);
  Location saved = location;
  location = kernelOp.getLoc();
  fault = builder.createBlock(&kernelOp.getBody(), kernelOp.getBody().end(),
                              {builder.getI32Type(), builder.getI64Type()}, {location, location});
  calls::fault(*this, fault->getArgument(0), fault->getArgument(1));
  LLVM::UnreachableOp::create(builder, location);
  location = saved;
  return fault;
}

Operation *HostFunction::faultIf(Value condition, host_abi::SiteNumber site, Value detail, Operation *op) {
  Block *exit = faultBlock();
  Block *before = op->getBlock();
  Block *rest = before->splitBlock(op);
  builder.setInsertionPointToEnd(before);
  Value number = i32(int64_t(site));
  Operation *branch = LLVM::CondBrOp::create(builder, location, condition, exit, ValueRange{number, detail}, rest,
                                             ValueRange{}, std::pair<uint32_t, uint32_t>(1, 1u << 20));
  guards.insert(branch);
  builder.setInsertionPoint(op);
  return branch;
}

Value HostFunction::isWatched() {
  if (watched)
    return watched;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&kernelOp.getBody().front());
  Value flag = laneField(offsetof(host_abi::LaneContext, watched), builder.getI8Type());
  Value off = constant(builder.getI8Type(), 0);
  return watched = LLVM::ICmpOp::create(builder, location, LLVM::ICmpPredicate::ne, flag, off);
}

Value HostFunction::stackMemory(int64_t count) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&kernelOp.getBody().front());
  return LLVM::AllocaOp::create(builder, kernelOp.getLoc(), LLVM::LLVMPointerType::get(builder.getContext()),
                                builder.getI64Type(), i64(count));
}

void HostFunction::buildIf(Value condition, Operation *op, llvm::function_ref<void()> body) {
  Block *before = op->getBlock();
  Block *rest = before->splitBlock(op);
  Block *inside = builder.createBlock(rest);
  body();
  LLVM::BrOp::create(builder, location, rest);
  builder.setInsertionPointToEnd(before);
  guards.insert(LLVM::CondBrOp::create(builder, location, condition, inside, rest));
  builder.setInsertionPoint(op);
}

void HostFunction::skipIf(Value condition, Operation *op) {
  Block *before = builder.getInsertionBlock();
  Block *rest = builder.createBlock(op->getBlock());
  builder.setInsertionPointToEnd(before);
  guards.insert(LLVM::CondBrOp::create(builder, location, condition, op->getBlock(), rest));
  builder.setInsertionPointToEnd(rest);
}

void HostFunction::finish(bool tracksUndefined) {
  SmallVector<Attribute> table;
  for (auto &[site, number] : sites)
    table.push_back(site);
  moduleOp->setAttr(host_abi::kSitesAttr, builder.getArrayAttr(table));
  if (tracksUndefined)
    formerKernel.push_back(builder.getNamedAttr("tracks_undefined", builder.getUnitAttr()));
  moduleOp->setAttr(host_abi::kKernelAttr, builder.getDictionaryAttr(formerKernel));
}

} // namespace hocket
