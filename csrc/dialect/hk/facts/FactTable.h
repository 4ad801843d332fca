//===- FactTable.h - Verifies discardable attributes by a table of facts ------------===//
//
// Each dialect has a table with a row for each of its facts (Fact.h):
//
//     static const DeclaredFact facts[] = {{kNumWarpsAttr, FactHolder::Module}, {kUnrollAttr, FactHolder::Loop}, ...};
//
// verifyFact rejects an attribute that has no row, whose type differs from the row, or whose operation is of another
// kind.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_DIALECT_HK_FACTS_FACTTABLE_H
#define HOCKET_DIALECT_HK_FACTS_FACTTABLE_H

#include "dialect/hk/facts/Fact.h"

namespace hocket::hk {

/// Kind of the operations to which a fact can be attached.
enum class FactHolder { Module, Function, Loop, LoopOrModule, Any };

/// A row of a dialect's table of facts.
struct DeclaredFact {
  llvm::StringRef name;
  FactHolder holder;
  llvm::StringRef type; ///< type and range of the value, for messages: "an i32 and positive"
  bool (*hasType)(mlir::Attribute);

  template <typename AttrT>
  DeclaredFact(const Fact<AttrT> &fact, FactHolder holder, llvm::StringRef type, bool (*hasType)(mlir::Attribute))
      : name(fact.getName()), holder(holder), type(type), hasType(hasType) {}
  template <typename AttrT>
  DeclaredFact(const Fact<AttrT> &fact, FactHolder holder, llvm::StringRef type)
      : DeclaredFact(fact, holder, type, [](mlir::Attribute attr) { return llvm::isa<AttrT>(attr); }) {}
  DeclaredFact(const IntFact &fact, FactHolder holder);
  DeclaredFact(const FlagFact &fact, FactHolder holder) : DeclaredFact(fact, holder, "a unit attribute") {}
  DeclaredFact(const BoolFact &fact, FactHolder holder) : DeclaredFact(fact, holder, "true or false") {}
  DeclaredFact(const TextFact &fact, FactHolder holder) : DeclaredFact(fact, holder, "a string") {}
  template <typename AttrT>
  DeclaredFact(const ListFact<AttrT> &fact, FactHolder holder, llvm::StringRef type)
      : DeclaredFact(fact, holder, type, [](mlir::Attribute attr) {
          auto array = llvm::dyn_cast<mlir::ArrayAttr>(attr);
          return array && llvm::all_of(array, [](mlir::Attribute element) { return llvm::isa<AttrT>(element); });
        }) {}
};

/// Emits an error at `op` unless `facts` has a row for `attr`, `attr` has the type of the row, and `op` is of a kind
/// that the row allows.
mlir::LogicalResult verifyFact(mlir::Operation *op, mlir::NamedAttribute attr, llvm::ArrayRef<DeclaredFact> facts);

} // namespace hocket::hk

#endif
