// What becomes of sessions, as far as a library can know: the runtime tells it that one begins, and
// of nodes that are the library's, in the thread that makes the session; and of nothing else.
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

/// Says a sentence on stderr, and never again: a server begins many sessions.
inline void say_once(const std::string& sentence) {
  static std::mutex mutex;
  static auto& said = *new std::set<std::string>;  // threads may end after static objects
  const std::lock_guard lock(mutex);
  if (said.insert(sentence).second) std::fprintf(stderr, "%s\n", sentence.c_str());
}

/// The session that a thread is making, or made last.
class Session {
 public:
  ~Session() { end(); }

  /// It takes the op's node in a domain: each once, and one in the op's own domain among them.
  void take(const Op& op, const std::string& domain) {
    const std::string node =
        domain + "::" + op.op_type + " of version " + std::to_string(op.version);
    if (nodes_.contains(node)) end();
    package_ = op.package;
    nodes_.insert(node);
    for (const auto& [entry, is_read] : std::exchange(unread_, {})) {
      if (is_read->exchange(true)) continue;
      say_once(package_ + ": the entry \"" + entry +
               "\" of a session's options is read by no library that is registered with them; this one "
               "reads \"onnxop.domains." +
               op.name + "\", with \".2\", \".3\" and so on behind it for further ones.");
    }
  }

  /// Its model has a node of this library's.
  void meet() { has_met_ = true; }

  /// That has got a kernel.
  void serve(const std::string& node) { ++served_[node]; }

  /// How many nodes have, by their domains and op types, as JSON. Who asks is told of none at once.
  const char* served(const char* model) {
    if (model != nullptr) tell(std::string("of ") + model);
    has_met_ = true;
    text_ = "{";
    for (const auto& [node, count] : served_) {
      text_.append(text_.size() > 1 ? ", \"" : "\"").append(node).append("\": ").append(std::to_string(count));
    }
    return text_.append("}").c_str();
  }

  /// What comes is another one.
  void end() {
    tell("of a session");
    nodes_.clear();
    served_.clear();
    has_met_ = false;
  }

  /// The options that the thread has last registered the library with have an entry that is not this
  /// library's. Another one may yet read it, which is registered later.
  void add_unread(const std::string& entry, std::atomic<bool>& is_read) {
    unread_.emplace_back(entry, &is_read);
  }

 private:
  /// A wrong domain in the options, or an entry that is set too late, is no error: functions run in place of
  /// the kernels, if there are any. So it is said, of each session; nobody tells whether the model was loaded
  /// at all.
  void tell(const std::string& of_what) const {
    if (nodes_.empty() || has_met_) return;
    std::string nodes;
    for (const std::string& node : nodes_) nodes.append(nodes.empty() ? "" : ", ").append(node);
    std::fprintf(stderr,
                 "%s: this library for ONNX Runtime computed no node %s: its model was refused, or has no %s. "
                 "Other domains are to be asked for by \"onnxop.domains.<operator>\", in the session's options, "
                 "before the library is registered.\n",
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
