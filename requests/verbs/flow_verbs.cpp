// The options of flow and its words.
#include <array>

#include "requests/verbs/options.hpp"

namespace fractile::requests {
namespace {

constexpr const char* toml_file = "TOML file that describes a pipeline; fractile flow --help shows one";
constexpr OptionSpec flow_format("--format", output, "FORMAT", "table", "Output", "table, json or csv");

constexpr OptionSpec flow_duckdb("--duckdb", owner, "PATH", "FRACTILE_DUCKDB, or where the system looks", "Input",
                                 "the DuckDB library, libduckdb.so, for known = { histogram = \"codes.parquet\" }");

constexpr OptionSpec figure_option(
    "--figure", output, "FILE.svg", "", "Output",
    "also draw the analyst's loss against epsilon: shaded where it rises, a line where it is without a release");

constexpr std::array flow_check_table{
    OptionSpec{"--from", asker, "E", "", "What",
               "with --to: is this epsilon worth at least as much to every analyst as that one? \"ln 3\""},
    OptionSpec{"--to", asker, "E", "", "What",
               R"(the epsilon to compare with. Both are logarithms, since verdicts are exact: "ln 2", "ln 3.5")"},
    OptionSpec{
        "--epsilon", asker, "LO..HI", "", "What",
        "or a range: is the pipeline stable, so that a smaller epsilon never helps an analyst? \"ln 2..ln 3\", 0.5..2"},
    OptionSpec{"--any-prior", asker, "", "", "What",
               "for every analyst with the loss of the file's analyst, whatever their prior"},
    OptionSpec{"--within", asker, "SECONDS", "until it ends", "What",
               "stop after this many seconds, 1 to 1000000, and print what is decided and what is not"},
    flow_duckdb,
    OptionSpec{"--format", output, "FORMAT", "table", "Output",
               "table, json, csv or html (a page to look at, one file)"},
    figure_option,
    about_option,
    figures_option,
};

constexpr VerbSpec flow_check_spec{
    "flow check",
    "is one epsilon worth more than another to every analyst?",
    "fractile flow check FILE --epsilon LO..HI [options]",
    toml_file,
    flow_check_table,
    "With --epsilon and an [analyst] in FILE, it also says where a larger epsilon costs that analyst more.\n"
    "\n"
    "Examples\n"
    "  fractile flow check survey.toml --from \"ln 3\" --to \"ln 2\"\n"
    "  fractile flow check survey.toml --epsilon 0.1..10\n"
    "\n"
    "Exit codes: 0 it refines, or is stable; 1 it does not, or is unstable; 2 wrong usage; 3 unusable\n"
    "file; 6 undecided; 70 internal.\n",
};

constexpr OptionSpec late_option("--within", asker, "SECONDS", "until it ends", "What",
                                 "stop after this many seconds, 1 to 1000000, with exit code 6 and no answer");

constexpr std::array flow_loss_table{
    OptionSpec{"--epsilon", asker, "E", "", "What",
               "at this epsilon (required): 0.5, \"ln 3.5\"; exact for logarithms"},
    OptionSpec{"--exact", asker, "", "", "What",
               "print the fraction, however long; without it, a fraction of more than 200 characters is left out"},
    late_option,
    flow_duckdb,
    flow_format,
};

constexpr const char* late_epilogue =
    "Exit codes: 0 done; 2 wrong usage; 3 unusable file; 6 not done within the time; 70 internal.\n";

constexpr VerbSpec flow_loss_spec{
    "flow loss",
    "the expected loss of the file's analyst",
    "fractile flow loss FILE --epsilon E [--exact] [--format FORMAT]",
    toml_file,
    flow_loss_table,
    late_epilogue,
    {},
    "utility",
};

constexpr OptionSpec guess_option("--guess", asker, "WHAT", "value", "What",
                                  "what an attacker guesses about the target: value, presence, above:2, or among:0,1;2 "
                                  "(which of these sets of values)");

constexpr std::array flow_leakage_table{
    OptionSpec{"--epsilon", asker, "E", "", "What",
               "at this epsilon (required): 0.5, \"ln 3.5\"; exact for logarithms"},
    guess_option,
    late_option,
    flow_duckdb,
    flow_format,
};

constexpr VerbSpec flow_leakage_spec{
    "flow leakage",
    "how often the best guess about a person is right, with the release and without it",
    "fractile flow leakage FILE --epsilon E [--guess WHAT] [--format FORMAT]",
    toml_file,
    flow_leakage_table,
    "It says this for the file's prior and for any prior (the multiplicative Bayes capacity), beside what\n"
    "epsilon alone allows. secret = \"target\" means an attacker who knows all others, secret = \"everyone\"\n"
    "one who knows only the prior, and guesses about the last participant.\n"
    "\n"
    "Exit codes: 0 done; 2 wrong usage; 3 unusable file; 6 not done within the time; 70 internal.\n",
};

constexpr std::array flow_sweep_table{
    OptionSpec{"--epsilon", asker, "LO..HI", "", "What",
               "over this range (required): 0.1..10; between logarithms, exp(epsilon) has equal steps"},
    OptionSpec{"--guess", asker, "WHAT", "", "What",
               "in place of the loss: how often the best guess about a target is right, as in fractile flow leakage"},
    OptionSpec{"--points", asker, "N", "200", "What", "how many points, 2 to 100000"},
    OptionSpec{"--within", asker, "SECONDS", "until it ends", "What",
               "stop after this many seconds, 1 to 1000000, with exit code 6, and print what is known of where the "
               "loss rises"},
    flow_duckdb,
    page_format,
    figure_option,
    about_option,
    figures_option,
};

constexpr VerbSpec flow_sweep_spec{
    "flow sweep",
    "the expected loss of the file's analyst against epsilon, and where it rises",
    "fractile flow sweep FILE --epsilon LO..HI [--points N] [--format FORMAT]",
    toml_file,
    flow_sweep_table,
    late_epilogue,
};

constexpr std::array flow_choose_table{
    OptionSpec{
        "--loss", asker, "LOSS", "", "What",
        "the largest expected loss that is acceptable (required): one for all files, or one for each, with commas"},
    OptionSpec{"--epsilon", asker, "LO..HI", "0.1..10", "What", "among these epsilons"},
    OptionSpec{"--guess", asker, "WHAT", "", "What",
               "also how often an attacker's best guess about the target is right at both ends of every range: value, "
               "presence, above:2, or among:0,1;2,3 (which of these sets of values)"},
    OptionSpec{"--within", asker, "SECONDS", "until it ends", "What",
               "stop after this many seconds, 1 to 1000000, and print what is known and what is not"},
    flow_duckdb,
    OptionSpec{"--format", output, "FORMAT", "table", "Output",
               "table, json, csv or html (a page to look at, one file)"},
    about_option,
    figures_option,
    OptionSpec{"--figure", output, "FILE.svg", "", "Output",
               "also draw the first analyst's loss against epsilon, with a line at the acceptable loss"},
};

constexpr VerbSpec flow_choose_spec{
    "flow choose",
    "the least epsilon at which the files' analysts lose at most a given amount, and all ranges of such epsilons",
    "fractile flow choose FILE... --loss LOSS [--epsilon LO..HI] [options]",
    toml_file,
    flow_choose_table,
    "Since a larger epsilon may cost an analyst more, the ranges that serve may have gaps between them, however "
    "narrow.\n"
    "\n"
    "Examples\n"
    "  fractile flow choose survey.toml --loss 1654.305\n"
    "  fractile flow choose health.toml income.toml --loss 0.25,1000 --epsilon 0.01..5\n"
    "\n"
    "Exit codes: 0 some epsilon serves; 1 none does; 2 wrong usage; 3 unusable file; 6 undecided;\n"
    "70 internal.\n",
    {},
    nullptr,
    nullptr,
    true,
};

constexpr std::array flow_channel_table{
    OptionSpec{"--epsilon", asker, "E", "", "What",
               "at this epsilon (required): \"ln 3\", or 0.5, at which probabilities are rounded"},
    late_option,
    flow_duckdb,
    data_format,
};

constexpr VerbSpec flow_channel_spec{
    "flow channel",
    "the probability of every observation under every secret",
    "fractile flow channel FILE --epsilon E [--format FORMAT]",
    toml_file,
    flow_channel_table,
    late_epilogue,
};

constexpr std::array flow_compare_table{
    OptionSpec{"--from", asker, "E", "", "What", "FILE at this epsilon, a logarithm: \"ln 3\"; channels have none"},
    OptionSpec{"--to", asker, "E", "", "What", "OTHER at this one: \"ln 2\""},
    OptionSpec{"--within", asker, "SECONDS", "until it ends", "What",
               "stop after this many seconds, 1 to 1000000, as undecided"},
    flow_duckdb,
    flow_format,
};

constexpr VerbSpec flow_compare_spec{
    "flow compare",
    "is one pipeline, or channel, worth as much as another to every analyst?",
    "fractile flow compare FILE OTHER [--from E] [--to E] [options]",
    "TOML file of a pipeline, or CSV file of a channel as flow channel prints it where all entries are fractions",
    flow_compare_table,
    "Both must have the same secrets. --format json prints a certificate, which flow verify checks.\n"
    "\n"
    "Examples\n"
    "  fractile flow compare geometric.toml response.toml --from \"ln 3\" --to \"ln 3\"\n"
    "  fractile flow compare first.csv second.csv\n"
    "\n"
    "Exit codes: 0 it refines; 1 it does not; 2 wrong usage; 3 unusable file; 6 undecided; 70 internal.\n",
    {},
    nullptr,
    "what it is compared with, a file of the same kind",
};

constexpr std::array flow_verify_table{
    OptionSpec{"--of", asker, "FILE", "", "What",
               "the pipeline that it is about: its channels are multiplied out again and compared with the "
               "certificate's"},
    OptionSpec{"--other", asker, "OTHER", "", "What", "for a comparison: its second file"},
    flow_duckdb,
    flow_format,
};

constexpr VerbSpec flow_verify_spec{
    "flow verify",
    "check a certificate that flow check or compare printed",
    "fractile flow verify CERTIFICATE [--of FILE] [--format FORMAT]",
    "what fractile flow check or compare printed with --format json",
    flow_verify_table,
    "It multiplies, adds and compares fractions, and shares no code with what finds certificates.\n"
    "It lists what in the document was not checked, which is more without --of.\n"
    "\n"
    "Exit codes: 0 it holds; 1 it fails; 2 wrong usage; 3 unusable file; 6 there is nothing to check;\n"
    "70 internal.\n",
};

constexpr std::array flow_cost_table{
    OptionSpec{"--epsilon", asker, "E", "", "What", "at this epsilon (required), a logarithm: \"ln 3\""},
    late_option,
    flow_duckdb,
    flow_format,
};

constexpr VerbSpec flow_cost_spec{
    "flow cost",
    "the least epsilon that an answer, and the release, costs a participant",
    "fractile flow cost FILE --epsilon E [--format FORMAT]",
    toml_file,
    flow_cost_table,
    late_epilogue,
};

constexpr std::array flow_words{&flow_check_spec,   &flow_choose_spec, &flow_compare_spec,
                                &flow_cost_spec,    &flow_verify_spec, &flow_loss_spec,
                                &flow_leakage_spec, &flow_sweep_spec,  &flow_channel_spec};

constexpr VerbSpec flow_spec{
    "flow",
    "what a release is worth to an analyst, and whether a smaller epsilon can be worth more",
    "fractile flow check FILE --epsilon LO..HI",
    nullptr,
    {},
    "Such a file\n"
    "  [pipeline]\n"
    "  participants = 4\n"
    "  values = [0, 1, 2]         # what each participant may have; fractions in quotes, \"1/2\"\n"
    "  perturber = \"geometric\"    # how each perturbs their value; it needs equally spaced values. Or\n"
    "  #   \"randomized-response\", \"hadamard\", \"symmetric-unary\", \"optimized-unary\" or { subset = 2 };\n"
    "  #   { geometric = 2 }, noise that is truncated 2 places beyond the values;\n"
    "  #   { matrix = [[\"3/4\", \"1/4\"], ...] }, whose entries may depend on epsilon, \"odds/(odds + 2)\"\n"
    "  #   with odds = exp(epsilon), \"odds^(1/2)\"; answers = [0, 1, 9] where these are not the values;\n"
    "  #   a list of these, one for each participant, the target last; or several participants together,\n"
    "  #   each with an epsilon of their own: [{ of = 3, perturber = \"geometric\", epsilon = \"ln 3\" },\n"
    "  #   { of = 1, perturber = \"geometric\", epsilon = \"1/2 epsilon\" }];\n"
    "  #   or, without participants and values, a curator's release: { release = \"exponential\",\n"
    "  #   quantile = \"1/2\", records = 3, lattice = [0, 1, 2, 3] }; also gumbel-max, or approximate\n"
    "  #   with quantiles = [...]; neighbors = \"add-remove\" or \"change-one\"\n"
    "  post = { query = \"count\", of = [0, 2] }    # how their answers are combined. Or\n"
    "  #   \"sum\", \"mode\", \"identity\", { round = 2 }; { table = [...] }, one output per tuple of values;\n"
    "  #   \"shuffle\", how many gave each answer; \"bits\", how many have a 1 in each place of it\n"
    "  secret = \"target\"          # or \"everyone\", which is usual, or \"histogram\"\n"
    "  known = [0, 1, 1]          # with a target, the others' values; or how many people have each, the\n"
    "  #   target among them or not: { histogram = [1, 2, 0] }, or { histogram = \"codes.csv\" } with the\n"
    "  #   columns code,count\n"
    "\n"
    "  [analyst]                  # for loss and sweep, and for more of check --epsilon\n"
    "  prior = \"uniform\"          # or \"frequencies\" (of the known others), \"uniform-uncounted\" (a target\n"
    "  #   with none of the counted values), \"uniform-full\" (histograms in which every value occurs),\n"
    "  #   { participants = [\"1/2\", \"1/4\", \"1/4\"] } (everyone has these values independently), or just\n"
    "  #   this list, in the order of flow channel\n"
    "  loss = \"linear-error\"      # or \"squared-error\", \"bayes-risk\", \"argmax-accuracy\", or a matrix with\n"
    "  #   one row per secret\n"
    "  # about = \"mode\"           # what is guessed: a mode, sum or count of the true values, as in post\n"
    "  scale = 1000               # all losses times this\n"
    "\n"
    "Ready-made ones are in examples/flow/.\n",
    flow_words,
};

}  // namespace

const VerbSpec& flow_verb() { return flow_spec; }

}  // namespace fractile::requests
