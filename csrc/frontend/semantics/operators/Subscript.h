//===- Subscript.h - `x[:, None]`, `t[0]` ---------------------------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_SUBSCRIPT_H
#define HOCKET_FRONTEND_SEMANTICS_SUBSCRIPT_H

#include "frontend/emit/Emitter.h"

namespace hocket::frontend {

/// One item of `x[...]`: None, a full slice, or a value.
struct SubscriptItem {
  enum Kind { None, FullSlice, PartialSlice, Index } kind;
  Value value; ///< Index only
  SourceRange where;
};
/// Of a run-time value.
Value subscript(Emitter &e, const Value &base, llvm::ArrayRef<SubscriptItem> items);
/// Of a tuple or a compile-time object; `index` must be known.
Value subscriptTuple(Emitter &e, const Value &base, const Value &index, SourceRange where);

} // namespace hocket::frontend

#endif
