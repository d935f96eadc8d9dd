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
  ~Session() { end(); }

  /// The library serves the op's node in a domain; called once per domain, including the op's own.
  void take(const Op& op, const std::string& domain) {
    const std::string node =
        domain + "::" + op.op_type + " of version " + std::to_string(op.version);
    if (nodes_.contains(node)) end();
    package_ = op.package;
    nodes_.insert(node);
    for (const auto& [entry, is_read] : std::exchange(unread_, {})) {
      if (is_read->exchange(true)) continue;
      say_once(package_ + ": the entry \"" + entry +
               "\" of a session's options is read by none of their registered libraries; this library "
               "reads \"onnxop.domains." +
               op.name + "\", and for more entries, the same with \".2\", \".3\" and so on at the end.");
    }
  }

  /// The model has a node of this library.
  void meet() { has_met_ = true; }

  /// The node has got a kernel.
  void serve(const std::string& node) { ++served_[node]; }

  /// Returns the number of nodes with kernels, by domain and op type, as JSON. Reports at once if there are none.
  const char* served(const char* model) {
    if (model != nullptr) tell(std::string("of ") + model);
    has_met_ = true;
    text_ = "{";
    for (const auto& [node, count] : served_) {
      text_.append(text_.size() > 1 ? ", \"" : "\"").append(node).append("\": ").append(std::to_string(count));
    }
    return text_.append("}").c_str();
  }

  /// The current session is complete.
  void end() {
    tell("of a session");
    nodes_.clear();
    served_.clear();
    has_met_ = false;
  }

  /// The options of the thread's last registration have an entry that this library does not read. A
  /// library that is registered later may read it.
  void add_unread(const std::string& entry, std::atomic<bool>& is_read) {
    unread_.emplace_back(entry, &is_read);
  }

 private:
  /// Reports a wrong domain in the options, or an entry that was set too late, for each session. The runtime
  /// accepts them, and runs functions in place of kernels, if there are any. The library cannot know whether
  /// the model was loaded.
  void tell(const std::string& of_what) const {
    if (nodes_.empty() || has_met_) return;
    std::string nodes;
    for (const std::string& node : nodes_) nodes.append(nodes.empty() ? "" : ", ").append(node);
    std::fprintf(stderr,
                 "%s: this library for ONNX Runtime computed no node %s: its model was refused, or has no %s. "
                 "To serve another domain, set \"onnxop.domains.<operator>\" in the session's options "
                 "before you register the library.\n",
                 package_.c_str(), of_what.c_str(), nodes.c_str());
  }

  std::string package_, text_;
  std::set<std::string> nodes_;
  std::map<std::string, uint64_t> served_;
  bool has_met_ = false;
  std::vector<std::pair<std::string, std::atomic<bool>*>> unread_;
};

inline thread_local Session session;

}  // namespace onnxop::ort
