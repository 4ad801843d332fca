//===- FunctionRegion.h - User functions as regions of operations ---------------------===//
//
// Functions such as gl.reduce receive a function and call it for pairs of elements. The operation contains the body of
// that function in a region, whose block arguments are the scalars:
//
//     @jit                                      hk.reduce %x axis = 0 {
//     def add(a, b):                            ^bb0(%a: f32, %b: f32):
//         return a + b                  =>        %c = arith.addf %a, %b : f32
//     gl.reduce(x, 0, add)                        hk.combine.return %c : f32
//                                               }
//
// Each parameter and each result is a value of a given form (ValueParts.h): a scalar, or nested tuples of scalars. The
// run-time parts of the parameters are the block's arguments.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_FUNCTIONREGION_H
#define HOCKET_FRONTEND_SEMANTICS_FUNCTIONREGION_H

#include "dialect/hk/ir/HkDialect.h"
#include "frontend/semantics/Emitter.h"

namespace hocket::frontend {

/// A function that a builtin receives as an argument. If the function contains an operation that is not allowed, the
/// error is reported at the argument.
struct ElementFunction {
  const Value &function;
  SourceRange where;
  std::string name;       ///< description for messages, such as "the combine function"
  std::string calledFor;  ///< values to which the function is applied, such as "pairs of elements"
  std::string toPassMore; ///< hint on how to pass values to the function, which cannot load values itself
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

/// Returns the run-time parts of the combination of `left` and `right`, two elements with the structure of `form`.
using Combination =
    llvm::function_ref<llvm::SmallVector<mlir::Value>(const Value &form, const Value &left, const Value &right)>;
/// Fills the region of an operation that combines elements of `form`.
void emitCombineRegion(Emitter &e, hk::CombineRegion op, const Value &form, Combination combine);
/// Combines two elements by calling a function. The function receives the items of `left` and `right`, which are tuples
/// or scalars, and returns one element.
llvm::SmallVector<mlir::Value> combineByCall(Emitter &e, const ElementFunction &function, const Value &form,
                                             const Value &left, const Value &right);

} // namespace hocket::frontend

#endif
