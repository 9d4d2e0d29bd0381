// fractile ledger: shows and changes budgets and what was spent, and checks whether the file is whole.
#include "fractile/ledger.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "exact/shell_word.hpp"
#include "explain.hpp"
#include "fractile/publication.hpp"
#include "fractile/receipts.hpp"
#include "fractile/reports.hpp"
#include "libraries/fmt.hpp"
#include "page_output.hpp"
#include "publication/datasets.hpp"
#include "report/ledger/dataset_words.hpp"
#include "report/release/page_receipt.hpp"
#include "report/text/durable.hpp"
#include "report/text/shown_text.hpp"
#include "requests/datasets.hpp"
#include "requests/sources.hpp"
#include "requests/values.hpp"
#include "shown.hpp"
#include "terminal.hpp"
#include "verbs.hpp"

namespace fractile::cli {
namespace {

constexpr const char* nothing_happened = "nothing was changed";

const std::string& path_of(const Typed& typed) {
  if (typed.file.empty()) usage("no FILE is named", "name the ledger, for example budget.db");
  return typed.file;
}

int run_init(const Typed& typed) {
  const LedgerDataset dataset = dataset_to_add(typed);
  const std::string& path = path_of(typed);
  Ledger::init(path, dataset);
  const std::string pinned = pins_in_words(dataset).in(wording());
  const std::string permitted = permissions_in_words(dataset).in(wording());
  print(fmt::format("dataset {} may spend {} for each {} ({} neighbors)\n{}{}", shown_text(dataset.name),
                    dataset.budget.to_string(), shown_text(dataset.unit), to_string(dataset.neighbors),
                    pinned.empty() ? "" : fmt::format("every release must have {}\n", shown_text(pinned)),
                    permitted.empty() ? "" : fmt::format("permitted: {}\n", shown_text(permitted))) +
            (dataset.witness.empty() ? "" : fmt::format("its witness is '{}'\n", shown_text(dataset.witness))),
        "the dataset was added");
  const bool is_file = dataset.source.starts_with('/');
  if (const auto warning = is_file ? open_end_of(dataset.source) : std::nullopt) {
    print_error({"warning: ", warning->what}, warning->hint);
  }
  return 0;
}

/// What is shown: all datasets, or the one that --dataset names. For a damaged ledger, `statement` has what can still be read, and `damage`
/// is the error.
struct ShownLedger {
  LedgerStatement statement;
  std::optional<Error> damage;
};

ShownLedger shown_of(const Typed& typed) {
  const Ledger ledger = Ledger::open_to_read(path_of(typed));
  ShownLedger shown;
  try {
    shown.statement = ledger.statement();
  } catch (const Error& error) {
    shown.statement = ledger.salvaged();
    if (shown.statement.damage.empty()) throw;
    shown.damage = error;
    return shown;
  }
  if (typed.has("dataset")) {
    keep_dataset(shown.statement, publication_detail::dataset_of(ledger, {typed.file, typed.one("dataset")}).name);
  }
  return shown;
}

int run_show(const Typed& typed) {
  const Format format = format_of(typed, usual_format(), Pages::yes);
  const PageOutput page = PageOutput::of(typed, format);
  const auto [statement, damage] = shown_of(typed);
  if (format == Format::html) {
    page.print_page(to_html(statement, page.options), nothing_happened);
    if (damage) throw Error(*damage);
    return 0;
  }
  print(format == Format::table  ? to_table(statement)
        : format == Format::json ? to_json(statement, LedgerDetail::balances)
                                 : to_csv(statement, LedgerDetail::balances),
        nothing_happened);
  if (damage) throw Error(*damage);
  return 0;
}

/// Whether a file that cannot be read as a receipt was one that names an entry. A JSON file without any readable text may have been one, and
/// so may a page whose end is missing.
/// An exported ledger has charges and tokens, too, but says of no release which mechanism it had.
bool was_receipt(const std::filesystem::path& file, const std::string& text) {
  if (text.empty()) return file.extension() == ".json";
  if (is_cut_off_page(text)) return true;
  const auto has = [&](const char* member) { return text.find(member) != std::string::npos; };
  return text.starts_with('{') && has("\"mechanism\"") && has("\"charge\"") && has("\"token\"");
}

/// The published releases that name an entry, in a receipt or a page: one release, or those of a publication's levels. None if it is any
/// other file, or a page without a receipt. `nullopt` if it is a receipt that was damaged.
std::optional<std::vector<Release>> published_releases(const std::filesystem::path& file) {
  std::vector<Release> releases;
  std::string text;
  try {
    text = receipt_text(file);
    if (std::string held = receipt_of_page(text); !held.empty()) text = std::move(held);
    if (is_publication_receipt(text)) {
      PublishedTables tables = read_publication_receipt(text, file);
      for (PublishedLevel& level : tables.levels) releases.push_back(std::move(level.release));
    } else {
      releases.push_back(read_receipt(text, file));
    }
  } catch (const Error&) {
    if (was_receipt(file, text)) return std::nullopt;
    return releases;
  }
  std::erase_if(releases, [](const Release& release) { return !release.charge; });
  return releases;
}

/// The files of a folder, by name; pages come last, since a page stands beside the receipt that it shows. Throws `usage` if the folder
/// cannot be read.
std::vector<std::filesystem::path> files_with_receipts(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code failed;
  for (std::filesystem::directory_iterator file(folder, failed), end; !failed && file != end; file.increment(failed)) {
    std::error_code is_gone;  // a link may lead nowhere
    if (file->is_regular_file(is_gone)) files.push_back(file->path());
  }
  if (failed) {
    usage({Field("receipts"), fmt::format(": the folder '{}' cannot be read: {}", folder, failed.message())},
          "name the folder that holds the published receipts");
  }
  std::ranges::sort(files);
  std::stable_partition(files.begin(), files.end(), [](const auto& file) { return file.extension() != ".html"; });
  return files;
}

/// Throws `ledger` if receipts in the folder belong to no entry of this ledger; the error names them. Then the ledger was put back to an
/// earlier state, or the receipts belong to another ledger. Throws `ledger` for receipts that are not as they were written, too: they may
/// name entries that the ledger does not know.
void require_known_receipts(const LedgerStatement& statement, const std::string& folder) {
  const std::vector<std::filesystem::path> files = files_with_receipts(folder);
  std::set<std::string> named;  // tokens: a receipt may be in several files, and its cost is charged again once
  std::string unknown;
  std::string altered;
  for (const std::filesystem::path& file : files) {
    const std::string name = file.filename().string();
    const std::optional<std::vector<Release>> releases = published_releases(file);
    bool is_altered = !releases;
    for (const Release& release : releases.value_or(std::vector<Release>())) {
      const auto pays = [&](const LedgerEntry& entry) {
        return entry.token == release.charge->token && entry.state == EntryState::committed;
      };
      const auto entry = std::ranges::find_if(statement.entries, pays);
      if (entry != statement.entries.end()) {
        is_altered = is_altered || (!entry->receipt.empty() && sha256_of(entry->receipt) != sha256_of(release.receipt));
        continue;
      }
      if (!named.insert(release.charge->token).second) continue;
      unknown += fmt::format("{}'{}' (entry {}, {})", unknown.empty() ? "" : ", ", name, release.charge->entry,
                             release.cost().to_string());
    }
    if (is_altered) altered += fmt::format("{}'{}'", altered.empty() ? "" : ", ", name);
  }
  const std::string are_altered = "published receipts were changed since they were written: " + altered;
  if (unknown.empty() && altered.empty()) return;
  if (unknown.empty()) {
    throw Error(ErrorCode::ledger, are_altered,
                "give the originals; fractile ledger export prints the copies that this ledger holds");
  }
  throw Error(
      ErrorCode::ledger,
      "this ledger does not know entries that published receipts name: " + unknown +
          (altered.empty() ? "" : "; " + are_altered),
      "if it was put back to an earlier state, nothing more may be released from it until these are charged again, as "
      "fractile ledger witness --accept does: see docs/ledger.md");
}

int verify_ledger(const Typed& typed) {
  const Ledger ledger = Ledger::open_to_read(path_of(typed));
  const std::string head = ledger.verify(typed.one("head"));
  const LedgerStatement statement = ledger.statement();
  require_own_receipts(statement);
  if (typed.has("receipts")) require_known_receipts(statement, typed.one("receipts"));
  print(fmt::format("the ledger is whole; its last line has the hash\n{}\n", head.empty() ? "(none yet)" : head),
        nothing_happened);
  return 0;
}

int run_export(const Typed& typed) {
  const auto format = choice<Format>(typed, "format", {{"json", Format::json}, {"csv", Format::csv}}, Format::json);
  const LedgerStatement statement = Ledger::open_to_read(path_of(typed)).statement();
  print(format == Format::json ? to_json(statement, LedgerDetail::everything)
                               : to_csv(statement, LedgerDetail::everything),
        nothing_happened);
  return 0;
}

std::int64_t entry_of(const Typed& typed) {
  if (!typed.has("entry")) {
    usage({Field("entry"), " is missing"},
          fmt::format("fractile ledger show {} lists them", shell_path(shown_ledger(path_of(typed)))));
  }
  return static_cast<std::int64_t>(whole_number(typed, "entry", {1, 1'000'000'000'000}));
}

/// Throws `usage` if the receipt belongs to another entry. Such a receipt does not show that this entry was published.
void require_new(const LedgerStatement& statement, const LedgerEntry& entry, const std::string& text,
                 const std::string& name) {
  for (const LedgerEntry& other : statement.entries) {
    if (other.state != EntryState::committed || other.receipt != text) continue;
    usage(fmt::format("'{}' is the receipt of entry {}, not of entry {}", name, other.id, entry.id),
          "name the receipt that this entry's release wrote");
  }
}

/// Commits an entry whose release was published by a program that was stopped before it could commit: one with an older format, or one that
/// uses the library.
int run_commit(const Typed& typed) {
  const std::string& path = path_of(typed);
  const std::int64_t id = entry_of(typed);
  if (!typed.has("receipt"))
    usage({Field("receipt"), " is missing"}, "name the receipt that the entry's release wrote");
  const std::string name = typed.one("receipt");
  Ledger ledger = Ledger::open(path);
  const LedgerEntry entry = ledger.entry(id);
  if (entry.state != EntryState::reserved && entry.state != EntryState::drawn) {
    usage(fmt::format("entry {} of the ledger '{}' is already {}", id, shown_ledger(path), to_string(entry.state)),
          fmt::format("fractile ledger show {} lists those that are reserved", shell_path(shown_ledger(path))));
  }
  const std::string text = receipt_text(name);
  const Release receipt = read_receipt(text, name);
  if (entry.request.receipt_path != canonical_new_file(name)) {
    usage(fmt::format("'{}' is not where the receipt of entry {} was to be written", name, id),
          entry.request.receipt_path.empty() ? "it was to be written nowhere"
                                             : fmt::format("that is '{}'", entry.request.receipt_path));
  }
  require_receipt_of(entry.request.query, receipt, name);
  require_own_receipt(entry, receipt, name);
  require_new(ledger.statement(), entry, text, name);
  ledger.commit(entry.reservation(), text);
  print(fmt::format("entry {} is committed and holds its receipt\n", id), "the entry is committed");
  return 0;
}

int run_void(const Typed& typed) {
  const std::string& path = path_of(typed);
  const std::int64_t id = entry_of(typed);
  if (!typed.has("reason")) {
    const Field field("reason");
    usage({field, " is missing: why it is certain that nothing was published"},
          {"for example ", field.text("the machine stopped, and there is no output")});
  }
  Ledger::open(path).void_entry(id, typed.one("reason"));
  print(fmt::format("entry {} is void and no longer counts\n", id), "the entry is void");
  return 0;
}

/// Charges again what the ledger's witnesses have seen but the ledger does not have, and says what was charged.
std::string accepted_by(Ledger& ledger) {
  const LedgerAcceptance accepted = ledger.accept_witnesses();
  std::string text;
  for (const std::string& path : accepted.made)
    text += fmt::format("the witness '{}' is a new one\n", shown_text(path));
  for (const std::int64_t id : accepted.drawn) {
    text += fmt::format("entry {} was reserved, may have been published since, and counts for good\n", id);
  }
  for (const LedgerEntry& entry : accepted.charged) {
    text += fmt::format("entry {} charges {} again on dataset {}\n", entry.id, entry.charge.to_string(),
                        shown_text(entry.request.dataset));
  }
  return text;
}

int run_witness(const Typed& typed) {
  const std::string& path = path_of(typed);
  std::string text;
  if (typed.has("accept")) {
    Ledger ledger = Ledger::open(path);
    text = accepted_by(ledger);
  }
  const std::vector<LedgerWitness> witnesses = Ledger::open_to_read(path).witnesses();
  for (const LedgerWitness& witness : witnesses) {
    if (!witness.fault.empty()) {
      throw Error(ErrorCode::ledger, witness.fault,
                  fmt::format("if a backup was put back and no later state is available: fractile ledger witness {} "
                              "--accept",
                              shell_path(shown_ledger(path))));
    }
    text += fmt::format("the ledger has all that its witness '{}' has seen, up to line {}\n", shown_text(witness.path),
                        witness.line);
  }
  print(witnesses.empty() ? "no dataset of the ledger declares a witness\n" : text, "the ledger is as it says");
  return 0;
}

}  // namespace

int run_ledger(const Typed& typed) {
  if (typed.word == "init") return run_init(typed);
  if (typed.word == "show") return run_show(typed);
  if (typed.word == "verify") return verify_ledger(typed);
  if (typed.word == "export") return run_export(typed);
  if (typed.word == "commit") return run_commit(typed);
  if (typed.word == "witness") return run_witness(typed);
  return run_void(typed);
}

}  // namespace fractile::cli
