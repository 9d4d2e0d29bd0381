// The program for tests that run it thousands of times: loaded once, and each run is a child of its own, so that none leaves anything
// behind. A request is read from standard input, a line each: the folder to run in, files for standard output and error, the number of
// arguments, and these. The exit code is the answer, a line.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "../../cli/program.hpp"

namespace {

std::string line() {
  std::string text;
  std::getline(std::cin, text);
  return text;
}

void redirect(int stream, const std::string& path, int flags) {
  const int file = open(path.c_str(), flags, 0600);
  if (file < 0 || dup2(file, stream) < 0) std::_Exit(125);
  close(file);
}

int run(const std::string& folder, const std::string& out, const std::string& err, std::vector<std::string> words) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    if (chdir(folder.c_str()) != 0) std::_Exit(125);
    redirect(STDIN_FILENO, "/dev/null", O_RDONLY);
    redirect(STDOUT_FILENO, out, O_WRONLY | O_CREAT | O_TRUNC);
    redirect(STDERR_FILENO, err, O_WRONLY | O_CREAT | O_TRUNC);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    std::exit(fractile::cli::run_program(static_cast<int>(words.size()), arguments.data()));
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return 126;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}  // namespace

int main() {
  for (std::string folder = line(); std::cin; folder = line()) {
    const std::string out = line();
    const std::string err = line();
    const std::string count = line();
    std::vector<std::string> words{"fractile"};
    for (int i = std::stoi(count); i > 0; --i) words.push_back(line());
    std::cout << run(folder, out, err, std::move(words)) << std::endl;
  }
}
