//===- FactTable.cpp - Verifies discardable attributes by a table of facts ----------===//
#include "dialect/hk/facts/FactTable.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace hocket::hk {

template <unsigned bits>
static bool isInteger(Attribute attr) {
  auto integer = dyn_cast<IntegerAttr>(attr);
  return integer && integer.getType().isSignlessInteger(bits);
}

DeclaredFact::DeclaredFact(const IntFact &fact, FactHolder holder)
    : DeclaredFact(fact, holder, fact.getBits() == 64 ? "an i64" : "an i32",
                   fact.getBits() == 64 ? isInteger<64> : isInteger<32>) {}

static bool mayHold(FactHolder holder, Operation *op) {
  bool isModule = isa<ModuleOp>(op), isLoop = isa<scf::ForOp>(op);
  switch (holder) {
  case FactHolder::Module:
    return isModule;
  case FactHolder::Function:
    return isa<FunctionOpInterface>(op);
  case FactHolder::Loop:
    return isLoop;
  case FactHolder::LoopOrModule:
    return isLoop || isModule;
  case FactHolder::Any:
    return true;
  }
  llvm_unreachable("unknown kind of operation");
}

static StringRef describe(FactHolder holder) {
  switch (holder) {
  case FactHolder::Module:
    return "the module";
  case FactHolder::Function:
    return "a function";
  case FactHolder::Loop:
    return "an scf.for";
  case FactHolder::LoopOrModule:
    return "an scf.for or the module";
  case FactHolder::Any:
    return "any operation";
  }
  llvm_unreachable("unknown kind of operation");
}

LogicalResult verifyFact(Operation *op, NamedAttribute attr, ArrayRef<DeclaredFact> facts) {
  StringRef name = attr.getName();
  const DeclaredFact *fact = llvm::find_if(facts, [&](const DeclaredFact &one) { return one.name == name; });
  if (fact == facts.end())
    return op->emitError() << name << " is not an attribute of the dialect '" << name.split('.').first << "'";
  if (!mayHold(fact->holder, op))
    return op->emitError() << name << " belongs on " << describe(fact->holder);
  if (!fact->hasType(attr.getValue()))
    return op->emitError() << name << " must be " << fact->type << ", but is " << attr.getValue();
  return success();
}

} // namespace hocket::hk
