//===- SourceText.h - Source text of the expression under a diagnostic --------------===//
#ifndef HOCKET_SUPPORT_SOURCETEXT_H
#define HOCKET_SUPPORT_SOURCETEXT_H

#include "support/CompileError.h"

namespace hocket {

/// Returns the source text that `place` underlines: "gl.program_id(0) * n". Returns "" if the range spans several lines
/// or the file cannot be read, as is the case for notebook cells.
std::string sourceTextOf(const Diagnostic &place);

} // namespace hocket

#endif
