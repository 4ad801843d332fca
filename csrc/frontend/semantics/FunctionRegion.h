//===- FunctionRegion.h - User functions as regions of operations ---------------------===//
//
// gl.reduce takes a function that it calls for pairs of elements. The operation has the call in a region, whose block
// takes the scalars:
//
//     @jit                                      hk.reduce %x axis = 0 {
//     def add(a, b):                            ^bb0(%a: f32, %b: f32):
//         return a + b                  =>        %c = arith.addf %a, %b : f32
//     gl.reduce(x, 0, add)                        hk.combine.return %c : f32
//                                               }
//
// Parameters and results are values of a form (ValueParts.h): one scalar, or tuples of any depth, whose run-time parts
// are the block's arguments.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_FUNCTIONREGION_H
#define HOCKET_FRONTEND_SEMANTICS_FUNCTIONREGION_H

#include "dialect/hk/ir/HkDialect.h"
#include "frontend/semantics/Emitter.h"

namespace hocket::frontend {

/// A function among the arguments of a builtin. Operations that it must not contain are errors at the argument.
struct ElementFunction {
  const Value &function;
  SourceRange where;
  std::string name;       ///< "the combine function"
  std::string calledFor;  ///< "pairs of elements"
  std::string toPassMore; ///< how the function can receive a value that it must not load
};

/// Calls the function with scalars, at the insertion point in a region.
Value callPerElement(Emitter &e, const ElementFunction &function, std::vector<Value> scalars);
/// Returns the run-time parts of the function's result, which must have the structure and types of `form`.
llvm::SmallVector<mlir::Value> requireForm(Emitter &e, const ElementFunction &function, const Value &returned,
                                           const Value &form);

/// Creates the only block of `region`, with an argument for each run-time part of the forms. `body` receives the forms
/// with these arguments, and emits the contents of the block, including its terminator.
void emitRegion(Emitter &e, mlir::Region &region, llvm::ArrayRef<Value> forms,
                llvm::function_ref<void(std::vector<Value> parameters)> body);

/// Maps two elements, each a value of the form, to the run-time parts of their combination.
using Combination =
    llvm::function_ref<llvm::SmallVector<mlir::Value>(const Value &form, const Value &left, const Value &right)>;
/// Fills the region of an operation that combines elements of `form`.
void emitCombineRegion(Emitter &e, hk::CombineRegion op, const Value &form, Combination combine);
/// Combines by calling a function: it takes the elements of both tuples, or two scalars, and returns one element.
llvm::SmallVector<mlir::Value> combineByCall(Emitter &e, const ElementFunction &function, const Value &form,
                                             const Value &left, const Value &right);

} // namespace hocket::frontend

#endif
