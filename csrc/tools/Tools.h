//===- Tools.h - Passes that only hocket-opt has -------------------------------------------===//
#ifndef HOCKET_TOOLS_TOOLS_H
#define HOCKET_TOOLS_TOOLS_H

namespace hocket {

/// `hocket-print-axis-info`
void registerPrintAxisInfoPass();

} // namespace hocket

#endif
