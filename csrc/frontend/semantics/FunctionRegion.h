//===- FunctionRegion.h - User functions as regions of operations ---------------------===//
//
// Builtins such as gl.reduce have a function as an argument, and apply this function to pairs of elements. The IR
// operation contains the body of the function in a region, whose block arguments are the elements:
//
//     @jit                                      hk.reduce %x axis = 0 {
//     def add(a, b):                            ^bb0(%a: f32, %b: f32):
//         return a + b                  =>        %c = arith.addf %a, %b : f32
//     gl.reduce(x, 0, add)                        hk.combine.return %c : f32
//                                               }
//
// Each parameter and each result of the function is a scalar or a nested tuple of scalars. A `form` (ValueParts.h) is a
// value that describes the structure and the scalar types of a parameter or result. The block has one argument for each
// scalar in the parameters.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_FUNCTIONREGION_H
#define HOCKET_FRONTEND_SEMANTICS_FUNCTIONREGION_H

#include "dialect/hk/ir/HkDialect.h"
#include "frontend/semantics/Emitter.h"

namespace hocket::frontend {

/// A function that is an argument of a builtin, such as the combine function of gl.reduce. If the function contains an
/// operation that is not allowed, the error is reported at this argument of the call.
struct ElementFunction {
  const Value &function;
  SourceRange where;
  std::string name;       ///< description for messages, such as "the combine function"
  std::string calledFor;  ///< values to which the function is applied, such as "pairs of elements"
  std::string toPassMore; ///< hint on how to pass further values to the function, which cannot load from memory
};

/// Calls the function with scalars, at the insertion point in a region.
Value callPerElement(Emitter &e, const ElementFunction &function, std::vector<Value> scalars);
/// Returns the SSA values in `returned`, the function's result, which must have the structure and types of `form`.
llvm::SmallVector<mlir::Value> requireForm(Emitter &e, const ElementFunction &function, const Value &returned,
                                           const Value &form);

/// Creates the only block of `region`, with one block argument for each run-time value in `forms`. `parameters` are the
/// forms with their run-time values replaced by the block arguments. `body` emits the operations of the block,
/// including its terminator.
void emitRegion(Emitter &e, mlir::Region &region, llvm::ArrayRef<Value> forms,
                llvm::function_ref<void(std::vector<Value> parameters)> body);

/// Emits the combination of the elements `left` and `right`, which have the structure of `form`. Returns the SSA values
/// of the combined element.
using Combination =
    llvm::function_ref<llvm::SmallVector<mlir::Value>(const Value &form, const Value &left, const Value &right)>;
/// Emits the combine region of `op`, such as a reduction, whose elements have the structure of `form`.
void emitCombineRegion(Emitter &e, hk::CombineRegion op, const Value &form, Combination combine);
/// Combines the elements `left` and `right`, two scalars or two tuples, by a call of `function`. The arguments of the
/// call are the items of `left`, then the items of `right`; the call returns the combined element.
llvm::SmallVector<mlir::Value> combineByCall(Emitter &e, const ElementFunction &function, const Value &form,
                                             const Value &left, const Value &right);

} // namespace hocket::frontend

#endif
