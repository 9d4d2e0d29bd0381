// Pages to look at: one self-contained HTML file each, without scripts, requests or anything that depends on a clock. Their
// figures are SVG, with a table of the same numbers beneath. Equal inputs give equal bytes. A report's to_html() stands beside its
// to_json(). Also the formats in which an explanation in words is written.
// Thread-safety: functions of their arguments, for any number of threads.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fractile/ledger.hpp"

namespace fractile {

enum class Prose { text, markdown };

/// What a publisher says of a release, in their own words; empty: not said.
struct About {
  std::string title = {};
  std::string curator = {};  ///< who publishes
  std::string use = {};      ///< what for
  std::string region = {};   ///< what it is about
  std::string date = {};     ///< of publication: "2026-05-01"
  std::string contact = {};
  std::string description = {};
  std::string curator_type = {};  ///< "Government", "Industry" or "Nonprofit", as the registry has it
  std::string sector = {};        ///< "Technology", "Healthcare", "Education", "Government", "Energy" or "Finance"
  std::string author = {};        ///< who fills in the registry's record; the curator unless said
};

/// What a page is made of besides its report.
struct PageOptions {
  About about = {};
  /// A public page: without paths, queries, columns of persons and the names of ledgers' datasets, all of which a receipt has.
  bool is_public = false;
  std::optional<LedgerAccount> account = {};  ///< of the people whom a release is about
  /// A limit: a release's page says how often a guess is right whether a person's value is above it, if the limit lies between the least
  /// and the greatest published value.
  std::string guess_above = {};
  std::string command = {};  ///< the command that was typed, one line: pages of plans and pipelines end with it
};

/// A file beside a page: a figure or its table.
struct PageFile {
  std::string name;  ///< "release.svg", "release.csv"
  std::string text;
};

struct WebPage {
  std::string html;
  std::vector<PageFile> files = {};
};

}  // namespace fractile
