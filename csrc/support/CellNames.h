//===- CellNames.h - Names of notebook cells in messages ----------------------------===//
#ifndef HOCKET_SUPPORT_CELLNAMES_H
#define HOCKET_SUPPORT_CELLNAMES_H

#include <string>

namespace hocket {

/// Registers `namer`, which returns the name of a notebook cell, "Cell In[3]", or "" for other files. displayPath calls
/// it; the bindings set it, because only Python can map a file to its cell.
void setCellNamer(std::string (*namer)(const std::string &file));

} // namespace hocket

#endif
