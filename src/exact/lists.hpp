// Lists, texts and sums that are made of the elements of a list, in their order.
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace fractile {

/// function(element) for each element. The function may be a member of the elements: mapped(columns, &Column::name).
template <class List, class Function>
auto mapped(List&& list, Function&& function) {
  using Result = std::invoke_result_t<Function&, std::ranges::range_reference_t<List>&>;
  std::vector<std::remove_cvref_t<Result>> results;
  if constexpr (std::ranges::sized_range<List>) results.reserve(std::ranges::size(list));
  for (auto&& element : list) results.push_back(std::invoke(function, element));
  return results;
}

/// function(0), function(1), ..., function(count - 1).
template <class Function>
auto tabulated(std::size_t count, Function&& function) {
  std::vector<std::remove_cvref_t<std::invoke_result_t<Function&, std::size_t>>> results;
  results.reserve(count);
  for (std::size_t i = 0; i < count; ++i) results.push_back(function(i));
  return results;
}

/// The texts function(element), with a text between any two.
template <class List, class Function>
std::string joined(const List& list, const char* between, Function&& function) {
  std::string text;
  bool is_first = true;
  for (const auto& element : list) {
    if (!std::exchange(is_first, false)) text += between;
    text += std::invoke(function, element);
  }
  return text;
}

/// The sum of function(element), from zero.
template <class Sum, class List, class Function>
Sum sum_over(const List& list, Function&& function) {
  Sum sum{};
  for (const auto& element : list) sum += std::invoke(function, element);
  return sum;
}

}  // namespace fractile
