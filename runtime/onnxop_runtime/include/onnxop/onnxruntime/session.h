// The state of sessions, as far as a library knows it. The runtime tells it only that a session begins, and
// which nodes are the library's, in the thread that creates the session.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "../op.h"

namespace onnxop::ort {

/// Prints a sentence on stderr once per process: a server creates many sessions.
inline void say_once(const std::string& sentence) {
  static std::mutex mutex;
  static auto& printed = *new std::set<std::string>;  // threads may end after static objects
  const std::lock_guard lock(mutex);
  if (printed.insert(sentence).second) std::fprintf(stderr, "%s\n", sentence.c_str());
}

/// The session that a thread is creating, or created last.
class Session {
 public:
  ~Session() { finish(); }

  /// A library serves the op's node in a domain on a provider; called once per domain, including the op's own.
  void add_node(const Op& op, const std::string& domain, const std::string& provider) {
    const std::string node =
        domain + "::" + op.op_type + " of version " + std::to_string(op.version);
    if (nodes_.contains(node) && nodes_.at(node).contains(provider)) finish();
    package_ = op.package;
    nodes_[node].insert(provider);
    providers_.insert(provider);
    for (const auto& [entry, is_read] : std::exchange(unread_, {})) {
      if (is_read->exchange(true)) continue;
      say_once(package_ + ": the entry \"" + entry +
               "\" of a session's options is read by none of their registered libraries; this library "
               "reads \"onnxop.domains." +
               op.name + "\", and for more entries, the same with \".2\", \".3\" and so on at the end.");
    }
  }

  /// The model has a node of this library.
  void set_found() { is_found_ = true; }

  /// A node of the model has got a kernel of a provider.
  void add_kernel(const std::string& node, const std::string& provider) { ++kernels_[node][provider]; }

  /// Returns the number of nodes with kernels, by domain and op type, and by provider, as JSON. Reports at once if
  /// there are none.
  const char* kernels_as_json(const char* model) {
    if (model != nullptr) report_unused(std::string("of ") + model);
    is_found_ = true;
    text_ = "{";
    const char* separator = "";
    for (const auto& [node, counts] : kernels_) {
      text_.append(separator).append("\"").append(node).append("\": ").append(json_of(counts));
      separator = ", ";
    }
    return text_.append("}").c_str();
  }

  /// The thread's session is complete: another begins, or the thread ends.
  void finish() {
    report_unused("of a session");
    nodes_.clear();
    providers_.clear();
    kernels_.clear();
    is_found_ = false;
  }

  /// The options of the thread's last registration have an entry that this library does not read. A
  /// library that is registered later may read it.
  void add_unread(const std::string& entry, std::atomic<bool>& is_read) {
    unread_.emplace_back(entry, &is_read);
  }

 private:
  /// Returns the counts of all registered providers, `{"cpu": 0, "cuda": 3}`.
  std::string json_of(const std::map<std::string, uint64_t>& counts) const {
    std::string text = "{";
    for (const std::string& provider : providers_) {
      const auto count = counts.find(provider);
      text.append(text.size() > 1 ? ", \"" : "\"").append(provider).append("\": ");
      text.append(std::to_string(count == counts.end() ? 0 : count->second));
    }
    return text.append("}");
  }

  /// Reports a wrong domain in the options, or an entry that was set too late, for each session. The runtime
  /// accepts them, and runs functions in place of kernels, if there are any. The library cannot know whether
  /// the model was loaded.
  void report_unused(const std::string& of_what) const {
    if (nodes_.empty() || is_found_) return;
    std::string nodes;
    for (const auto& [node, providers] : nodes_) nodes.append(nodes.empty() ? "" : ", ").append(node);
    std::fprintf(stderr,
                 "%s: this library for ONNX Runtime computed no node %s: its model was refused, or has no %s. "
                 "To serve another domain, set \"onnxop.domains.<operator>\" in the session's options "
                 "before you register the library.\n",
                 package_.c_str(), of_what.c_str(), nodes.c_str());
  }

  std::string package_, text_;
  std::map<std::string, std::set<std::string>> nodes_;  // with the providers that serve each
  std::set<std::string> providers_;
  std::map<std::string, std::map<std::string, uint64_t>> kernels_;
  bool is_found_ = false;
  std::vector<std::pair<std::string, std::atomic<bool>*>> unread_;
};

inline thread_local Session session;

/// The functions of a library's sessions. A package's library for CUDA calls those of the CPU's library, so that both
/// count as one. The libraries may have C++ libraries of their own, so no object of these is passed.
struct Sessions {
  void (*finish)();
  void (*add_node)(const Op& op, const char* domain, const char* provider);
  void (*set_found)();
  void (*add_kernel)(const char* node, const char* provider);
  const char* (*kernels_as_json)(const char* model);
  void (*add_unread)(const char* entry, std::atomic<bool>* is_read);
};

inline constexpr Sessions kOwnSessions{
    .finish = [] { session.finish(); },
    .add_node = [](const Op& op, const char* domain, const char* provider) { session.add_node(op, domain, provider); },
    .set_found = [] { session.set_found(); },
    .add_kernel = [](const char* node, const char* provider) { session.add_kernel(node, provider); },
    .kernels_as_json = [](const char* model) { return session.kernels_as_json(model); },
    .add_unread = [](const char* entry, std::atomic<bool>* is_read) { session.add_unread(entry, *is_read); },
};

/// The sessions that this library takes part in.
inline std::atomic<const Sessions*> sessions = &kOwnSessions;

}  // namespace onnxop::ort
