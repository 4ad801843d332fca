//===- FunctionRegion.h - A function of the user as the region of an operation --------===//
//
// gl.reduce is given a function that it calls for pairs of elements. The operation holds the call in a region, whose
// block takes the scalars:
//
//     @jit                                      hk.reduce %x axis = 0 {
//     def add(a, b):                            ^bb0(%a: f32, %b: f32):
//         return a + b                  =>        %c = arith.addf %a, %b : f32
//     gl.reduce(x, 0, add)                        hk.combine.return %c : f32
//                                               }
//
// Parameters and results are values of a form (ValueParts.h): one scalar, or tuples of any depth, of which the block
// sees the run-time parts.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_FUNCTIONREGION_H
#define HOCKET_FRONTEND_SEMANTICS_FUNCTIONREGION_H

#include "dialect/hk/HkDialect.h"
#include "frontend/emit/Emitter.h"

namespace hocket::frontend {

/// A function among the arguments of a builtin. What it may not do is an error at the argument.
struct ElementFunction {
  const Value &function;
  SourceRange where;
  std::string name;       ///< "the combine function"
  std::string calledFor;  ///< "pairs of elements"
  std::string toPassMore; ///< how it gets what it may not load
};

/// Calls the function with scalars, at the insertion point in a region.
Value callPerElement(Emitter &e, const ElementFunction &function, std::vector<Value> scalars);
/// The run-time parts of what the function returned, which must have the structure and types of `form`.
llvm::SmallVector<mlir::Value> requireForm(Emitter &e, const ElementFunction &function, const Value &returned,
                                           const Value &form);

/// Makes the one block of `region`, with an argument for each run-time part of the forms. `body` is given the forms
/// made of these arguments, and emits what stands in the block, its terminator included.
void emitRegion(Emitter &e, mlir::Region &region, llvm::ArrayRef<Value> forms,
                llvm::function_ref<void(std::vector<Value> parameters)> body);

/// Two elements, each a value of the form, to the run-time parts of their combination.
using Combination =
    llvm::function_ref<llvm::SmallVector<mlir::Value>(const Value &form, const Value &left, const Value &right)>;
/// Fills the region of an operation that combines elements of `form`.
void emitCombineRegion(Emitter &e, hk::CombineRegion op, const Value &form, Combination combine);
/// The combination by a function: it takes the elements of both tuples, or two scalars, and returns one such.
llvm::SmallVector<mlir::Value> combineByCall(Emitter &e, const ElementFunction &function, const Value &form,
                                             const Value &left, const Value &right);

} // namespace hocket::frontend

#endif
