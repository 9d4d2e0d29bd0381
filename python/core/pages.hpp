// Pages, and what a publisher says on them, in the form in which Python has them.
#pragma once

#include <nanobind/stl/map.h>

#include <map>
#include <string>
#include <utility>

#include "fractile/receipts.hpp"
#include "module.hpp"
#include "requests/about.hpp"

namespace fractile::python {

using Texts = std::map<std::string, std::string>;
using Page = std::pair<std::string, Texts>;  ///< the page, and its files by name

inline About about_of(const Texts& texts) {
  About about;
  for (const auto& [name, text] : texts) requests::about_member(about, name) = text;
  return about;
}

inline Page in_pair(WebPage page) {
  Texts files;
  for (PageFile& file : page.files) files[file.name] = std::move(file.text);
  return {std::move(page.html), std::move(files)};
}

/// The class of a report, with its texts in three formats.
template <class Report>
nb::class_<Report> bind_texts(nb::module_& module, const char* name) {
  return nb::class_<Report>(module, name)
      .def("json", [](const Report& report) { return to_json(report); })
      .def("csv", [](const Report& report) { return to_csv(report); })
      .def("table", [](const Report& report) { return to_table(report); });
}

}  // namespace fractile::python
