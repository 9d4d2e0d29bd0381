#include "source/files/nameless_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "fractile/error.hpp"
#include "source/entries/table_test_support.hpp"

namespace fractile::source_detail {
namespace {

std::string text_at(const NamelessFile& file, std::uint64_t from, std::size_t size) {
  std::string text(size, ' ');
  file.read(from, text);
  return text;
}

TEST(NamelessFile, GivesBackWhatManyThreadsWrote) {
  NamelessFile file("the test");
  constexpr std::size_t writers = 4;
  std::vector<std::vector<std::uint64_t>> places(writers);
  std::vector<std::thread> threads;
  const auto piece = [](std::size_t writer, std::size_t i) { return std::string(1000 + i % 7, "abcd"[writer]); };
  for (std::size_t writer = 0; writer < writers; ++writer) {
    threads.emplace_back([&, writer] {
      for (std::size_t i = 0; i < 100; ++i) places[writer].push_back(file.append(piece(writer, i)));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t writer = 0; writer < writers; ++writer) {
    for (std::size_t i = 0; i < 100; ++i) {
      const std::string expected = piece(writer, i);
      EXPECT_EQ(text_at(file, places[writer][i], expected.size()), expected);
    }
  }
}

TEST(NamelessFile, IsPrivateAndHasNoName) {
  NamelessFile file("the test");
  file.append(std::string("secret"));
  const int descriptor = file.release();
  struct stat status {};
  ASSERT_EQ(fstat(descriptor, &status), 0);
  EXPECT_EQ(status.st_nlink, 0U);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  close(descriptor);
}

TEST(NamelessFile, FailsInWordsWithoutAFolderOrWhatWasNotWritten) {
  const NamelessFile file("the test");
  std::string more(1, ' ');
  EXPECT_THROW(file.read(0, more), Error);
  const char* const before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  setenv("TMPDIR", "/nowhere", 1);
  const Error error = source_test::error_of([] { const NamelessFile none("the test"); });
  before == nullptr ? unsetenv("TMPDIR") : setenv("TMPDIR", kept.c_str(), 1);
  EXPECT_EQ(std::string(error.what()), "no temporary file for the test: No such file or directory");
  EXPECT_EQ(error.hint(), "set TMPDIR to a writable folder");
}

}  // namespace
}  // namespace fractile::source_detail
