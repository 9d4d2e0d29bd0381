// Columns in memory: through Arrow's capsules, or the buffer protocol.
#include "fractile/frames.hpp"

#include <nanobind/ndarray.h>

#include <cstddef>
#include <memory>
#include <utility>

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

/// Frees the array when nobody reads it any more, whichever thread that is.
std::shared_ptr<const void> kept(Numbers numbers) {
  return {new Numbers(std::move(numbers)), [](Numbers* array) {
            const nb::gil_scoped_acquire gil;
            delete array;  // NOLINT(cppcoreguidelines-owning-memory): a deleter
          }};
}

/// `times`: what of Arrow's types 64-bit integers stand for; "" for numbers.
Frame of_numbers(Numbers numbers, const std::string& name, const std::string& times) {
  std::string format = format_of(numbers.dtype());
  if (!times.empty() && format != "l") throw Error(ErrorCode::internal, "times come as 64-bit integers");
  if (!times.empty()) format = times;
  if (format.empty()) {
    throw Error(ErrorCode::usage, "the array holds no integers or floating-point numbers",
                "convert it to numbers first");
  }
  const auto width = static_cast<std::ptrdiff_t>(numbers.itemsize());
  return Frame::of(NumberBuffer{static_cast<const std::byte*>(numbers.data()), format, numbers.shape(0),
                                numbers.stride(0) * width, kept(numbers)},
                   name);
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
                  nb::sig("def of_numbers(numbers: typing.Any, name: str = '', times: str = '') -> Frame"),
                  "An array of one dimension, by the buffer protocol or DLPack.")
      .def("use_threads", &Frame::use_threads, nb::arg("threads"))
      .def("use_memory", &Frame::use_memory, nb::arg("bytes"))
      .def_prop_ro("names", &Frame::names)
      .def_prop_ro("rows", [](const Frame& frame) { return frame.rows(); });
}

}  // namespace fractile::python
