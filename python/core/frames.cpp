// Columns in memory: through Arrow's capsules, or the buffer protocol.
#include "fractile/frames.hpp"

#include <nanobind/ndarray.h>

#include <cstddef>
#include <memory>
#include <utility>

#include "calls.hpp"
#include "fractile/error.hpp"
#include "module.hpp"

namespace fractile::python {
namespace {

template <class Structure>
Structure& in_capsule(const nb::object& capsule, const char* name) {
  void* const pointer = PyCapsule_GetPointer(capsule.ptr(), name);
  if (pointer == nullptr) throw nb::python_error();
  return *static_cast<Structure*>(pointer);
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

/// Frees what is Python's when its last reader goes, on whichever thread that is.
template <class Object>
std::shared_ptr<Object> kept(Object object) {
  return {new Object(std::move(object)), [](Object* last) {
            const nb::gil_scoped_acquire gil;
            delete last;  // NOLINT(cppcoreguidelines-owning-memory): a deleter
          }};
}

struct NumbersAndBits {
  Numbers numbers;
  nb::bytes bits;
};

/// `times`: what of Arrow's types 64-bit integers stand for; "" for numbers. `validity`: a bit a number, 0 where it is missing; empty when
/// none is.
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

/// Frames are used up. `records` is called once, and gives a list of frames.
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
            auto& stream = in_capsule<ArrowArrayStream>(capsule, "arrow_array_stream");
            const nb::gil_scoped_release release;
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
      .def("use_memory", &Frame::use_memory, nb::arg("bytes"))
      .def_prop_ro("names",
                   [](const Frame& frame) {
                     std::vector<std::string> names;
                     for (TableColumn& column : frame.columns()) names.push_back(std::move(column.name));
                     return names;
                   })
      .def_prop_ro("rows", [](const Frame& frame) { return frame.rows(); });
}

}  // namespace fractile::python
