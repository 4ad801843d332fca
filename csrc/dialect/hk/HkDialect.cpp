//===- HkDialect.cpp - Registration of the `hk` dialect, and how folded constants become operations again -===//
#include "dialect/hk/HkDialect.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "dialect/hk/HkDialect.cpp.inc"

#include "dialect/hk/HkEnums.cpp.inc"

#include "dialect/hk/HkOpInterfaces.cpp.inc"

#define GET_OP_CLASSES
#include "dialect/hk/HkOps.cpp.inc"

namespace hocket::hk {

namespace {
/// Names layouts at the top of a module (`#blocked = ..`), where they would fill every line. Slices and dot operands
/// stay in place: what they are of says more than a name.
struct HkAsmInterface : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;
  AliasResult getAlias(Attribute attr, llvm::raw_ostream &os) const override {
    StringRef name = llvm::TypeSwitch<Attribute, StringRef>(attr)
                         .Case([](BlockedAttr) { return "blocked"; })
                         .Case([](LinearAttr) { return "linear"; })
                         .Case([](SwizzledSharedAttr) { return "shared"; })
                         .Case([](PaddedSharedAttr) { return "padded"; })
                         .Default(StringRef());
    if (name.empty())
      return AliasResult::NoAlias;
    os << name;
    return AliasResult::FinalAlias;
  }
};
} // namespace

void HkDialect::initialize() {
  registerAttributes();
  registerTypes();
  addInterfaces<HkAsmInterface>();
  addOperations<
#define GET_OP_LIST
#include "dialect/hk/HkOps.cpp.inc"
      >();
}

Operation *HkDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

} // namespace hocket::hk
