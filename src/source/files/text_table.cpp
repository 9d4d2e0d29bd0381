#include "source/files/text_table.hpp"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "exact/lists.hpp"
#include "source/files/text_stream.hpp"
#include "source/text/delimited_records.hpp"

namespace fractile::source_detail {
namespace {

std::vector<StreamedColumn> text_columns(std::size_t count) {
  return tabulated(count, [&](std::size_t k) { return StreamedColumn{TextTable::column_name(k), StreamedType::text}; });
}

std::string new_name() {
  static std::atomic<std::uint64_t> tables = 0;
  return TextTable::prefix + std::to_string(++tables);
}

}  // namespace

/// The state of one file while it is read.
struct TextTable::OneFile {
  OneFile(const TextTable& table, std::size_t place)
      : number(place),
        text(table.files_[place]),
        pieces([this] { return text.next(); }, table.shape_, table.line_ends_, table.files_[place].display_name(),
               table.piece_) {}

  std::size_t number;
  TextStream text;
  DelimitedPieces pieces;
};

class TextTable::Reading final : public TableReading {
 public:
  explicit Reading(const TextTable& table) : table_(table), file_(std::make_unique<OneFile>(table, 0)) {
    for (std::atomic<std::uint64_t>& records : table.records_of_) records = 0;
  }

  std::size_t most_threads() const override { return table_.is_of_one_piece() ? 1 : ~std::uint32_t{0}; }
  std::unique_ptr<RecordStream> stream() override;

  /// Some records, and the state of their file.
  struct Piece {
    DelimitedPiece records;
    std::size_t file = 0;
    LineEnd line_end = LineEnd::none;
  };

  /// The next piece. `has_one`: the caller has read the piece that it took before.
  bool next(Piece& piece, bool has_one) {
    if (!has_one) ++unread_;
    if (take(piece)) return true;
    if (--unread_ > 0) return false;
    table_.was_read_whole_ = true;
    return false;
  }
  void add(std::size_t records, std::size_t file) { table_.records_of_[file] += records; }
  const TextTable& table() const { return table_; }

 private:
  bool take(Piece& piece) {
    const std::lock_guard lock(mutex_);
    while (file_) {
      const bool is_there = file_->pieces.next(piece.records);
      table_.bytes_taken_ = bytes_before_ + file_->text.taken();
      if (is_there) {
        piece.file = file_->number;
        piece.line_end = file_->pieces.line_end();
        return true;
      }
      const std::size_t following = file_->number + 1;
      bytes_before_ += table_.files_[file_->number].size();
      file_.reset();
      if (following < table_.files_.size()) file_ = std::make_unique<OneFile>(table_, following);
    }
    return false;
  }

  const TextTable& table_;
  std::mutex mutex_;
  std::unique_ptr<OneFile> file_;  // null after the last file, and after a failure
  std::uint64_t bytes_before_ = 0;
  std::atomic<std::size_t> unread_ = 0;  // pieces that threads are reading
};

class TextTable::Stream final : public RecordStream {
 public:
  explicit Stream(Reading& reading) : reading_(reading) {}

  void start(const std::vector<std::size_t>& columns) override { columns_ = columns; }

  std::size_t next() override {
    from_ += rows_;
    while (from_ == read_) {
      from_ = 0;
      read_ = has_piece_ ? records() : 0;
      reading_.add(read_, piece_.file);
      if (read_ > 0) break;
      has_piece_ = reading_.next(piece_, has_piece_);
      if (!has_piece_) return rows_ = 0;
      begin();
    }
    return rows_ = std::min(most_rows, read_ - from_);
  }

  ColumnView column(std::size_t place) const override { return records_->column(place, from_, rows_); }

 private:
  static constexpr std::size_t most_rows = 2048;

  const InputFile& file() const { return reading_.table().files_[piece_.file]; }

  void begin() {
    const TextTable& table = reading_.table();
    if (!records_ || of_file_ != piece_.file)
      records_.emplace(table.shape_, table.line_ends_, piece_.line_end, file().display_name(), columns_);
    of_file_ = piece_.file;
    records_->begin(piece_.records.text, piece_.records.line);
  }

  std::size_t records() {
    try {
      return records_->next(most_rows);
    } catch (const NotUtf8&) {
      reading_.table().file_of_other_text_ = piece_.file;
      throw;
    }
  }

  Reading& reading_;
  std::vector<std::size_t> columns_;
  std::optional<DelimitedRecords> records_;
  std::size_t of_file_ = 0;  // which these are of
  Reading::Piece piece_;
  bool has_piece_ = false;
  std::size_t read_ = 0;  // number of records that were read last
  std::size_t from_ = 0;  // the first of these in the block
  std::size_t rows_ = 0;  // rows in the block
};

std::unique_ptr<RecordStream> TextTable::Reading::stream() { return std::make_unique<Stream>(*this); }

TextTable::TextTable(std::span<const InputFile> files, DelimitedShape shape, LineEndsInCells line_ends,
                     std::size_t piece)
    : EngineTable(text_columns(shape.columns)),
      files_(files),
      shape_(std::move(shape)),
      line_ends_(line_ends),
      piece_(piece),
      function_(new_name()),
      records_of_(files.size()) {}

TextTable::Place TextTable::place_of(std::uint64_t record) const {
  Place place{0, record};
  while (place.file + 1 < files_.size() && place.record > records_of_[place.file])
    place.record -= records_of_[place.file++];
  return place;
}

std::uint64_t TextTable::bytes() const {
  return sum_over<std::uint64_t>(files_, [](const InputFile& file) { return file.size(); });
}

bool TextTable::is_of_one_piece() const {
  return std::ranges::none_of(files_, &InputFile::packing) && bytes() <= piece_;
}

bool TextTable::was_read_whole() const { return was_read_whole_.exchange(false); }

std::unique_ptr<TableReading> TextTable::read() const { return std::make_unique<Reading>(*this); }

}  // namespace fractile::source_detail
