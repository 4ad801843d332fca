//===- Prints.cpp - Expands lane.print for NVIDIA ---------------------------------------------===//
//
// `vprintf` is a system call of the driver: it copies the format's address and the arguments into a buffer that the
// host prints at the next synchronization. Floats are passed as doubles; every argument is aligned to its size.
//
// CUDA C++ Programming Guide, "Formatted Output"; PTX interoperability, "System Calls".
//
//===------------------------------------------------------------------------------===//
#include "conversion/lane_to_llvm/Expansion.h"
#include "conversion/lane_to_nvvm/Expansions.h"
#include "dialect/hk/facts/PrintText.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace hocket::nvvm {

Value stringAddress(IRRewriter &rewriter, ModuleOp module, Location loc, StringRef text) {
  std::string bytes = text.str() + '\0';
  LLVM::GlobalOp global;
  unsigned count = 0;
  for (auto candidate : module.getOps<LLVM::GlobalOp>()) {
    if (!candidate.getSymName().starts_with("hocket_text_"))
      continue;
    ++count;
    if (auto value = dyn_cast_or_null<StringAttr>(candidate.getValueOrNull()); value && value.getValue() == bytes)
      global = candidate;
  }
  if (!global) {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(module.getBody());
    auto type = LLVM::LLVMArrayType::get(rewriter.getI8Type(), bytes.size());
    global = LLVM::GlobalOp::create(rewriter, loc, type, /*isConstant=*/true, LLVM::Linkage::Internal,
                                    "hocket_text_" + std::to_string(count), rewriter.getStringAttr(bytes),
                                    /*alignment=*/1, /*addrSpace=*/1);
  }
  Value address = LLVM::AddressOfOp::create(rewriter, loc, global);
  return LLVM::AddrSpaceCastOp::create(rewriter, loc, LLVM::LLVMPointerType::get(rewriter.getContext()), address);
}

namespace {

constexpr llvm::StringLiteral kVprintf = "vprintf";

LLVM::LLVMFuncOp declareVprintf(IRRewriter &rewriter, ModuleOp module) {
  if (auto found = module.lookupSymbol<LLVM::LLVMFuncOp>(kVprintf))
    return found;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(module.getBody());
  Type pointer = LLVM::LLVMPointerType::get(rewriter.getContext());
  auto type = LLVM::LLVMFunctionType::get(rewriter.getI32Type(), {pointer, pointer});
  return LLVM::LLVMFuncOp::create(rewriter, module.getLoc(), kVprintf, type);
}

/// Returns the arguments for the prefix of the format: block, warp and lane.
SmallVector<Value> emitPlace(IRRewriter &rewriter, Location loc) {
  Type i32 = rewriter.getI32Type();
  Value thread = NVVM::ThreadIdXOp::create(rewriter, loc, i32);
  auto constant = [&](int32_t value) -> Value { return LLVM::ConstantOp::create(rewriter, loc, i32, value); };
  return {NVVM::BlockIdXOp::create(rewriter, loc, i32), NVVM::BlockIdYOp::create(rewriter, loc, i32),
          NVVM::BlockIdZOp::create(rewriter, loc, i32), LLVM::LShrOp::create(rewriter, loc, thread, constant(5)),
          LLVM::AndOp::create(rewriter, loc, thread, constant(31))};
}

/// Returns stack memory with `values` as C passes them to a variadic function.
Value packArguments(IRRewriter &rewriter, Location loc, LLVM::LLVMFuncOp function, ArrayRef<Value> values) {
  SmallVector<Value> promoted;
  SmallVector<Type> types;
  for (Value value : values) {
    if (value.getType().isF32())
      value = LLVM::FPExtOp::create(rewriter, loc, rewriter.getF64Type(), value);
    promoted.push_back(value);
    types.push_back(value.getType());
  }
  auto type = LLVM::LLVMStructType::getLiteral(rewriter.getContext(), types);
  Type pointer = LLVM::LLVMPointerType::get(rewriter.getContext());
  Value memory;
  {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(&function.getBody().front());
    Value one = LLVM::ConstantOp::create(rewriter, loc, rewriter.getI32Type(), 1);
    memory = LLVM::AllocaOp::create(rewriter, loc, pointer, type, one, /*alignment=*/8);
  }
  for (auto [i, value] : llvm::enumerate(promoted)) {
    Value address = LLVM::GEPOp::create(rewriter, loc, pointer, type, memory, ArrayRef<LLVM::GEPArg>{0, int32_t(i)});
    LLVM::StoreOp::create(rewriter, loc, value, address);
  }
  return memory;
}

} // namespace

void emitPrintf(IRRewriter &rewriter, Operation *at, const std::string &format, ValueRange values) {
  Location loc = at->getLoc();
  auto module = at->getParentOfType<ModuleOp>();
  LLVM::LLVMFuncOp vprintf = declareVprintf(rewriter, module);
  SmallVector<Value> arguments = emitPlace(rewriter, loc);
  llvm::append_range(arguments, values);
  Value packed = packArguments(rewriter, loc, at->getParentOfType<LLVM::LLVMFuncOp>(), arguments);
  Value text = stringAddress(rewriter, module, loc, hk::kPrintedPlace + format + "\n");
  LLVM::CallOp::create(rewriter, loc, vprintf, ValueRange{text, packed});
}

LogicalResult expandPrint(IRRewriter &rewriter, lane::PrintOp op) {
  std::string format = hk::printedElement(op.getElement().size());
  format += *hk::printfFormat(op.getText(), llvm::to_vector(op.getValues().getTypes()));
  SmallVector<Value> values(op.getElement());
  llvm::append_range(values, op.getValues());
  emitWhere(rewriter, op.getLoc(), op.getPred(), Value(), [&]() -> Value {
    emitPrintf(rewriter, op, format, values);
    return Value();
  });
  rewriter.eraseOp(op);
  return success();
}

} // namespace hocket::nvvm
