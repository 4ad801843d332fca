//===- HkAmdDialect.cpp - Registration of the `hk_amd` dialect --------------------===//
#include "dialect/hk_amd/HkAmdDialect.h"

using namespace mlir;

#include "dialect/hk_amd/HkAmdDialect.cpp.inc"

#include "dialect/hk_amd/HkAmdEnums.cpp.inc"

#define GET_OP_CLASSES
#include "dialect/hk_amd/HkAmdOps.cpp.inc"

namespace hocket::hk_amd {

namespace {
/// Names accumulator layouts at the top of a module (`#mfma = ..`), where they would fill every line.
struct HkAmdAsmInterface : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;
  AliasResult getAlias(Attribute attr, llvm::raw_ostream &os) const override {
    if (!isa<MfmaAttr>(attr))
      return AliasResult::NoAlias;
    os << "mfma";
    return AliasResult::FinalAlias;
  }
};
} // namespace

void HkAmdDialect::initialize() {
  registerAttributes();
  addInterfaces<HkAmdAsmInterface>();
  addOperations<
#define GET_OP_LIST
#include "dialect/hk_amd/HkAmdOps.cpp.inc"
      >();
}

} // namespace hocket::hk_amd
