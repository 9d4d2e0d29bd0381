#include "program.hpp"

#include <CLI/CLI.hpp>
#include <array>
#include <exception>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fractile/error.hpp"
#include "fractile/version.hpp"
#include "options.hpp"
#include "terminal.hpp"
#include "verbs.hpp"

namespace fractile::cli {
namespace {

int exit_code(ErrorCode code) { return static_cast<int>(code); }

struct Verb {
  const VerbSpec& spec;
  int (*run)(const Typed&);
};

/// The verb that was typed, or the first verb if none was understood.
const Verb& typed_verb(const CLI::App& app, std::span<const Verb> verbs) {
  for (const Verb& verb : verbs) {
    if (app.got_subcommand(verb.spec.name)) return verb;
  }
  return verbs.front();
}

/// The words that were typed, last word first, as the parser expects them. The auto of "--bounds auto" stands for both values, so it is
/// repeated; "help VERB" becomes "VERB --help".
std::vector<std::string> reversed(int argc, char** argv) {
  std::vector<std::string> words;
  if (argc > 1 && std::string_view(argv[1]) == "help") {
    words.emplace_back("--help");
    ++argv;
    --argc;
  }
  for (int i = argc - 1; i > 0; --i) {
    words.emplace_back(argv[i]);
    if (words.back() == "auto" && std::string_view(argv[i - 1]) == "--bounds") words.emplace_back("auto");
  }
  return words;
}

int run(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "--version") {
    print(std::string("fractile ") + version + "\n");
    return 0;
  }
  const std::array verbs{Verb{release_verb(), run_release},     Verb{plan_verb(), run_plan},
                         Verb{publish_verb(), run_publish},     Verb{explain_verb(), run_explain},
                         Verb{ledger_verb(), run_ledger},       Verb{columns_verb(), run_columns},
                         Verb{count_verb(), run_count},         Verb{merge_verb(), run_merge},
                         Verb{flow_verb(), run_flow},           Verb{audit_verb(), run_audit},
                         Verb{reproduce_verb(), run_reproduce}, Verb{completion_verb(), run_completion}};
  std::vector<const VerbSpec*> specs;
  CLI::App app;
  for (const Verb& verb : verbs) {
    specs.push_back(&verb.spec);
    add_verb(app, verb.spec);
  }
  app.require_subcommand(0, 1);
  app.allow_extras();
  app.formatter_fn([&](const CLI::App*, const std::string&, CLI::AppFormatMode) { return help_of(specs); });
  try {
    app.parse(reversed(argc, argv));
  } catch (const CLI::CallForHelp&) {
    if (app.get_subcommands().empty() && !app.remaining().empty()) require_verb(app, specs);
    print(app.help());
    return 0;
  } catch (const CLI::ParseError& complaint) {
    const VerbSpec& spec = typed_verb(app, verbs).spec;
    throw worded(complaint, *app.get_subcommand(spec.name), spec);
  }
  require_verb(app, specs);
  const Verb& verb = typed_verb(app, verbs);
  return verb.run(typed_of(*app.get_subcommand(verb.spec.name), verb.spec));
}

}  // namespace

int run_program(int argc, char** argv) {
  prepare_streams();
  try {
    return run(argc, argv);
  } catch (const Error& error) {
    print_error(error.what_words(), error.hint_words());
    return exit_code(error.code());
  } catch (const std::bad_alloc&) {
    print_error("this machine's memory does not suffice", "use a machine with more memory, or ask for less at once");
    return exit_code(ErrorCode::data);
  } catch (const std::exception&) {
    print_error("an internal error", "nothing was released; please report what you typed");
    return exit_code(ErrorCode::internal);
  }
}

}  // namespace fractile::cli
