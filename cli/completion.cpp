// fractile completion SHELL: prints a script with which a shell completes verbs, options, their words and names of files.
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "libraries/fmt.hpp"
#include "options.hpp"
#include "terminal.hpp"
#include "verbs.hpp"

namespace fractile::cli {
namespace {

using requests::OptionSpec;
using requests::VerbSpec;

/// An option whose value is one of a few words, and those of the words that the option's help names.
struct Choices {
  std::string_view field;
  std::string_view words;
};

constexpr auto choices = std::to_array<Choices>({
    {"mechanism",
     "auto exponential approximate joint joint-total joint-tree independent tree gumbel-max permute-and-flip"},
    {"neighbors", "add-remove change-one"},
    {"quantiles", "median quartiles quintiles deciles percentiles"},
    {"bounds", "auto"},
    {"base", "uniform adaptive"},
    {"rates", "tight as-published"},
    {"null", "drop error"},
    {"per_person", "sum count mean min max median any all"},
    {"unreadable", "missing error"},
    {"input_format", "csv tsv parquet json"},
    {"shape", "uniform normal log-normal"},
    {"solve_for", "epsilon rho"},
});

std::vector<std::string> words_in(std::string_view text, std::string_view between) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(between), text.size());
    if (end > 0) words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

/// The words in a help text such as "table, json or csv (one line per entry)", without the remarks about them.
std::vector<std::string> formats_of(std::string_view help) {
  std::string plain;
  bool is_aside = false;
  for (const char c : help) {
    if (c == '(' || c == ')') is_aside = c == '(';
    if (!is_aside && c != ')') plain += c;
  }
  std::vector<std::string> words = words_in(plain, ", ");
  std::erase(words, "or");
  return words;
}

std::string words_after(const OptionSpec& option) {
  const std::string field = option.field();
  if (field == "format") return fmt::format("{}", fmt::join(formats_of(option.help), " "));
  const auto at = std::ranges::find(choices, field, &Choices::field);
  if (at == choices.end()) return {};
  const std::vector<std::string> named = words_in(std::string(option.help) + " " + option.fallback, " ,;:()[]");
  std::vector<std::string> words = words_in(at->words, " ");
  std::erase_if(words, [&](const std::string& word) { return std::ranges::find(named, word) == named.end(); });
  return fmt::format("{}", fmt::join(words, " "));
}

bool is_path(const OptionSpec& option) {
  const std::string_view argument = option.argument;
  return argument == "PATH" || argument == "DIR" || argument == "FILE" || argument == "NAME=FILE";
}

template <class Range>
std::string names_of(const Range& verbs) {
  std::string names;
  for (const VerbSpec* verb : verbs) names += fmt::format("{}{}", names.empty() ? "" : " ", last_word(*verb));
  return names;
}

std::string replaced(std::string_view text, const std::vector<std::pair<char, std::string_view>>& by) {
  std::string result;
  for (const char c : text) {
    const auto at = std::ranges::find(by, c, &std::pair<char, std::string_view>::first);
    result += at == by.end() ? std::string(1, c) : std::string(at->second);
  }
  return result;
}

// --- bash ------------------------------------------------------------------------------------------------------------

std::string for_bash() {
  std::string with_words;
  std::string of_words;
  std::string of_options;
  std::string of_values;
  for (const VerbSpec* const verb : requests::all_verbs()) {
    if (verb->words.empty()) continue;
    with_words += (with_words.empty() ? "" : " | ") + std::string(verb->name);
    of_words += fmt::format("      {}) words='{}' ;;\n", verb->name, names_of(verb->words));
  }
  for (const VerbSpec* const verb : requests::verbs_with_options()) {
    std::string options = "--help";
    for (const OptionSpec& option : verb->options) {
      options += std::string(" ") + option.name;
      const std::string values = words_after(option);
      const std::string words = values.empty() ? (is_path(option) || option.values() == 0 ? "" : "none") : values;
      if (!words.empty()) of_values += fmt::format("    '{} {}') values='{}' ;;\n", verb->name, option.name, words);
    }
    of_options += fmt::format("    '{}') options='{}' ;;\n", verb->name, options);
  }
  return fmt::format(R"(# bash completion for fractile. Put it where your shell reads completions, for example:
#   fractile completion bash > ~/.local/share/bash-completion/completions/fractile
_fractile() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} verb=${{COMP_WORDS[1]}}
  local words='' options='' values=''
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W '{} --help --version' -- "$current")
    return
  fi
  case $verb in
  {})
    if ((COMP_CWORD == 2)); then
      case $verb in
{}      esac
      mapfile -t COMPREPLY < <(compgen -W "$words --help" -- "$current")
      return
    fi
    verb="$verb ${{COMP_WORDS[2]}}"
    ;;
  esac
  case "$verb $before" in
{}  esac
  case $values in
  '') ;;
  none) return ;;
  *)
    mapfile -t COMPREPLY < <(compgen -W "$values" -- "$current")
    return
    ;;
  esac
  case $verb in
{}  esac
  if [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  fi
}}
complete -o filenames -F _fractile fractile
)",
                     names_of(requests::all_verbs()), with_words, of_words, of_values, of_options);
}

// --- zsh -------------------------------------------------------------------------------------------------------------

std::string in_zsh(std::string_view text) {
  return replaced(text, {{'\'', "'\\''"}, {'[', "\\["}, {']', "\\]"}, {':', "\\:"}});
}

std::string zsh_values(const OptionSpec& option) {
  const std::string words = words_after(option);
  if (!words.empty()) return "(" + words + ")";
  return is_path(option) ? "_files" : " ";
}

std::string zsh_options(const VerbSpec& verb) {
  std::string text = "'--help[what it can do]'";
  for (const OptionSpec& option : verb.options) {
    text += fmt::format(" \\\n        '{}{}[{}]", option.repeats ? "*" : "", option.name, in_zsh(option.help));
    for (std::size_t k = 0; k < option.values(); ++k) text += ":" + in_zsh(option.argument) + ":" + zsh_values(option);
    text += "'";
  }
  return text + (verb.file == nullptr ? "" : " \\\n        '*:file:_files'");
}

template <class Range>
std::string zsh_list(const Range& verbs) {
  std::string text;
  for (const VerbSpec* const verb : verbs)
    text += fmt::format(" '{}:{}'", last_word(*verb), replaced(verb->summary, {{'\'', "'\\''"}, {':', "\\:"}}));
  return text;
}

std::string for_zsh() {
  std::string cases;
  for (const VerbSpec* const verb : requests::all_verbs()) {
    cases += fmt::format("    {})\n", verb->name);
    if (verb->words.empty()) {
      cases += fmt::format("      _arguments {}\n", zsh_options(*verb));
    } else {
      cases += fmt::format(
          "      if ((CURRENT == 3)); then\n        names=({})\n        _describe word names\n        return\n      "
          "fi\n",
          zsh_list(verb->words));
      cases += "      case $words[3] in\n";
      for (const VerbSpec* const word : verb->words)
        cases += fmt::format("      {})\n        _arguments {}\n        ;;\n", last_word(*word), zsh_options(*word));
      cases += "      esac\n";
    }
    cases += "      ;;\n";
  }
  return fmt::format(R"(#compdef fractile
# zsh completion for fractile. Put it into a folder of $fpath, for example:
#   fractile completion zsh > ~/.zfunc/_fractile
_fractile() {{
  local -a names
  if ((CURRENT == 2)); then
    names=({})
    _describe verb names
    return
  fi
  case $words[2] in
{}  esac
}}
_fractile "$@"
)",
                     zsh_list(requests::all_verbs()), cases);
}

// --- fish ------------------------------------------------------------------------------------------------------------

std::string in_fish(std::string_view text) { return "'" + replaced(text, {{'\'', "\\'"}, {'\\', "\\\\"}}) + "'"; }

std::string fish_options(const VerbSpec& verb, const std::string& when) {
  std::string text;
  for (const OptionSpec& option : verb.options) {
    text += fmt::format("complete -c fractile -n {} -l {} -d {}", in_fish(when), option.name + 2, in_fish(option.help));
    const std::string words = words_after(option);
    if (!words.empty()) {
      text += fmt::format(" -x -a {}", in_fish(words));
    } else if (option.values() > 0) {
      text += is_path(option) ? " -r -F" : " -x";
    }
    text += "\n";
  }
  return text;
}

std::string for_fish() {
  std::string text =
      "# fish completion for fractile. Put it where fish reads completions:\n"
      "#   fractile completion fish > ~/.config/fish/completions/fractile.fish\n"
      "complete -c fractile -n __fish_use_subcommand -f\n"
      "complete -c fractile -l help -d 'what it can do'\n";
  for (const VerbSpec* const verb : requests::all_verbs()) {
    text +=
        fmt::format("complete -c fractile -n __fish_use_subcommand -a {} -d {}\n", verb->name, in_fish(verb->summary));
    const std::string seen = std::string("__fish_seen_subcommand_from ") + verb->name;
    text += fish_options(*verb, seen);
    for (const VerbSpec* const word : verb->words) {
      text += fmt::format("complete -c fractile -n {} -f -a {} -d {}\n",
                          in_fish(seen + "; and not __fish_seen_subcommand_from " + names_of(verb->words)),
                          last_word(*word), in_fish(word->summary));
      text += fish_options(*word, seen + "; and __fish_seen_subcommand_from " + last_word(*word));
    }
  }
  return text;
}

}  // namespace

int run_completion(const requests::Typed& typed) {
  print(typed.word == "bash" ? for_bash() : typed.word == "zsh" ? for_zsh() : for_fish());
  return 0;
}

}  // namespace fractile::cli
