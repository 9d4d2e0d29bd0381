// fractile: parse, call, print. Everything that matters happens behind the public headers.
#include <CLI/CLI.hpp>
#include <exception>
#include <string>

#include "fractile/error.hpp"
#include "fractile/version.hpp"
#include "release.hpp"
#include "terminal.hpp"

namespace {

using fractile::cli::print_error;

int exit_code(fractile::ErrorCode code) { return static_cast<int>(code); }

/// The parser's own complaints: exit code 2, and where to look.
int usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const auto verbs = app.get_subcommands();
  const std::string verb = verbs.empty() ? "" : " " + verbs.front()->get_name();
  print_error(error.what(), "see fractile" + verb + " --help");
  return exit_code(fractile::ErrorCode::usage);
}

int run(int argc, char** argv) {
  CLI::App app("Fractile publishes quantiles of sensitive data with exact differential privacy.", "fractile");
  app.set_version_flag("--version", std::string("fractile ") + fractile::version);
  app.require_subcommand(1);
  fractile::cli::add_release(app);
  try {
    app.parse(argc, argv);
    return 0;
  } catch (const CLI::Success& asked) {  // --help, --version
    return app.exit(asked);
  } catch (const CLI::ParseError& error) {
    return usage_error(app, error);
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const fractile::Error& error) {
    print_error(error.what(), error.hint());
    return exit_code(error.code());
  } catch (const std::exception&) {
    print_error("an internal error", "nothing was released; please report what you typed");
    return exit_code(fractile::ErrorCode::internal);
  }
}
