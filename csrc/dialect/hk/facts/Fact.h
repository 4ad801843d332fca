//===- Fact.h - Typed attributes on operations of other dialects --------------------===//
//
// A fact is an attribute in which a pass or the front end records a property of an operation. On operations of Hocket's
// dialects, a fact is an optional attribute of the operation's TableGen definition. On modules, functions and loops,
// which belong to other dialects, a fact is a discardable attribute. An object of type Fact declares the name and the
// type of the attribute:
//
//     inline constexpr IntFact kNumWarpsAttr{"hk.num_warps"};
//     kNumWarpsAttr.set(module, 4);
//     std::optional<int64_t> warps = kNumWarpsAttr.get(module);
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_DIALECT_HK_FACTS_FACT_H
#define HOCKET_DIALECT_HK_FACTS_FACT_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <optional>

namespace hocket::hk {

/// A discardable attribute of type AttrT.
template <typename AttrT>
class Fact {
public:
  constexpr Fact(llvm::StringLiteral name) : name(name) {}

  constexpr llvm::StringRef getName() const { return name; }
  bool isOn(mlir::Operation *op) const { return bool(op->getDiscardableAttr(name)); }
  void remove(mlir::Operation *op) const { op->removeDiscardableAttr(name); }

  /// Returns the attribute; null if `op` has no attribute of this name and type.
  AttrT getAttr(mlir::Operation *op) const { return llvm::dyn_cast_or_null<AttrT>(op->getDiscardableAttr(name)); }
  void setAttr(mlir::Operation *op, AttrT attr) const { op->setDiscardableAttr(name, attr); }

  /// Returns the attribute of argument `index` of a function; null if the argument has no attribute of this name and
  /// type.
  AttrT getAttrOfArgument(mlir::FunctionOpInterface function, unsigned index) const {
    return function.getArgAttrOfType<AttrT>(index, name);
  }
  void setAttrOfArgument(mlir::FunctionOpInterface function, unsigned index, AttrT attr) const {
    function.setArgAttr(index, name, attr);
  }

private:
  llvm::StringLiteral name;
};

/// Placeholder for the fact in table rows without a fact (KernelFacts.def, EmitOptions.def).
struct NoFact {};
inline constexpr NoFact kNoFact;

/// A Boolean fact that is true if the operation has the attribute.
struct FlagFact : Fact<mlir::UnitAttr> {
  using Fact::Fact;
  void set(mlir::Operation *op) const { setAttr(op, mlir::UnitAttr::get(op->getContext())); }
};

/// An integer fact: an i32, or an i64 if `bits` is 64.
struct IntFact : Fact<mlir::IntegerAttr> {
  constexpr IntFact(llvm::StringLiteral name, unsigned bits = 32) : Fact(name), bits(bits) {}

  constexpr unsigned getBits() const { return bits; }
  std::optional<int64_t> get(mlir::Operation *op) const { return valueOf(getAttr(op)); }
  void set(mlir::Operation *op, int64_t value) const { setAttr(op, attrFor(op->getContext(), value)); }

  std::optional<int64_t> getOfArgument(mlir::FunctionOpInterface function, unsigned index) const {
    return valueOf(getAttrOfArgument(function, index));
  }
  void setOfArgument(mlir::FunctionOpInterface function, unsigned index, int64_t value) const {
    setAttrOfArgument(function, index, attrFor(function.getContext(), value));
  }

private:
  static std::optional<int64_t> valueOf(mlir::IntegerAttr attr) {
    return attr ? std::optional(attr.getInt()) : std::nullopt;
  }
  mlir::IntegerAttr attrFor(mlir::MLIRContext *context, int64_t value) const {
    return mlir::IntegerAttr::get(mlir::IntegerType::get(context, bits), value);
  }

  unsigned bits;
};

/// A Boolean fact that is true, false or missing: a missing attribute is distinct from false.
struct BoolFact : Fact<mlir::BoolAttr> {
  using Fact::Fact;
  std::optional<bool> get(mlir::Operation *op) const {
    mlir::BoolAttr attr = getAttr(op);
    return attr ? std::optional(attr.getValue()) : std::nullopt;
  }
  void set(mlir::Operation *op, bool value) const { setAttr(op, mlir::BoolAttr::get(op->getContext(), value)); }
};

struct TextFact : Fact<mlir::StringAttr> {
  using Fact::Fact;
  /// Returns the text; empty if `op` does not have the attribute.
  llvm::StringRef get(mlir::Operation *op) const {
    mlir::StringAttr attr = getAttr(op);
    return attr ? attr.getValue() : llvm::StringRef();
  }
  void set(mlir::Operation *op, llvm::StringRef text) const {
    setAttr(op, mlir::StringAttr::get(op->getContext(), text));
  }
};

/// A list of attributes of type AttrT. Passes append elements to the list.
template <typename AttrT>
struct ListFact : Fact<mlir::ArrayAttr> {
  using Fact::Fact;
  /// Returns the elements of the list; empty if `op` does not have the attribute.
  llvm::SmallVector<AttrT, 4> get(mlir::Operation *op) const {
    mlir::ArrayAttr attr = getAttr(op);
    return attr ? llvm::to_vector<4>(attr.getAsRange<AttrT>()) : llvm::SmallVector<AttrT, 4>();
  }
  void set(mlir::Operation *op, llvm::ArrayRef<AttrT> elements) const {
    llvm::SmallVector<mlir::Attribute> all(elements.begin(), elements.end());
    setAttr(op, mlir::ArrayAttr::get(op->getContext(), all));
  }
};

} // namespace hocket::hk

#endif
