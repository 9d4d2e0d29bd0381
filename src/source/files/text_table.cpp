#include "source/files/text_table.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "source/files/text_stream.hpp"
#include "source/text/delimited_records.hpp"

namespace fractile::source_detail {
namespace {

std::vector<StreamedColumn> text_columns(std::size_t count) {
  std::vector<StreamedColumn> columns;
  columns.reserve(count);
  for (std::size_t k = 0; k < count; ++k) columns.push_back({TextTable::column_name(k), StreamedType::text});
  return columns;
}

std::string new_name() {
  static std::atomic<std::uint64_t> tables = 0;
  return TextTable::prefix + std::to_string(++tables);
}

}  // namespace

class TextTable::Reading final : public TableReading {
 public:
  explicit Reading(const TextTable& table)
      : table_(table),
        text_(table.file_),
        pieces_([this] { return text_.next(); }, table.shape_, table.line_ends_, table.file_.display_name(),
                table.piece_) {}

  std::size_t most_threads() const override { return table_.is_of_one_piece() ? 1 : ~std::uint32_t{0}; }
  std::unique_ptr<RecordStream> stream() override;

  /// The next piece, when what was taken before has been read.
  bool next(DelimitedPiece& piece, bool has_one) {
    if (!has_one) ++unread_;
    if (pieces_.next(piece)) return true;
    if (--unread_ > 0) return false;
    table_.records_ = records_.load();
    table_.was_read_whole_ = true;
    return false;
  }
  void add(std::size_t records) { records_ += records; }
  LineEnd line_end() const { return pieces_.line_end(); }
  const TextTable& table() const { return table_; }

 private:
  const TextTable& table_;
  TextStream text_;
  DelimitedPieces pieces_;
  std::atomic<std::uint64_t> records_ = 0;
  std::atomic<std::size_t> unread_ = 0;  // pieces that threads have
};

class TextTable::Stream final : public RecordStream {
 public:
  explicit Stream(Reading& reading) : reading_(reading) {}

  void start(const std::vector<std::size_t>& columns) override {
    const TextTable& table = reading_.table();
    records_.emplace(table.shape_, table.line_ends_, reading_.line_end(), table.file_.display_name(), columns);
  }

  std::size_t next() override {
    from_ += rows_;
    while (from_ == read_) {
      from_ = 0;
      read_ = has_piece_ ? records_->next(most_rows) : 0;
      reading_.add(read_);
      if (read_ > 0) break;
      has_piece_ = reading_.next(piece_, has_piece_);
      if (!has_piece_) return rows_ = 0;
      records_->begin(piece_.text, piece_.line);
    }
    return rows_ = std::min(most_rows, read_ - from_);
  }

  ColumnView column(std::size_t place) const override { return records_->column(place, from_, rows_); }

 private:
  static constexpr std::size_t most_rows = 2048;

  Reading& reading_;
  std::optional<DelimitedRecords> records_;
  DelimitedPiece piece_;
  bool has_piece_ = false;
  std::size_t read_ = 0;  // rows of the records that were read last
  std::size_t from_ = 0;  // of these, the first one of the block
  std::size_t rows_ = 0;  // of the block
};

std::unique_ptr<RecordStream> TextTable::Reading::stream() { return std::make_unique<Stream>(*this); }

TextTable::TextTable(const InputFile& file, DelimitedShape shape, LineEndsInCells line_ends, std::size_t piece)
    : EngineTable(text_columns(shape.columns)),
      file_(file),
      shape_(std::move(shape)),
      line_ends_(line_ends),
      piece_(piece),
      function_(new_name()) {}

bool TextTable::is_of_one_piece() const { return !file_.is_gzip() && file_.size() <= piece_; }

bool TextTable::was_read_whole() const { return was_read_whole_.exchange(false); }

std::unique_ptr<TableReading> TextTable::begin() { return std::make_unique<Reading>(*this); }

}  // namespace fractile::source_detail
