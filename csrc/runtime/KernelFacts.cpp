//===- KernelFacts.cpp - Serialization of facts about a kernel ----------------------===//
//
// Serialized facts begin with the list of all facts and their types, as text. The values of all facts follow, in the
// order of the list.
//
// Data that were written with another list of facts are rejected, so that the kernel is compiled again.
//
//===-------------------------------------------------------------------------------===//
#include "runtime/KernelFacts.h"
#include "runtime/Bytes.h"

namespace hocket {

static constexpr std::string_view kImplicitKindNames[] = {"scratch", "messages",
                                                          "profile"}; // names in the order of ImplicitKind

std::string_view nameOf(ImplicitKind kind) { return kImplicitKindNames[size_t(kind)]; }

std::optional<ImplicitKind> findImplicitKind(std::string_view name) {
  for (size_t i = 0; i < std::size(kImplicitKindNames); ++i)
    if (kImplicitKindNames[i] == name)
      return ImplicitKind(i);
  return std::nullopt;
}

static constexpr std::string_view kSchema =
#define FACT(type, member, pythonName, attribute, description) #type " " #member ";"
#include "runtime/KernelFacts.def"
    ;

// Functions that apply `archive`, a Writer or a Reader, to all fields of a structure.

template <typename Archive>
static void transfer(Archive &archive, ImplicitArgument &argument) {
  archive(argument.kind, argument.bytesPerLaunch, argument.bytesPerBlock);
}

template <typename Archive>
static void transfer(Archive &archive, Note &note) {
  archive(note.label, note.text);
}

template <typename Archive>
static void transfer(Archive &archive, CallFrame &frame) {
  archive(frame.function, frame.callerFile, frame.callerLine, frame.caller);
}

template <typename Archive>
static void transfer(Archive &archive, Diagnostic &diagnostic) {
  archive(diagnostic.file, diagnostic.line, diagnostic.column, diagnostic.endColumn, diagnostic.message,
          diagnostic.notes, diagnostic.hint, diagnostic.sourceLine, diagnostic.callChain);
}

template <typename Archive>
static void transfer(Archive &archive, MessageSite &site) {
  archive(site.format, site.failure, site.showsIndex);
}

template <typename Archive>
static void transfer(Archive &archive, SyncPlace &place) {
  archive(place.file, place.line);
}

template <typename Archive>
static void transfer(Archive &archive, SyncSite &site) {
  archive(site.what, site.at, site.isWritten, site.earlier, site.later, site.earlierAt, site.laterAt, site.why);
}

template <typename Archive>
static void transfer(Archive &archive, KernelFacts &facts) {
#define FACT(type, member, pythonName, attribute, description) archive(facts.member);
#include "runtime/KernelFacts.def"
}

template <typename T>
static constexpr bool isNumber = std::is_integral_v<T> || std::is_enum_v<T>;

namespace {

struct Writer {
  std::string bytes;

  template <typename... Ts>
  void operator()(Ts &...values) {
    (write(values), ...);
  }

private:
  void write(std::string &text) { appendString(bytes, text); }
  template <typename T>
  void write(T &value) {
    if constexpr (isNumber<T>)
      appendNumber(bytes, static_cast<uint64_t>(static_cast<int64_t>(value)));
    else
      transfer(*this, value);
  }
  template <typename T>
  void write(std::vector<T> &values) {
    appendNumber(bytes, values.size());
    for (T &value : values)
      write(value);
  }
};

struct Reader {
  ByteReader reader;

  template <typename... Ts>
  void operator()(Ts &...values) {
    (read(values), ...);
  }

private:
  void read(std::string &text) { text = reader.string(); }
  template <typename T>
  void read(T &value) {
    if constexpr (isNumber<T>)
      value = static_cast<T>(static_cast<int64_t>(reader.number()));
    else
      transfer(*this, value);
  }
  template <typename T>
  void read(std::vector<T> &values) {
    for (uint64_t left = reader.number(); reader.ok && left > 0; --left)
      read(values.emplace_back());
  }
};

} // namespace

std::string toBytes(KernelFacts facts) {
  Writer writer;
  appendString(writer.bytes, kSchema);
  transfer(writer, facts);
  return std::move(writer.bytes);
}

std::optional<KernelFacts> factsFromBytes(std::string_view bytes) {
  Reader reader{{bytes}};
  if (reader.reader.string() != kSchema)
    return std::nullopt;
  KernelFacts facts;
  transfer(reader, facts);
  return reader.reader.ok && reader.reader.rest.empty() ? std::optional(std::move(facts)) : std::nullopt;
}

} // namespace hocket
