#include "ledger/postgres_schema.hpp"

#include <array>
#include <set>
#include <string_view>

#include "fractile/ledger.hpp"
#include "libraries/fmt.hpp"

namespace fractile::ledger_detail {
namespace {

/// Texts that users type are of the type bytea, which holds any bytes; texts that Fractile writes are of the type text.
constexpr const char* tables =
    "CREATE SCHEMA fractile;"
    "CREATE TABLE fractile.about (format bigint NOT NULL);"
    "CREATE TABLE fractile.turn ();"
    "CREATE TABLE fractile.datasets (id bigint PRIMARY KEY, name bytea NOT NULL UNIQUE, unit bytea NOT NULL, "
    "neighbors text NOT NULL, measure text NOT NULL, epsilon text, rho text, delta text, person bytea NOT NULL, "
    "records_per_person bigint NOT NULL, source bytea NOT NULL);"
    "CREATE TABLE fractile.entries (id bigint PRIMARY KEY, dataset bigint NOT NULL REFERENCES fractile.datasets, "
    "query bytea NOT NULL, receipt_path bytea NOT NULL, measure text NOT NULL, epsilon text, rho text, delta text, "
    "charged_rho text);"
    "CREATE TABLE fractile.events (id bigint PRIMARY KEY, time text NOT NULL, kind text NOT NULL, "
    "dataset bigint REFERENCES fractile.datasets, entry bigint REFERENCES fractile.entries, receipt_sha256 text, "
    "reason bytea, hash text NOT NULL, change text NOT NULL UNIQUE, "
    "CHECK (kind IN ('dataset', 'reserve', 'draw', 'commit', 'void')), "
    "CHECK ((dataset IS NULL) = (kind <> 'dataset')), CHECK ((entry IS NULL) = (kind = 'dataset')));"
    "CREATE TABLE fractile.receipts (entry bigint PRIMARY KEY REFERENCES fractile.entries, text bytea NOT NULL);"
    "CREATE UNIQUE INDEX added ON fractile.events (dataset) WHERE kind = 'dataset';"
    "CREATE UNIQUE INDEX reserved ON fractile.events (entry) WHERE kind = 'reserve';"
    "CREATE UNIQUE INDEX drawn ON fractile.events (entry) WHERE kind = 'draw';"
    "CREATE UNIQUE INDEX settled ON fractile.events (entry) WHERE kind IN ('commit', 'void');"
    "CREATE FUNCTION fractile.refuse() RETURNS trigger LANGUAGE plpgsql AS "
    "$$BEGIN RAISE EXCEPTION 'a ledger only grows'; END$$;";

/// The changes of format 3, as in SQLite's file. Format 2 was the first format in a database.
constexpr const char* since_3 =
    "ALTER TABLE fractile.datasets ADD COLUMN reading bytea;"
    "ALTER TABLE fractile.entries ADD COLUMN source bytea, ADD COLUMN person bytea, "
    "ADD COLUMN records_per_person bigint, ADD COLUMN reading bytea, ADD COLUMN nonce text, ADD COLUMN question text;"
    "ALTER TABLE fractile.events ADD COLUMN sums text;"
    "CREATE INDEX asked ON fractile.entries (question) WHERE question IS NOT NULL;"
    "CREATE INDEX read_as ON fractile.entries (dataset, pg_catalog.sha256(source)) WHERE source IS NOT NULL;"
    "CREATE INDEX promised ON fractile.entries (pg_catalog.sha256(receipt_path)) WHERE receipt_path <> ''::bytea;";

/// All who may read the ledger see the whole log; only its owner may write lines that add budgets or void charges.
constexpr const char* policies =
    "ALTER TABLE fractile.events ENABLE ROW LEVEL SECURITY;"
    "CREATE POLICY seen ON fractile.events FOR SELECT USING (true);"
    "CREATE POLICY asked ON fractile.events FOR INSERT WITH CHECK (kind IN ('reserve', 'draw', 'commit'));";

constexpr std::array kept{"about", "datasets", "entries", "events", "receipts"};

/// The rows that has_postgres_schema compares. The catalogs of all server versions contain them, and no server words them in its own way.
constexpr const char* schema_query = R"(
  WITH ours AS (SELECT c.oid, c.relname, c.relkind, c.relpersistence, c.relrowsecurity FROM pg_class c
                WHERE c.relnamespace = 'fractile'::regnamespace AND c.relkind NOT IN ('i', 't'))
  SELECT relname || ' is ' || relkind::text || relpersistence::text || CASE WHEN relrowsecurity THEN ' with policies' ELSE '' END
    FROM ours
  UNION ALL SELECT relname || '.' || attname || ' ' || format_type(atttypid, atttypmod)
                   || CASE WHEN attnotnull THEN ' NOT NULL' ELSE '' END
    FROM ours JOIN pg_attribute ON attrelid = ours.oid WHERE attnum > 0 AND NOT attisdropped
  UNION ALL SELECT relname || ' ' || contype::text || ' ' || conkey::text || CASE WHEN convalidated THEN '' ELSE ' not valid' END
    FROM ours JOIN pg_constraint ON conrelid = ours.oid WHERE contype IN ('p', 'u', 'f', 'c')
  UNION ALL SELECT relname || ' ' || tgname || ' ' || tgtype::text || tgenabled::text || ' ' || tgfoid::regproc::text
    FROM ours JOIN pg_trigger ON tgrelid = ours.oid WHERE NOT tgisinternal
  UNION ALL SELECT relname || ' ' || polname || ' ' || polcmd::text FROM ours JOIN pg_policy ON polrelid = ours.oid
  UNION ALL SELECT relname || ' rule ' || rulename FROM ours JOIN pg_rewrite ON ev_class = ours.oid
  UNION ALL SELECT i.relname || ' ' || indkey::text || CASE WHEN indisunique AND indisvalid THEN ' unique' ELSE '' END
    FROM ours JOIN pg_index ON indrelid = ours.oid JOIN pg_class i ON i.oid = indexrelid WHERE indpred IS NOT NULL
)";

constexpr std::string_view expected_schema = R"(about is rp
about.format bigint NOT NULL
turn is rp
datasets is rp
datasets.id bigint NOT NULL
datasets.name bytea NOT NULL
datasets.unit bytea NOT NULL
datasets.neighbors text NOT NULL
datasets.measure text NOT NULL
datasets.epsilon text
datasets.rho text
datasets.delta text
datasets.person bytea NOT NULL
datasets.records_per_person bigint NOT NULL
datasets.source bytea NOT NULL
datasets p {1}
datasets u {2}
entries is rp
entries.id bigint NOT NULL
entries.dataset bigint NOT NULL
entries.query bytea NOT NULL
entries.receipt_path bytea NOT NULL
entries.measure text NOT NULL
entries.epsilon text
entries.rho text
entries.delta text
entries.charged_rho text
entries p {1}
entries f {2}
events is rp with policies
events.id bigint NOT NULL
events.time text NOT NULL
events.kind text NOT NULL
events.dataset bigint
events.entry bigint
events.receipt_sha256 text
events.reason bytea
events.hash text NOT NULL
events.change text NOT NULL
events p {1}
events u {9}
events c {3}
events c {4,3}
events c {5,3}
events f {4}
events f {5}
events seen r
events asked a
added 4 unique
reserved 5 unique
drawn 5 unique
settled 5 unique
receipts is rp
receipts.entry bigint NOT NULL
receipts.text bytea NOT NULL
receipts p {1}
receipts f {1}
)";

constexpr std::string_view expected_since_3 = R"(datasets.reading bytea
entries.source bytea
entries.person bytea
entries.records_per_person bigint
entries.reading bytea
entries.nonce text
entries.question text
events.sums text
asked 15
read_as 2 0
promised 0
)";

/// The catalog's number for a trigger BEFORE UPDATE OR DELETE OR TRUNCATE, for each statement.
constexpr int before_losing = 2 + 8 + 16 + 32;

std::string now_of_format(std::int64_t format) {
  return fmt::format("INSERT INTO fractile.about VALUES ({});", format);
}

}  // namespace

std::string postgres_schema() {
  std::string sql = tables;
  sql += since_3;
  sql += policies;
  for (const char* table : kept) {
    sql += fmt::format(
        "CREATE TRIGGER kept BEFORE UPDATE OR DELETE OR TRUNCATE ON fractile.{} EXECUTE FUNCTION "
        "fractile.refuse();",
        table);
  }
  return sql + now_of_format(Ledger::format);
}

/// The values in these statements are only numbers and digests, so nothing needs
/// to be quoted. A ledger's format is the largest number in the table `about`.
std::string postgres_migration(const std::map<std::int64_t, std::string>& questions) {
  std::string sql = since_3;
  sql += "ALTER TABLE fractile.entries DISABLE TRIGGER kept;";
  for (const auto& [id, question] : questions) {
    sql += fmt::format("UPDATE fractile.entries SET question = '{}' WHERE id = {};", question, id);
  }
  sql += "ALTER TABLE fractile.entries ENABLE TRIGGER kept;";
  return sql + now_of_format(Ledger::format);
}

std::int64_t postgres_format(postgres::Connection& connection) {
  const auto is_there = connection.query("SELECT to_regclass('fractile.about')::text");
  if (!is_there.cell(0, 0)) return -1;
  const auto format = connection.query("SELECT max(format)::text FROM fractile.about");
  return std::stoll(format.cell(0, 0).value_or("-1"));
}

bool has_postgres_schema(postgres::Connection& connection, std::int64_t format) {
  std::multiset<std::string> wanted;
  const auto add_lines = [&](std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      wanted.emplace(text.substr(at, end - at));
      at = end + 1;
    }
  };
  add_lines(expected_schema);
  if (format >= 3) add_lines(expected_since_3);
  for (const char* table : kept) wanted.insert(fmt::format("{} kept {}O fractile.refuse", table, before_losing));
  std::multiset<std::string> found;
  const auto rows = connection.query(schema_query);
  for (int row = 0; row < rows.rows(); ++row) found.insert(rows.cell(row, 0).value_or(""));
  return found == wanted;
}

}  // namespace fractile::ledger_detail
