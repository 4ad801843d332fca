//===- PerElement.cpp - Lowers hk.map and hk.inline_asm ----------------------------------===//
//
//   hk.map          the region, inlined once for every `pack` registers; prints are executed once per element
//   hk.inline_asm   one llvm.inline_asm for every `pack` registers; narrow elements are packed into integers
//
//===------------------------------------------------------------------------------===//
#include "conversion/hk_to_lane/passes/LoweringContext.h"
#include "conversion/hk_to_lane/patterns/InlineRegion.h"
#include "conversion/hk_to_lane/patterns/Patterns.h"
#include "conversion/hk_to_lane/patterns/RegisterIndices.h"
#include "dialect/hk/ir/HkDialect.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Target/LLVMIR/TypeToLLVM.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/Support/Error.h"

using namespace mlir;

namespace hocket {
namespace {

struct MapLowering : LoweringPattern<hk::MapOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(hk::MapOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type source = op.getSrcs().front().getType();
    unsigned pack = op.getPack(), count = numRegisters(source);
    LinearLayout layout = lowering.layoutOf(source);
    auto copies = unsigned(layout.getFreeVariableMasks()[Dim::Register]);
    Value isFirst = emitIsFirstCopy(lowering, rewriter, loc, layout);
    SmallVector<Type> types;
    for (Type type : op.getResultTypes())
      types.append(pack, elementType(type));
    SmallVector<SmallVector<Value>> results(op.getNumResults());
    for (unsigned first = 0; first < count; first += pack) {
      SmallVector<Value> scalars;
      for (ValueRange registers : adaptor.getSrcs())
        llvm::append_range(scalars, registers.slice(first, pack));
      Value prints = isFirst;
      if (first & copies)
        prints = LLVM::ConstantOp::create(rewriter, loc, rewriter.getBoolAttr(false));
      SmallVector<Value> returned = inlineRegion(rewriter, loc, op.getBody(), scalars, types, prints);
      for (auto [index, value] : llvm::enumerate(returned))
        results[index / pack].push_back(value);
    }
    rewriter.replaceOpWithMultiple(op, std::move(results));
    return success();
  }
};

/// Packs elements of one type into registers of inline assembly.
class AsmPacking {
public:
  AsmPacking(OpBuilder &builder, Location loc, Type element, unsigned pack)
      : builder(builder), loc(loc), element(element), stored(storedType(element)), pack(pack),
        perRegister(std::min(pack, elementsIn32Bits(stored))) {
    unsigned bits = perRegister * width(stored);
    // Inline assembly has no 8-bit registers, so two 8-bit elements share a 16-bit register.
    type = perRegister > 1 ? builder.getIntegerType(bits) : bits < 16 ? Type(builder.getI32Type()) : stored;
  }

  /// Functions that return the type of one register, and the number of registers for `pack` elements.
  Type registerType() const { return type; }
  unsigned numRegisters() const { return pack / perRegister; }

  /// Appends the registers of `pack` elements. Repeats the last element if `elements` has fewer than `pack` elements.
  void appendRegisters(ValueRange elements, SmallVectorImpl<Value> &registers) {
    for (unsigned first = 0; first < pack; first += perRegister) {
      SmallVector<Value> parts;
      for (unsigned i = first; i < first + perRegister; ++i)
        parts.push_back(toStored(elements[std::min<size_t>(i, elements.size() - 1)]));
      registers.push_back(packed(parts));
    }
  }

  void appendElements(Value reg, SmallVectorImpl<Value> &elements) {
    if (perRegister == 1) {
      Value value = reg;
      if (type != stored)
        value = LLVM::TruncOp::create(builder, loc, stored, value);
      elements.push_back(fromStored(value));
      return;
    }
    Value vector = LLVM::BitcastOp::create(builder, loc, VectorType::get(perRegister, stored), reg);
    for (unsigned i = 0; i < perRegister; ++i)
      elements.push_back(fromStored(LLVM::ExtractElementOp::create(builder, loc, vector, i32(i))));
  }

private:
  static unsigned width(Type type) { return isa<LLVM::LLVMPointerType>(type) ? 64 : type.getIntOrFloatBitWidth(); }
  static unsigned elementsIn32Bits(Type type) { return std::max(1u, 32 / width(type)); }
  static Type storedType(Type element) {
    return element.isInteger(1) ? IntegerType::get(element.getContext(), 8) : element;
  }
  Value i32(int32_t value) { return LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), value); }

  Value toStored(Value value) {
    return value.getType() == stored ? value : LLVM::ZExtOp::create(builder, loc, stored, value).getResult();
  }
  Value fromStored(Value value) {
    return value.getType() == element ? value : LLVM::TruncOp::create(builder, loc, element, value).getResult();
  }
  Value packed(ArrayRef<Value> parts) {
    if (perRegister == 1)
      return type == stored ? parts.front() : LLVM::ZExtOp::create(builder, loc, type, parts.front()).getResult();
    Value vector = LLVM::PoisonOp::create(builder, loc, VectorType::get(perRegister, stored));
    for (auto [index, part] : llvm::enumerate(parts))
      vector = LLVM::InsertElementOp::create(builder, loc, vector, part, i32(index));
    return LLVM::BitcastOp::create(builder, loc, type, vector);
  }

  OpBuilder &builder;
  Location loc;
  Type element, stored;
  unsigned pack, perRegister;
  Type type;
};

struct InlineAsmLowering : LoweringPattern<hk::InlineAsmOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(hk::InlineAsmOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    unsigned pack = op.getPack(), count = numRegisters(op->getResult(0).getType());
    auto packingOf = [&](Type type) { return AsmPacking(rewriter, loc, elementType(type), pack); };
    SmallVector<AsmPacking> inputs = llvm::map_to_vector(op.getSrcs().getTypes(), packingOf);
    SmallVector<AsmPacking> outputs = llvm::map_to_vector(op.getResultTypes(), packingOf);
    SmallVector<Type> inputTypes, outputTypes;
    for (const AsmPacking &input : inputs)
      inputTypes.append(input.numRegisters(), input.registerType());
    for (const AsmPacking &output : outputs)
      outputTypes.append(output.numRegisters(), output.registerType());
    if (failed(checkConstraints(op, inputTypes, outputTypes)))
      return failure();
    bool isStruct = outputTypes.size() > 1;
    Type type = isStruct ? LLVM::LLVMStructType::getLiteral(getContext(), outputTypes) : outputTypes.front();

    SmallVector<SmallVector<Value>> results(op.getNumResults());
    for (unsigned first = 0; first < count; first += pack) {
      unsigned present = std::min(pack, count - first);
      SmallVector<Value> registers;
      for (auto [input, elements] : llvm::zip_equal(inputs, adaptor.getSrcs()))
        input.appendRegisters(elements.slice(first, present), registers);
      Value out = LLVM::InlineAsmOp::create(rewriter, loc, type, registers, op.getText(), op.getConstraints(),
                                            /*has_side_effects=*/!op.getPure(), /*is_align_stack=*/false,
                                            LLVM::TailCallKind::None,
                                            LLVM::AsmDialectAttr::get(getContext(), LLVM::AsmDialect::AD_ATT),
                                            /*operand_attrs=*/ArrayAttr())
                      .getResult(0);
      int64_t next = 0;
      for (auto [output, result] : llvm::zip_equal(outputs, results)) {
        SmallVector<Value> elements;
        for (unsigned i = 0; i < output.numRegisters(); ++i, ++next)
          output.appendElements(isStruct ? LLVM::ExtractValueOp::create(rewriter, loc, out, next).getResult() : out,
                                elements);
        result.append(elements.begin(), elements.begin() + present);
      }
    }
    rewriter.replaceOpWithMultiple(op, std::move(results));
    return success();
  }

private:
  /// Checks that the constraints match the operands, because LLVM aborts the process for other constraints.
  static LogicalResult checkConstraints(hk::InlineAsmOp op, ArrayRef<Type> inputs, ArrayRef<Type> outputs) {
    llvm::LLVMContext context;
    LLVM::TypeToLLVMIRTranslator translator(context);
    auto translate = [&](Type type) { return translator.translateType(type); };
    SmallVector<llvm::Type *> in = llvm::map_to_vector(inputs, translate),
                              out = llvm::map_to_vector(outputs, translate);
    llvm::Type *result = out.size() > 1 ? llvm::StructType::get(context, out) : out.front();
    auto *type = llvm::FunctionType::get(result, in, /*isVarArg=*/false);
    if (llvm::Error error = llvm::InlineAsm::verify(type, op.getConstraints()))
      return op.emitError("the constraints \"")
             << op.getConstraints() << "\" do not fit " << outputs.size() << " output"
             << (outputs.size() == 1 ? "" : "s") << " and " << inputs.size() << " input"
             << (inputs.size() == 1 ? "" : "s") << ": " << llvm::toString(std::move(error));
    return success();
  }
};

} // namespace

void populatePerElementPatterns(LoweringContext &lowering, RewritePatternSet &patterns) {
  patterns.add<MapLowering, InlineAsmLowering>(lowering);
}

} // namespace hocket
