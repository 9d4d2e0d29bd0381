#include "options.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "exact/wording.hpp"
#include "libraries/fmt.hpp"
#include "report/text/shown_text.hpp"
#include "terminal.hpp"

namespace fractile::cli {
namespace {

// --- Help ------------------------------------------------------------------------------------------------------------

constexpr std::size_t word_indent = 13;  // the least indent of the text about a verb

/// Breaks `text` at spaces into lines as wide as standard output. All lines except the first are indented.
std::string wrapped(const std::string& text, std::size_t indent) {
  const std::size_t width = stdout_width();
  std::string result;
  std::size_t column = indent;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (column > indent && column + 1 + word.size() > width) {
      result += "\n" + std::string(indent, ' ');
      column = indent;
    }
    if (column > indent) result += ' ';
    column += word.size() + (column > indent ? 1 : 0);
    result += word;
    begin = end + 1;
  }
  return result + "\n";
}

/// Formats the text after the options: paragraphs become as wide as standard output, and indented lines stay as they are.
std::string reflowed(const std::string& text) {
  std::string result, paragraph;
  const auto end_paragraph = [&] {
    if (!paragraph.empty()) result += wrapped(paragraph, 0);
    paragraph.clear();
  };
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    if (!line.empty() && line[0] != ' ') {
      paragraph += (paragraph.empty() ? "" : " ") + line;
      continue;
    }
    end_paragraph();
    result += line + "\n";
  }
  end_paragraph();
  return result;
}

struct HelpLine {
  std::string left;
  std::string right;
};

std::string help_lines(const std::vector<HelpLine>& lines, std::size_t indent) {
  std::string text;
  for (const HelpLine& line : lines)
    text += fmt::format("  {:<{}}", line.left, indent - 2) + wrapped(line.right, indent);
  return text;
}

std::string synopsis(const OptionSpec& spec) {
  return *spec.argument == '\0' ? spec.name : std::string(spec.name) + " " + spec.argument;
}

HelpLine help_line(const OptionSpec& spec) {
  const std::string fallback = *spec.fallback == '\0' ? "" : std::string(" [") + spec.fallback + "]";
  return {synopsis(spec), spec.help + fallback};
}

/// The indent of the texts about these words.
std::size_t help_indent(std::span<const VerbSpec* const> words) {
  std::size_t indent = word_indent;
  for (const VerbSpec* const word : words) indent = std::max(indent, last_word(*word).size() + 4);
  return indent;
}

std::size_t help_indent(std::span<const OptionSpec> options) {
  std::size_t widest = 0;
  for (const OptionSpec& spec : options) widest = std::max(widest, synopsis(spec).size());
  return widest + 4;
}

// --- Parsing ---------------------------------------------------------------------------------------------------------

/// The word that was typed after a verb; nullptr when there is none.
const VerbSpec* typed_word(const CLI::App& app, const VerbSpec& verb) {
  const auto word =
      std::ranges::find_if(verb.words, [&](const VerbSpec* w) { return app.got_subcommand(last_word(*w)); });
  return word == verb.words.end() ? nullptr : *word;
}

std::string help_hint(const VerbSpec& verb) { return std::string("see fractile ") + verb.name + " --help"; }

/// Whether an argument looks like an option. A negative number does not.
bool looks_like_option(const std::string& argument) {
  return argument.size() > 1 && argument[0] == '-' && std::isdigit(static_cast<unsigned char>(argument[1])) == 0;
}

std::vector<std::string> option_names(const VerbSpec& verb) {
  std::vector<std::string> names{"--help"};
  for (const OptionSpec& spec : verb.options) names.emplace_back(spec.name);
  return names;
}

/// A word that spells an option becomes that option's field, which is shown in the reader's syntax.
Words option_words(const std::string& word) {
  if (!word.starts_with("--") || word.size() < 3) return word;
  const OptionSpec spelled{word.c_str(), OptionClass::asker, "", "", "", ""};
  Field field(spelled.field());
  if (field.in(Wording::program) != word) return word;
  return field;
}

Words did_you_mean(const std::string& word) { return {"did you mean ", option_words(word), "?"}; }

/// An option as help shows it: its name, and a blank for its value.
Words to_fill_in(const OptionSpec& spec) {
  const Field field(spec.field());
  const std::string argument = spec.argument;
  const std::size_t space = argument.find(' ');
  if (argument.empty()) return field;
  return space == std::string::npos ? field.blank(argument)
                                    : field.blanks(argument.substr(0, space), argument.substr(space + 1));
}

/// What to do about an option that this verb does not have: another verb may have it, or it may be a typing error.
Words unknown_option_hint(const std::string& name, const VerbSpec& verb) {
  const std::vector<std::string> names = option_names(verb);
  if (name == "--out" || name == "--output") {
    if (std::ranges::count(names, "--output") > 0) return did_you_mean("--output");
    if (std::ranges::count(names, "--out") > 0) return did_you_mean("--out");
    return fmt::format("write > FILE at the end, and what is printed goes to that file; {}", help_hint(verb));
  }
  for (const VerbSpec* const other : requests::verbs_with_options()) {
    if (std::ranges::count(option_names(*other), name) > 0)
      return fmt::format("fractile {} has it; {}", other->name, help_hint(verb));
  }
  const std::string nearest = nearest_word(name, names);
  return nearest.empty() ? Words(help_hint(verb)) : did_you_mean(nearest);
}

[[noreturn]] void refuse_option(const std::string& argument, const VerbSpec& verb) {
  const std::string name = argument.substr(0, argument.find('='));
  const std::vector<std::string> names = option_names(verb);
  if (std::ranges::count(names, name) > 0) {
    usage({"the option ", option_words(name), " stands after --, where only FILE may"},
          std::string("write fractile ") + verb.name + " [options] -- FILE");
  }
  const bool may_be_file = verb.file != nullptr && name.find_first_of("./") != std::string::npos;
  const Words unknown{"unknown option ", option_words(name)};
  if (may_be_file) usage(unknown, "if that is a file, write ./" + name);
  usage(unknown, unknown_option_hint(name, verb));
}

/// The option that was meant by "epsilon=1", or by a word that begins with a long dash, which some editors put in place of two dashes; ""
/// if none was meant.
std::string option_without_dashes(const std::string& argument, const VerbSpec& verb) {
  constexpr std::array<std::string_view, 2> dashes{"\xe2\x80\x93", "\xe2\x80\x94"};
  std::string_view name = argument;
  for (const std::string_view dash : dashes) {
    while (name.starts_with(dash)) name.remove_prefix(dash.size());
  }
  const std::string option = "--" + std::string(name.substr(0, name.find('=')));
  return std::ranges::count(option_names(verb), option) > 0 ? option : "";
}

[[noreturn]] void refuse_arguments(const std::vector<std::string>& extras, const Words& what, const Words& hint,
                                   const VerbSpec& verb) {
  for (const std::string& extra : extras) {
    const std::string meant = option_without_dashes(extra, verb);
    if (!meant.empty()) usage("unexpected argument '" + extra + "'", did_you_mean(meant));
  }
  usage(what, hint);
}

constexpr const char* lists_hint = "write lists with commas, 0.1,0.5, and put quotes around spaces, \"ln 3\"";

void refuse_extras(const CLI::App& app, const VerbSpec& verb) {
  std::vector<std::string> extras = app.remaining();
  std::erase(extras, "--");
  const auto option = std::ranges::find_if(extras, looks_like_option);
  if (option != extras.end()) refuse_option(*option, verb);
  if (extras.empty()) return;
  refuse_arguments(extras, "unexpected argument '" + extras.front() + "'",
                   verb.file == nullptr ? help_hint(verb) : std::string("name one FILE; ") + lists_hint, verb);
}

/// Throws `usage` if a word after the first FILE is no file. It may be a part of a list, or an option without its dashes.
void require_files(const std::vector<std::string>& files, const VerbSpec& verb) {
  for (const std::string& file : files) {
    std::error_code unknown;
    if (file == "-" || file.find_first_of("*?[") != std::string::npos || std::filesystem::exists(file, unknown))
      continue;
    if (looks_like_option(file)) refuse_option(file, verb);
    refuse_arguments(files, "unexpected argument '" + file + "', which is not a file",
                     std::string("check its path, if it is a further FILE; ") + lists_hint, verb);
  }
}

/// Throws `usage` unless the value is UTF-8 text. Names of files may have any bytes.
void require_utf8(const OptionSpec& spec, const std::string& value) {
  const std::string_view argument = spec.argument;
  if (argument == "PATH" || argument == "DIR" || is_utf8(value)) return;
  usage({Field(spec.field()), ": the value is not UTF-8 text"}, "convert it, e.g. with iconv -t UTF-8");
}

/// `complaint` is the parser's message about this option.
Error wrong_values(const OptionSpec& spec, std::string_view complaint) {
  const Field field(spec.field());
  const Words hint{"write ", to_fill_in(spec)};
  if (spec.values() == 0) return {ErrorCode::usage, {field, " takes no value"}, hint};
  if (complaint.find("At Most") != std::string_view::npos) {
    return {ErrorCode::usage, {field, " is given more than once"}, {hint, ", once"}};
  }
  if (spec.values() == 1) return {ErrorCode::usage, {field, " needs a value"}, hint};
  return {ErrorCode::usage,
          {field, " needs two values, a space between them"},
          {hint, ", for example ", field.pair("0", "125")}};
}

/// Adds a verb's words, or its files and options.
void add_words(CLI::App& app, const VerbSpec& verb) {
  for (const VerbSpec* const word : verb.words) add_verb(app, *word);
  if (verb.file != nullptr) {
    CLI::Option& file = *app.add_option("FILE");
    if (verb.is_for_several)
      file.expected(1, 100'000)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)->allow_extra_args();
  }
  if (verb.other != nullptr) app.add_option("OTHER");
  for (const OptionSpec& spec : verb.options) {
    if (spec.values() == 0) {
      app.add_flag(spec.name)->disable_flag_override();
    } else {
      CLI::Option& option = *app.add_option(spec.name);
      option.expected(static_cast<int>(spec.values()))->type_name(spec.argument);
      if (spec.repeats) option.multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    }
  }
}

}  // namespace

std::string last_word(const VerbSpec& verb) {
  const std::string name = verb.name;
  return name.substr(name.rfind(' ') + 1);
}

void add_verb(CLI::App& app, const VerbSpec& verb) {
  CLI::App& added = *app.add_subcommand(last_word(verb), verb.summary);
  if (verb.older != nullptr) added.alias(verb.older);
  added.allow_extras();
  added.require_subcommand(0, 1);
  added.formatter_fn([&verb](const CLI::App*, const std::string&, CLI::AppFormatMode) { return help_of(verb); });
  added.preparse_callback([&added, &verb](std::size_t) { add_words(added, verb); });
}

Typed typed_of(const CLI::App& app, const VerbSpec& verb) {
  if (!verb.words.empty()) {
    require_verb(app, verb.words, verb.name);
    const VerbSpec& word = *typed_word(app, verb);
    Typed typed = typed_of(*app.get_subcommand(last_word(word)), word);
    typed.word = last_word(word);
    return typed;
  }
  refuse_extras(app, verb);
  Typed typed;
  if (verb.file != nullptr && app.get_option("FILE")->count() > 0) typed.set_files(app.get_option("FILE")->results());
  if (verb.is_one_table) require_files(typed.more_files, verb);
  if (verb.other != nullptr && app.get_option("OTHER")->count() > 0)
    typed.other = app.get_option("OTHER")->results().front();
  for (const OptionSpec& spec : verb.options) {
    const CLI::Option& option = *app.get_option(spec.name);
    if (option.count() == 0) continue;
    const std::vector<std::string>& values = typed.values[spec.field()] = option.results();
    if (std::ranges::count(values, "") != 0) {
      usage({Field(spec.field()), " is empty"}, {"write ", to_fill_in(spec)});
    }
    for (const std::string& value : values) require_utf8(spec, value);
  }
  return typed;
}

Error worded(const CLI::ParseError& complaint, const CLI::App& app, const VerbSpec& verb) {
  if (const VerbSpec* const word = typed_word(app, verb)) {
    return worded(complaint, *app.get_subcommand(last_word(*word)), *word);
  }
  const std::string_view text = complaint.what();
  const std::string_view name = text.substr(0, text.find_first_of(": "));
  const auto spec = std::ranges::find_if(verb.options, [&](const OptionSpec& option) {
    return name == option.name || name == option.name + 2;  // the parser names flags without dashes
  });
  if (spec != verb.options.end()) return wrong_values(*spec, text);
  return {ErrorCode::usage, complaint.what(), help_hint(verb)};
}

void require_verb(const CLI::App& app, std::span<const VerbSpec* const> verbs, const std::string& after) {
  const std::vector<std::string> before = app.remaining();
  if (before.empty() && !app.get_subcommands().empty()) return;
  const std::string first_usage = std::string("write for example ") + verbs.front()->usage;
  const std::string prefix = after.empty() ? "" : after + " ";
  std::vector<std::string> names;
  for (const VerbSpec* const verb : verbs) names.push_back(last_word(*verb));
  if (before.empty() && after.empty()) usage("no verb is named", first_usage);
  if (before.empty())
    usage(fmt::format("fractile {} needs a further word: {}", after, fmt::join(names, ", ")), first_usage);
  if (looks_like_option(before.front())) {
    const bool version = before.front() == "-v" || before.front() == "-V";
    usage({"the option ", option_words(before.front()), " stands where a verb should"},
          version ? did_you_mean("fractile --version") : first_usage);
  }
  if (after.empty() && before.front() == "version") usage("unknown verb 'version'", did_you_mean("fractile --version"));
  const std::string nearest = nearest_word(before.front(), names);
  usage("unknown verb '" + prefix + before.front() + "'",
        nearest.empty() ? first_usage : "did you mean fractile " + prefix + nearest + "?");
}

namespace {

/// The name that the usage gives to its first file.
std::string file_label(const VerbSpec& verb) {
  const std::string usage = verb.usage;
  const std::string before = std::string("fractile ") + verb.name + " ";
  const std::string rest = usage.starts_with(before) ? usage.substr(before.size()) : "";
  const std::string label = rest.substr(0, rest.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ"));
  return label.empty() ? "FILE" : label;
}

}  // namespace

std::string help_of(const VerbSpec& verb) {
  const std::size_t indent = help_indent(verb.options);
  std::string text = wrapped(fmt::format("fractile {}: {}", verb.name, verb.summary), 0);
  text += fmt::format("\n  {}\n\n", verb.usage);
  if (verb.file != nullptr) text += help_lines({{file_label(verb), verb.file}}, indent);
  if (verb.other != nullptr) text += help_lines({{"OTHER", verb.other}}, indent);
  if (verb.file != nullptr) text += "\n";
  for (const VerbSpec* const word : verb.words)
    text += help_lines({{last_word(*word), word->summary}}, help_indent(verb.words));
  std::string group;
  for (const OptionSpec& spec : verb.options) {
    if (group != spec.group) text += (group.empty() ? "" : "\n") + std::string(spec.group) + "\n";
    group = spec.group;
    text += help_lines({help_line(spec)}, indent);
  }
  return text + "\n" + reflowed(verb.epilogue);
}

std::string help_of(std::span<const VerbSpec* const> verbs) {
  std::vector<HelpLine> lines;
  for (const VerbSpec* const verb : verbs) lines.push_back({verb->name, verb->summary});
  lines.push_back({"--help", "this text; after a verb, what the verb can do, as fractile help VERB"});
  lines.push_back({"--version", "the version of this program"});
  return "Fractile publishes quantiles of sensitive data with exact differential privacy.\n\n"
         "  fractile VERB [FILE] [options]\n\n" +
         help_lines(lines, word_indent) + fmt::format("\nFor example {}\n", verbs.front()->usage);
}

namespace {

/// Quotes a word for a POSIX shell.
std::string quoted(const std::string& word) {
  constexpr const char* plain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./:=,@%+-";  // no shell gives these a meaning
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

constexpr std::array only_writes{"--figure", "--figures"};

}  // namespace

std::string command_of(const VerbSpec& verb, const Typed& typed) {
  for (const VerbSpec* const word : verb.words) {
    if (last_word(*word) != typed.word) continue;
    Typed rest = typed;
    rest.word.clear();
    return command_of(*word, rest);
  }
  std::string command = std::string("fractile ") + verb.name;
  std::vector<std::string> files = typed.files();
  files.push_back(typed.other);
  for (const std::string& file : files) {
    if (!file.empty()) command += " " + quoted(file);
  }
  for (const OptionSpec& option : verb.options) {
    if (!typed.has(option.field()) ||
        std::ranges::find(only_writes, std::string_view(option.name)) != only_writes.end())
      continue;
    command += std::string(" ") + option.name;
    if (option.values() == 0) continue;
    for (const std::string& value : typed.values.at(option.field())) command += " " + quoted(value);
  }
  return command;
}

}  // namespace fractile::cli
