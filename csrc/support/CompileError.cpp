//===- CompileError.cpp - Text of compile errors -----------------------------------===//
#include "support/CompileError.h"
#include "support/CellNames.h"
#include <algorithm>
#include <filesystem>
#include <string_view>

using namespace hocket;

namespace {

constexpr size_t kLineNumberWidth = 5;

bool isContinuationByte(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// Returns the number of characters of the UTF-8 string `text`. Columns in messages count characters, not bytes.
size_t countCharacters(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return !isContinuationByte(c); });
}

std::string padLeft(std::string text, size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

/// Appends to `out` the line number and the source line and, on the next line, a caret with tildes under the faulty
/// code.
void appendSource(std::string &out, const Diagnostic &d) {
  std::string_view line = d.sourceLine;
  line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
  size_t begin = std::min<size_t>(d.column, line.size());
  size_t end = std::clamp<size_t>(d.endColumn, begin, line.size());

  out += "\n" + padLeft(std::to_string(d.line), kLineNumberWidth) + " | " + std::string(line);
  out += "\n" + std::string(kLineNumberWidth, ' ') + " | ";
  // Tabs before the caret are copied from the source line, so that the caret is in the right column at any tab width.
  for (char c : line.substr(0, begin))
    if (!isContinuationByte(c))
      out += c == '\t' ? '\t' : ' ';
  size_t characters = countCharacters(line.substr(begin, end - begin));
  out += "^" + std::string(characters > 1 ? characters - 1 : 0, '~');
}

/// Appends to `out` one line for each note: the label, a colon and the text. The texts of all notes with labels, and
/// their continuation lines, start in the same column.
void appendNotes(std::string &out, std::vector<Note> notes, const std::string &hint) {
  if (!hint.empty())
    notes.push_back({"hint", hint});
  size_t labels = 0, longest = 0;
  for (const Note &note : notes)
    if (!note.label.empty()) {
      ++labels;
      longest = std::max(longest, note.label.size() + 1);
    }
  size_t column = labels > 1 ? longest + 2 : longest + 1;
  for (const Note &note : notes) {
    std::string head;
    if (!note.label.empty()) {
      head = note.label + ":";
      head.resize(std::max(column, head.size()), ' ');
    }
    out += "\n  " + head;
    for (char c : note.text) {
      out += c;
      if (c == '\n')
        out += "  " + std::string(head.size(), ' ');
    }
  }
}

} // namespace

static std::string (*cellNamer)(const std::string &) = nullptr;

void hocket::setCellNamer(std::string (*namer)(const std::string &file)) { cellNamer = namer; }

std::string hocket::displayPath(const std::string &file) {
  if (std::string cell = cellNamer ? cellNamer(file) : ""; !cell.empty())
    return cell;
  std::error_code failed;
  std::string directory = std::filesystem::current_path(failed).string() + "/";
  if (!failed && file.starts_with(directory))
    return file.substr(directory.size());
  return file;
}

std::string Diagnostic::render() const {
  std::string out;
  if (!file.empty()) {
    out += displayPath(file);
    if (line > 0) {
      out += ":" + std::to_string(line);
      // If the source line is unknown, each byte before the column counts as one character.
      size_t before = sourceLine.empty() ? size_t(column) : countCharacters(sourceLine.substr(0, size_t(column)));
      out += ":" + std::to_string(before + 1);
    }
    out += ": ";
  }
  out += "error: " + message;
  if (line > 0 && !sourceLine.empty())
    appendSource(out, *this);
  appendNotes(out, notes, hint);
  for (const CallFrame &frame : callChain) {
    out += frame.function.empty() ? "\n  called from " : "\n  in " + frame.function + ", called from ";
    out += displayPath(frame.callerFile) + ":" + std::to_string(frame.callerLine);
    out += frame.caller.empty() ? "" : " in " + frame.caller;
  }
  return out;
}

CompileError::CompileError(Diagnostic diagnostic) : contents(std::move(diagnostic)), text(contents.render()) {}
