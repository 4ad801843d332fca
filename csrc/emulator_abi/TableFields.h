//===- TableFields.h - Entries of tables as dictionaries of fields -------------------===//
//
// The table of sites (Sites.h) and the table of timed events (TimedEvents.h) are arrays of dictionary attributes. A
// dictionary does not contain fields that have their default values.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_ABI_TABLEFIELDS_H
#define HOCKET_EMULATOR_ABI_TABLEFIELDS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"

#include <string>

namespace hocket {

class FieldWriter {
public:
  explicit FieldWriter(mlir::MLIRContext *context) : builder(context) {}

  void add(llvm::StringRef name, mlir::Attribute value) { fields.push_back(builder.getNamedAttr(name, value)); }
  void addNumber(llvm::StringRef name, int64_t value, int64_t otherwise = 0) {
    if (value != otherwise)
      add(name, builder.getI32IntegerAttr(int32_t(value)));
  }
  void addText(llvm::StringRef name, llvm::StringRef text) {
    if (!text.empty())
      add(name, builder.getStringAttr(text));
  }
  void addFlag(llvm::StringRef name, bool isSet) {
    if (isSet)
      add(name, builder.getUnitAttr());
  }
  void addLocation(mlir::Location loc) { add("loc", mlir::LocationAttr(loc)); }
  mlir::DictionaryAttr get() { return builder.getDictionaryAttr(fields); }

private:
  mlir::Builder builder;
  llvm::SmallVector<mlir::NamedAttribute> fields;
};

class FieldReader {
public:
  explicit FieldReader(mlir::DictionaryAttr entry) : entry(entry) {}

  int64_t number(llvm::StringRef name, int64_t otherwise = 0) const {
    auto attr = entry.getAs<mlir::IntegerAttr>(name);
    return attr ? attr.getInt() : otherwise;
  }
  std::string text(llvm::StringRef name) const {
    auto attr = entry.getAs<mlir::StringAttr>(name);
    return attr ? attr.str() : std::string();
  }
  bool flag(llvm::StringRef name) const { return entry.contains(name); }
  mlir::Location location() const { return entry.getAs<mlir::LocationAttr>("loc"); }

private:
  mlir::DictionaryAttr entry;
};

} // namespace hocket

#endif
