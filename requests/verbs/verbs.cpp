// All verbs, and the options of completion.
#include <array>

#include "requests/typed.hpp"

namespace fractile::requests {
namespace {

constexpr VerbSpec completion_bash_spec{"completion bash", "for bash", "fractile completion bash", nullptr, {}, ""};
constexpr VerbSpec completion_zsh_spec{"completion zsh", "for zsh", "fractile completion zsh", nullptr, {}, ""};
constexpr VerbSpec completion_fish_spec{"completion fish", "for fish", "fractile completion fish", nullptr, {}, ""};
constexpr std::array completion_words{&completion_bash_spec, &completion_zsh_spec, &completion_fish_spec};

constexpr VerbSpec completion_spec{
    "completion",
    "a script with which a shell completes verbs, options and their words",
    "fractile completion bash",
    nullptr,
    {},
    "Put it where the shell looks\n"
    "  fractile completion bash > ~/.local/share/bash-completion/completions/fractile\n"
    "  fractile completion zsh > ~/.zfunc/_fractile       # with fpath+=(~/.zfunc) before compinit\n"
    "  fractile completion fish > ~/.config/fish/completions/fractile.fish\n",
    completion_words,
};

}  // namespace

const VerbSpec& completion_verb() { return completion_spec; }

std::span<const VerbSpec* const> all_verbs() {
  static const std::array verbs{&release_verb(), &count_verb(),   &merge_verb(),     &columns_verb(),
                                &plan_verb(),    &publish_verb(), &explain_verb(),   &ledger_verb(),
                                &audit_verb(),   &flow_verb(),    &reproduce_verb(), &completion_verb()};
  return verbs;
}

std::vector<const VerbSpec*> verbs_with_options() {
  std::vector<const VerbSpec*> verbs;
  for (const VerbSpec* const verb : all_verbs()) {
    if (verb->words.empty()) verbs.push_back(verb);
    verbs.insert(verbs.end(), verb->words.begin(), verb->words.end());
  }
  return verbs;
}

}  // namespace fractile::requests
