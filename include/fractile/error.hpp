// Errors: one type, one code, one hint. The library never prints and never aborts.
#pragma once

#include <stdexcept>
#include <string>

namespace fractile {

/// What kind of thing went wrong; the command line's exit codes are these values.
enum class ErrorCode {
  usage = 2,           ///< an option or argument is wrong; nothing was read
  data = 3,            ///< a file, table or cell is unusable
  budget_refused = 4,  ///< the privacy budget does not allow it
  ledger = 5,          ///< the ledger is locked, corrupt or from a newer version
  internal = 70,       ///< a defect, or the system failed (no random bits)
};

/// Every failure of the library. `what()` says what is wrong and where, `hint()` what to do next; neither ever holds a
/// value of the data.
/// Thread-safety: as that of std::runtime_error.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& what, std::string hint = {})
      : std::runtime_error(what), code_(code), hint_(std::move(hint)) {}
  ErrorCode code() const noexcept { return code_; }
  const std::string& hint() const noexcept { return hint_; }

 private:
  ErrorCode code_;
  std::string hint_;
};

}  // namespace fractile
