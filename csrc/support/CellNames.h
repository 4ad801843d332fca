//===- CellNames.h - Names of notebook cells in messages ----------------------------===//
#ifndef HOCKET_SUPPORT_CELLNAMES_H
#define HOCKET_SUPPORT_CELLNAMES_H

#include <string>

namespace hocket {

/// Registers the function with which displayPath finds the name of a notebook cell, such as "Cell In[3]", from the
/// cell's file name. The function returns "" for a file that is not a notebook cell. The bindings register the
/// function, because only Python can map a file to its notebook cell.
void setCellNamer(std::string (*namer)(const std::string &file));

} // namespace hocket

#endif
