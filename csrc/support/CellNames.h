//===- CellNames.h - Names of notebook cells in messages ----------------------------===//
#ifndef HOCKET_SUPPORT_CELLNAMES_H
#define HOCKET_SUPPORT_CELLNAMES_H

#include <string>

namespace hocket {

/// Registers a function that returns the name of a notebook cell, such as "Cell In[3]", from its file name, or "" for
/// other files. displayPath calls the function; the bindings register it, because only Python can map a file to its
/// cell.
void setCellNamer(std::string (*namer)(const std::string &file));

} // namespace hocket

#endif
