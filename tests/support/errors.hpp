// The errors that tests expect.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "fractile/error.hpp"

namespace fractile::testing {

/// The Error that `action` throws; nothing when it throws none.
template <class Action>
std::optional<Error> error_if_any(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  return {};
}

/// The Error that `action` throws; a failed expectation when it throws none.
template <class Action>
Error error_of(Action&& action) {
  if (const std::optional<Error> error = error_if_any(action)) return *error;
  ADD_FAILURE() << "no error was thrown";
  return {ErrorCode::internal, ""};
}

template <class Action>
std::optional<ErrorCode> code_of(Action&& action) {
  const std::optional<Error> error = error_if_any(action);
  return error ? std::optional(error->code()) : std::nullopt;
}

/// What `action` is refused with, which must have this code; empty when it is not refused.
template <class Action>
std::string refusal(ErrorCode code, Action&& action) {
  const std::optional<Error> error = error_if_any(action);
  if (!error) return {};
  EXPECT_EQ(error->code(), code) << error->what();
  return error->what();
}

}  // namespace fractile::testing
