//===- SourceText.h - The expression that a diagnostic is about ---------------------===//
#ifndef HOCKET_SUPPORT_SOURCETEXT_H
#define HOCKET_SUPPORT_SOURCETEXT_H

#include "support/CompileError.h"

namespace hocket {

/// What `place` underlines: "gl.program_id(0) * n". Empty where that is more than one line, or the file cannot be read,
/// as those of notebooks cannot.
std::string sourceTextOf(const Diagnostic &place);

} // namespace hocket

#endif
