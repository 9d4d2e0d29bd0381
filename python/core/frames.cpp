// Binds columns in memory, which come through Arrow's capsules or the buffer protocol.
#include <nanobind/ndarray.h>

#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

#include "attendant.hpp"
#include "calls.hpp"
#include "fractile/error.hpp"
#include "fractile/source.hpp"
#include "interpreter.hpp"
#include "module.hpp"

namespace fractile::python {
namespace {

template <class Structure>
Structure& in_capsule(const nb::object& capsule, const char* name) {
  if (PyCapsule_IsValid(capsule.ptr(), name) == 0) {
    throw Error(ErrorCode::usage, {Field("data"), ": what it hands over is not a capsule of Arrow"},
                "give data that exports Arrow, such as pyarrow.array(...)");
  }
  return *static_cast<Structure*>(PyCapsule_GetPointer(capsule.ptr(), name));
}

/// A stream whose failures are examined. If a Python generator feeds the stream, Ctrl-C shows only in the text of the stream's error. The
/// wrapper throws Interrupted instead.
struct WatchedStream {
  ArrowArrayStream stream;

  static ArrowArrayStream& of(ArrowArrayStream* outer) {
    return static_cast<WatchedStream*>(outer->private_data)->stream;
  }
  static int schema(ArrowArrayStream* outer, ArrowSchema* schema) { return of(outer).get_schema(&of(outer), schema); }
  static int next(ArrowArrayStream* outer, ArrowArray* array) {
    ArrowArrayStream& inner = of(outer);
    const int failure = inner.get_next(&inner, array);
    if (failure == 0) return 0;
    const char* const words = inner.get_last_error(&inner);
    if (words != nullptr && std::string_view(words).find("\nKeyboardInterrupt") != std::string_view::npos) {
      const Locked gil;
      PyErr_SetNone(PyExc_KeyboardInterrupt);
      throw Interrupted();
    }
    return failure;
  }
  static const char* error(ArrowArrayStream* outer) { return of(outer).get_last_error(&of(outer)); }
  static void release(ArrowArrayStream* outer) {
    const std::unique_ptr<WatchedStream> all(static_cast<WatchedStream*>(outer->private_data));
    if (all->stream.release != nullptr) all->stream.release(&all->stream);
    outer->release = nullptr;
  }
};

/// Takes over the stream in a capsule, so a second reader of the capsule finds nothing.
ArrowArrayStream watched(ArrowArrayStream& stream) {
  if (stream.release == nullptr) return stream;  // the library reports the empty stream
  auto all = std::make_unique<WatchedStream>(WatchedStream{std::exchange(stream, {})});
  return {&WatchedStream::schema, &WatchedStream::next, &WatchedStream::error, &WatchedStream::release, all.release()};
}

/// Arrow's letter for the type of an array's numbers; "" for none.
std::string format_of(const nb::dlpack::dtype& type) {
  using Code = nb::dlpack::dtype_code;
  const auto code = static_cast<Code>(type.code);
  if (type.lanes != 1) return "";
  switch (type.bits) {
    case 8:
      return code == Code::Int ? "c" : code == Code::UInt ? "C" : "";
    case 16:
      return code == Code::Int ? "s" : code == Code::UInt ? "S" : code == Code::Float ? "e" : "";
    case 32:
      return code == Code::Int ? "i" : code == Code::UInt ? "I" : code == Code::Float ? "f" : "";
    case 64:
      return code == Code::Int ? "l" : code == Code::UInt ? "L" : code == Code::Float ? "g" : "";
    default:
      return "";
  }
}

using Numbers = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;

/// Keeps a Python object until its last reader is gone, on whatever thread.
template <class Object>
std::shared_ptr<Object> kept(Object object) {
  return {new Object(std::move(object)), [](Object* last) {
            const Locked gil;
            delete last;  // NOLINT(cppcoreguidelines-owning-memory): a deleter
          }};
}

struct NumbersAndBits {
  Numbers numbers;
  nb::bytes bits;
};

/// `times` is the Arrow type of times for which 64-bit integers stand; "" for numbers. `validity` has one bit per number, 0 if the number
/// is missing; it is empty if none is missing.
Frame of_numbers(Numbers numbers, const std::string& name, const std::string& times, nb::bytes validity) {
  std::string format = format_of(numbers.dtype());
  if (!times.empty() && format != "l") throw Error(ErrorCode::internal, "times come as 64-bit integers");
  if (!times.empty()) format = times;
  if (format.empty()) {
    throw Error(ErrorCode::usage, "the array holds no integers or floating-point numbers",
                "convert it to numbers first");
  }
  const std::size_t size = numbers.shape(0);
  if (validity.size() > 0 && validity.size() * 8 < size) throw Error(ErrorCode::internal, "too few bits for a mask");
  const auto width = static_cast<std::ptrdiff_t>(numbers.itemsize());
  const auto* const first = static_cast<const std::byte*>(numbers.data());
  const std::ptrdiff_t stride = numbers.stride(0) * width;
  const std::shared_ptr<NumbersAndBits> all = kept(NumbersAndBits{std::move(numbers), std::move(validity)});
  const auto* const bits = static_cast<const std::uint8_t*>(all->bits.data());
  return Frame::of(NumberBuffer{first, format, size, stride, all, all->bits.size() > 0 ? bits : nullptr}, name);
}

/// A frame whose records come later: `records` is called once, and returns a list of frames. `columns` and these frames are used up.
Frame later(Frame& columns, nb::callable records) {
  return Frame::later(std::move(columns), [call = kept(std::move(records))] {
    return in_python([&] {
      std::vector<Frame> frames;
      for (const nb::handle frame : (*call)()) frames.push_back(std::move(nb::cast<Frame&>(frame)));
      return frames;
    });
  });
}

}  // namespace

void bind_frames(nb::module_& module) {
  nb::class_<Frame>(module, "Frame", "Columns in memory, not copied.")
      .def_static(
          "of_stream",
          [](const nb::object& capsule, const std::string& name) {
            ArrowArrayStream stream = watched(in_capsule<ArrowArrayStream>(capsule, "arrow_array_stream"));
            const Unlocked unlocked;
            return Frame::of(stream, name);
          },
          nb::arg("capsule"), nb::arg("name") = "", "What __arrow_c_stream__() gave.")
      .def_static(
          "of_array",
          [](const nb::object& schema, const nb::object& array, const std::string& name) {
            return Frame::of(in_capsule<ArrowSchema>(schema, "arrow_schema"),
                             in_capsule<ArrowArray>(array, "arrow_array"), name);
          },
          nb::arg("schema"), nb::arg("array"), nb::arg("name") = "", "What __arrow_c_array__() gave.")
      .def_static("of_numbers", &of_numbers, nb::arg("numbers"), nb::arg("name") = "", nb::arg("times") = "",
                  nb::arg("validity") = nb::bytes("", 0),
                  nb::sig("def of_numbers(numbers: typing.Any, name: str = '', times: str = '', validity: bytes = b'') "
                          "-> Frame"),
                  "An array of one dimension, by the buffer protocol or DLPack.")
      .def_static("later", &later, nb::arg("columns"), nb::arg("records"),
                  nb::sig("def later(columns: Frame, records: collections.abc.Callable[[], "
                          "collections.abc.Sequence[Frame]]) -> Frame"),
                  "Columns whose records `records` gives when they are first counted.")
      .def("use_threads", &Frame::use_threads, nb::arg("threads"))
      .def_prop_ro("names", [](const Frame& frame) {
        std::vector<std::string> names;
        for (TableColumn& column : frame.columns()) names.push_back(std::move(column.name));
        return names;
      });
}

}  // namespace fractile::python
