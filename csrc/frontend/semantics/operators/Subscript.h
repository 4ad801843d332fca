//===- Subscript.h - Subscripts: `x[:, None]`, `t[0]` ---------------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_SUBSCRIPT_H
#define HOCKET_FRONTEND_SEMANTICS_SUBSCRIPT_H

#include "frontend/semantics/Emitter.h"

namespace hocket::frontend {

/// One item of a subscript `x[...]`: None, a slice or an index.
struct SubscriptItem {
  enum Kind { None, FullSlice, PartialSlice, Index } kind;
  Value value; ///< the index, for items of kind Index
  SourceRange where;
};
/// Evaluates a subscript of a run-time value.
Value subscript(Emitter &e, const Value &base, llvm::ArrayRef<SubscriptItem> items);
/// Evaluates a subscript of a tuple or of a compile-time object; `index` must be a compile-time value.
Value subscriptTuple(Emitter &e, const Value &base, const Value &index, SourceRange where);

} // namespace hocket::frontend

#endif
