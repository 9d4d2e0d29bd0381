#include "source/files/input_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <thread>

#include "source/entries/table_test_support.hpp"
#include "support/errors.hpp"

namespace fractile::source_detail {
namespace {

using source_test::error_of;
using source_test::TemporaryFolder;

std::string content(const InputFile& file) {
  std::ifstream stream(file.path(), std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(InputFile, IsReadThroughItsDescriptor) {
  const TemporaryFolder folder;
  const InputFile file = InputFile::open(folder.write("a[b]*.csv", "x\n1\n"));
  EXPECT_EQ(content(file), "x\n1\n");
  EXPECT_EQ(file.head(100), "x\n1\n");
  EXPECT_EQ(file.head(1), "x");
  EXPECT_EQ(file.size(), 4u);
  EXPECT_EQ(file.packing(), nullptr);
}

TEST(InputFile, RefusesWhatIsNoFile) {
  const TemporaryFolder folder;
  EXPECT_EQ(error_of([&] { InputFile::open(folder.path("none.csv")); }).code(), ErrorCode::data);
  EXPECT_NE(std::string(error_of([&] { InputFile::open(folder.path("")); }).what()).find("is a directory"),
            std::string::npos);
  if (geteuid() != 0) {
    chmod(folder.write("locked.csv", "x\n").c_str(), 0);
    EXPECT_EQ(error_of([&] { InputFile::open(folder.path("locked.csv")); }).code(), ErrorCode::data);
  }
}

TEST(InputFile, PipesAreSpooledToAFileWithoutAName) {
  const TemporaryFolder folder;
  const std::string pipe = folder.path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const std::string text(3'000'000, 'x');
  std::thread writer([&] { std::ofstream(pipe, std::ios::binary) << text; });
  const InputFile file = InputFile::open(pipe);
  writer.join();
  EXPECT_EQ(content(file), text);
  struct stat status {};
  ASSERT_EQ(stat(file.path().c_str(), &status), 0);
  EXPECT_EQ(status.st_nlink, 0u);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST(InputFile, KnowsWhereItIs) {
  const TemporaryFolder folder;
  const std::string file = std::filesystem::canonical(folder.write("people.csv", "x\n1\n")).string();
  std::filesystem::create_symlink("people.csv", folder.path("link.csv"));
  EXPECT_EQ(InputFile::open(folder.path("link.csv")).opened().path, file);
  EXPECT_EQ(InputFile::open(
                folder.path("./../" + std::filesystem::path(file).parent_path().filename().string() + "/people.csv"))
                .opened()
                .path,
            file);
  const InputFile opened = InputFile::open(folder.path("link.csv"));
  std::filesystem::remove(folder.path("link.csv"));
  std::filesystem::create_symlink(folder.write("patients.csv", "x\n2\n"), folder.path("link.csv"));
  EXPECT_EQ(opened.opened().path, file);
  EXPECT_EQ(opened.head(4), "x\n1\n");
#ifdef __linux__
  EXPECT_EQ(InputFile::open("/proc/self/root" + file).opened().path, "");
  EXPECT_EQ(InputFile::open(opened.path()).opened().path, "");
#endif
}

TEST(InputFile, KnowsWhenItWasWrittenTo) {
  const TemporaryFolder folder;
  const auto changed = [&](const std::function<void(const std::string&)>& change) {
    const std::string path = folder.write("t.csv", "x\n1\n");
    std::this_thread::sleep_for(std::chrono::milliseconds(30));  // more than a tick of the clock that files have
    const InputFile file = InputFile::open(path);
    const InputFile piped = InputFile::open(file.path());
    file.require_unchanged();
    change(path);
    const std::optional<Error> error = testing::error_if_any([&] { file.require_unchanged(); });
    if (!error) return false;
    EXPECT_EQ(error->code(), ErrorCode::data);
    EXPECT_EQ(std::string(error->what()), path + " was changed while it was read");
    EXPECT_FALSE(error->hint().empty());
    return true;
  };
  namespace fs = std::filesystem;
  EXPECT_TRUE(changed([](const std::string& path) { std::ofstream(path, std::ios::app) << "2\n"; }));
  EXPECT_TRUE(changed([](const std::string& path) { std::ofstream(path) << "x\n2\n"; }));  // of the same size
  EXPECT_TRUE(changed([](const std::string& path) { fs::resize_file(path, 2); }));
  EXPECT_TRUE(changed([](const std::string& path) {
    const auto before = fs::last_write_time(path);
    std::ofstream(path) << "x\n2\n";
    fs::last_write_time(path, before);
  }));
  EXPECT_FALSE(changed([](const std::string& path) { std::ifstream(path).get(); }));
  EXPECT_FALSE(changed([&](const std::string& path) { fs::rename(folder.write("new.csv", "x\n2\n"), path); }));
  EXPECT_FALSE(changed([&](const std::string& path) { fs::rename(path, folder.path("old.csv")); }));
  EXPECT_FALSE(changed([](const std::string& path) { fs::remove(path); }));
}

}  // namespace
}  // namespace fractile::source_detail
