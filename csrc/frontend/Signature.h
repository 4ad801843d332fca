//===- Signature.h - Argument types as text --------------------------------------------===//
//
//   f16 bf16 f32 f64 f8e5 f8e4nv     floats
//   i1 i8 i16 i32 i64, u1 ... u64    integers (u1 is i1: bool)
//   *f32                             pointer
//   *f32:16  i32:16                  the address, or the value, is a multiple of 16
//   i32=1                            the value is 1 in every call, so it is a constexpr
//   None                             a constexpr None
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_SIGNATURE_H
#define HOCKET_FRONTEND_SIGNATURE_H

#include "frontend/Frontend.h"

namespace hocket::frontend {

/// Parses the text of an argument's type. Throws std::invalid_argument with the reason if `text` is not in the format
/// at the top of this file.
ArgumentSpec parseArgument(std::string_view text);
/// Returns the text of a run-time argument, such as "*f32:16".
std::string formatArgument(const RuntimeArgument &argument);

} // namespace hocket::frontend

#endif
