// What is neither copied nor moved.
#pragma once

namespace fractile {

/// The base of classes whose objects stay where they were made.
class Uncopied {
 public:
  Uncopied() = default;
  Uncopied(const Uncopied&) = delete;
  Uncopied& operator=(const Uncopied&) = delete;

 protected:
  ~Uncopied() = default;
};

}  // namespace fractile
