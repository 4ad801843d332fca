//===- CellNames.h - How messages name the cells of notebooks -----------------------===//
#ifndef HOCKET_SUPPORT_CELLNAMES_H
#define HOCKET_SUPPORT_CELLNAMES_H

#include <string>

namespace hocket {

/// `namer` gives the name of a cell, "Cell In[3]", or "" for other files: displayPath asks it. Only Python knows.
void setCellNamer(std::string (*namer)(const std::string &file));

} // namespace hocket

#endif
