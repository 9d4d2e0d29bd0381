// Any text is read as a date, as a time or as neither. What is read can be printed and read back unchanged.
#include <cstdlib>
#include <string_view>

#include "fractile/ranks.hpp"

using fractile::Moment;
using fractile::ValueKind;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

bool is_printable(const Moment& moment) {
  const std::int64_t day =
      fractile::ticks_in(ValueKind::date, moment.ticks,
                         moment.kind == ValueKind::date ? fractile::TimeUnit::days : fractile::TimeUnit::microseconds);
  return day >= fractile::first_day && day <= fractile::last_day;
}

void moments(std::string_view text) {
  const std::optional<Moment> moment = fractile::read_moment(text);
  // An offset may move an instant out of the years that can be written.
  if (!moment || !is_printable(*moment)) return;
  require(fractile::read_moment(fractile::moment_text(moment->kind, moment->ticks)) == moment);
  for (const ValueKind kind : {ValueKind::date, ValueKind::timestamp, ValueKind::instant}) {
    require(fractile::cell_ticks(kind, text) == fractile::ticks_on(kind, *moment));
  }
}

void spans(std::string_view text) {
  const std::optional<std::int64_t> span = fractile::read_span(text);
  if (span && *span > 0) require(fractile::read_span(fractile::span_text(ValueKind::timestamp, *span)) == span);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  moments(text);
  spans(text);
  return 0;
}
