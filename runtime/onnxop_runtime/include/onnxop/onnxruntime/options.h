// The options of a session: requests to a library, and entries that libraries add.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../op.h"
#include "abi.h"
#include "session.h"
#include "tensor.h"

namespace onnxop::ort {

/// Returns the options' entry for a key, or std::nullopt.
inline std::optional<std::string> config(const Api& api, const SessionOptions* options,
                                         const std::string& key) {
  int has = 0;
  check(api.has_config(options, key.c_str(), &has));
  if (has == 0) return std::nullopt;
  size_t size = 0;
  check(api.get_config(options, key.c_str(), nullptr, &size));
  std::string text(size, '\0');
  check(api.get_config(options, key.c_str(), text.data(), &size));
  text.resize(std::strlen(text.c_str()));  // the size counts the zero at the end
  return text;
}

/// Returns all keys of the options.
inline std::vector<std::string> keys_of(const Api& api, const SessionOptions* options) {
  KeyValuePairs* pairs = nullptr;
  check(api.get_configs(options, &pairs));
  if (pairs == nullptr) return {};
  const char* const* keys = nullptr;
  const char* const* values = nullptr;
  size_t count = 0;
  api.get_pairs(pairs, &keys, &values, &count);
  std::vector<std::string> copies(keys, keys + count);
  api.release_pairs(pairs);
  return copies;
}

// ---- Entries of libraries ----

/// A pointer in an entry of a session's options, for later registrations. The object has the writer's ABI,
/// whose number precedes it.
class Note {
 public:
  Note(const Api& api, SessionOptions* options, std::string key)
      : api_(api), options_(options), key_(std::move(key)) {}

  void* read() const {
    const auto [abi, pointer] = parse();
    if (abi != kAbi) {
      fail("another library with onnxop's ABI ", abi, " has set ", key_, " in the session's options, but this library has ABI ",
           kAbi, "; build both packages with the same onnxop-runtime");
    }
    return pointer;
  }

  /// Returns whether a library of another ABI has written it.
  bool is_foreign() const { return parse().first != kAbi; }

  void write(const void* pointer) const {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%d:%llx", kAbi,
                  static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(pointer)));
    check(api_.set_config(options_, key_.c_str(), text.data()));
  }

 private:
  std::pair<int, void*> parse() const {
    const auto text = config(api_, options_, key_);
    if (!text) return {kAbi, nullptr};
    int abi = 0;
    unsigned long long pointer = 0;
    if (std::sscanf(text->c_str(), "%d:%llx", &abi, &pointer) != 2) return {0, nullptr};
    return {abi, reinterpret_cast<void*>(static_cast<uintptr_t>(pointer))};
  }

  Api api_;
  SessionOptions* options_;
  std::string key_;
};

/// The options' domain of this name, to which libraries add ops.
inline Note domain_note(const Api& api, SessionOptions* options, const std::string& name) {
  return {api, options, "onnxop.domain." + name};
}
/// The note that several libraries have added ops.
inline Note extended_note(const Api& api, SessionOptions* options, const std::string& name) {
  return {api, options, "onnxop.extended." + name};
}
/// The library that serves the node on a provider: its Sessions.
inline Note node_note(const Api& api, SessionOptions* options, const std::string& provider,
                      const std::string& node) {
  return {api, options, "onnxop.node." + provider + "." + node};
}
/// Whether a library reads the entry.
inline Note read_note(const Api& api, SessionOptions* options, const std::string& key) {
  return {api, options, "onnxop.read." + key};
}

inline bool is_note(std::string_view key) {
  const auto starts = [&](std::string_view word) { return key.starts_with(word); };
  const bool is_of_domain = starts("onnxop.domain.") && key.find(':') == key.npos;
  return is_of_domain || starts("onnxop.extended.") || starts("onnxop.node.") ||
         starts("onnxop.read.");
}

// ---- Requests ----

/// Throws if a domain is not valid in ONNX, or is reserved by ONNX, ONNX Runtime or PyTorch.
inline void check_domain(const Op& op, std::string_view domain, std::string_view key) {
  const auto is_word = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
  };
  const auto may_follow = [&](char c) {
    return is_word(c) || (c >= '0' && c <= '9') || c == '.' || c == '-';
  };
  if (domain.empty() || !is_word(domain.front()) || !std::ranges::all_of(domain, may_follow)) {
    fail(op.name, " cannot be served as a node of '", domain, "', which is not a valid domain; set the entry \"", key,
         "\" to domains separated by commas");
  }
  if (domain.starts_with("ai.onnx") || domain.starts_with("com.microsoft") || domain == "aten" ||
      domain == "prim" || domain == "onnx") {
    fail(op.name, " cannot be served as a node of ", domain, ", which is a reserved domain; remove it from the entry \"",
         key, "\"");
  }
}

/// Returns the domains that the options request besides the node's own, separated by commas: in the entry
/// "onnxop.domains." followed by the operator, and in those followed by ".2", ".3" and so on, up to the
/// first one missing. Adds the keys to `read`.
inline std::vector<std::string> domains_of(const Op& op, const Api& api,
                                           const SessionOptions* options,
                                           std::set<std::string>& read) {
  std::vector<std::string> domains{op.domain};
  const std::string first = std::string("onnxop.domains.").append(op.name);
  for (int number = 1;; ++number) {
    const std::string key = number == 1 ? first : first + "." + std::to_string(number);
    const std::optional<std::string> text = config(api, options, key);
    if (!text) return domains;
    read.insert(key);
    for (size_t begin = 0; begin <= text->size();) {
      const size_t end = std::min(text->find(',', begin), text->size());
      domains.push_back(text->substr(begin, end - begin));
      check_domain(op, domains.back(), key);
      begin = end + 1;
    }
  }
}

/// Whether a library reads an entry of the options. As with domains, new options may have the address of
/// deleted ones.
inline std::atomic<bool>& is_read(const Api& api, SessionOptions* options, const std::string& key) {
  const Note note = read_note(api, options, key);
  if (void* const noted = note.read()) return *static_cast<std::atomic<bool>*>(noted);
  static std::mutex mutex;
  static auto& known = *new std::map<std::pair<SessionOptions*, std::string>, std::atomic<bool>>;
  const std::lock_guard lock(mutex);
  std::atomic<bool>& flag = known[{options, key}];
  flag = false;
  note.write(&flag);
  return flag;
}

/// Has the next session report entries that no library reads. Before release 1.23, the runtime does not
/// list the entries.
inline void note_entries(const Api& api, SessionOptions* options, const std::set<std::string>& read) {
  // Entries of a library with another ABI are not read; that library reports them itself.
  const auto is_foreign = [&](const std::string& key) {
    return read_note(api, options, key).is_foreign();
  };
  for (const std::string& key : read) {
    if (!is_foreign(key)) is_read(api, options, key) = true;
  }
  for (const std::string& key : keys_of(api, options)) {
    const bool is_entry = key.starts_with("onnxop.") && !is_note(key);
    if (!is_entry || read.contains(key) || is_foreign(key)) continue;
    sessions.load()->add_unread(key.c_str(), &is_read(api, options, key));
  }
}

}  // namespace onnxop::ort
