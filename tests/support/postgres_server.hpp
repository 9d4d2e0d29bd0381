// A PostgreSQL server for tests, from Debian's package, in a separate folder and on a separate port.
#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "libraries/fmt.hpp"
#include "libraries/postgres.hpp"
#include "support/temporary_folder.hpp"

namespace fractile::testing {

inline constexpr const char* no_postgres = "no PostgreSQL server is here (apt install postgresql)";

inline postgres::Connection raw_connection(const std::string& address) {
  return {postgres::Address::parse(address), "test", std::chrono::seconds(60)};
}

class PostgresServer {
 public:
  /// The server of this process, or nullptr if PostgreSQL is not installed.
  static PostgresServer* shared() {
    static const std::unique_ptr<PostgresServer> server = started();
    return server.get();
  }
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;
  ~PostgresServer() {
    if (getpid() == owner_) kill();
  }

  int port() const { return port_; }
  std::string address(const std::string& database) const {
    return fmt::format("postgres://postgres@127.0.0.1:{}/{}", port_, database);
  }
  /// The address of a new database.
  std::string fresh() { return created("template0"); }
  std::string copy_of(const std::string& ledger) { return created(ledger.substr(ledger.rfind('/') + 1)); }

  /// Stops the server as a failing machine would.
  void kill() const {
    ::kill(server_, SIGKILL);
    waitpid(server_, nullptr, 0);
  }

  /// Starts the server. After kill(), it waits until the remains of the previous server are gone.
  void start() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    server_ = 0;
    while (std::chrono::steady_clock::now() < end) {
      if (server_ == 0 || waitpid(server_, nullptr, WNOHANG) == server_) {
        server_ =
            spawned({binaries_ + "/postgres", "-D", data(), "-k", folder_.file(""), "-p", std::to_string(port_), "-c",
                     "listen_addresses=127.0.0.1", "-c", "max_connections=200", "-c", "shared_buffers=16MB"});
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      try {
        raw_connection(address("postgres"));
        return;
      } catch (const postgres::Failure&) {
      }
    }
    throw std::runtime_error("the PostgreSQL server does not start: " + log());
  }

 private:
  PostgresServer(std::string binaries, int port) : binaries_(std::move(binaries)), port_(port) {
    const passwd* const postgres = getpwnam("postgres");
    user_ = geteuid() != 0 ? geteuid() : postgres != nullptr ? postgres->pw_uid : 65534;
    group_ = geteuid() != 0 ? getegid() : postgres != nullptr ? postgres->pw_gid : 65534;
    if (geteuid() == 0 && chown(folder_.file("").c_str(), user_, group_) != 0) throw std::runtime_error("chown");
    const pid_t making = spawned({binaries_ + "/initdb", "-D", data(), "--no-sync", "-A", "trust", "-U", "postgres",
                                  "-E", "UTF8", "--locale=C"});
    int status = 0;
    waitpid(making, &status, 0);
    if (status != 0) throw std::runtime_error("initdb failed: " + log());
    // One role must give a password.
    const std::string access = "host all guarded 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n";
    std::ofstream(data() + "/pg_hba.conf") << access;
    start();
  }

  static std::unique_ptr<PostgresServer> started() {
    const std::string binaries = newest_binaries();
    if (binaries.empty()) return nullptr;
    return std::unique_ptr<PostgresServer>(new PostgresServer(binaries, free_port()));
  }

  static std::string newest_binaries() {
    std::string newest;
    std::error_code missing;
    for (const auto& version : std::filesystem::directory_iterator("/usr/lib/postgresql", missing)) {
      const std::string binaries = (version.path() / "bin").string();
      if (std::filesystem::exists(binaries + "/initdb")) newest = std::max(newest, binaries);
    }
    return newest;
  }

  /// A port below those that the system gives to outgoing connections, so that no other program takes it while the server is down.
  /// It is random, because another test's server that starts at the same time may not listen yet.
  static int free_port() {
    std::random_device random;
    std::uniform_int_distribution<int> ports(10'000, 29'999);
    while (true) {
      const int port = ports(random);
      const int listener = socket(AF_INET, SOCK_STREAM, 0);
      sockaddr_in address{};
      address.sin_family = AF_INET;
      address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      address.sin_port = htons(static_cast<std::uint16_t>(port));
      const bool is_free = bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
      close(listener);
      if (is_free) return port;
    }
  }

  std::string log() const {
    std::ifstream file(folder_.file("log"));
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    return text.substr(text.size() - std::min<std::size_t>(text.size(), 2000));
  }

  std::string data() const { return folder_.file("data"); }

  /// Starts the program without root's rights. It ends at the latest when this process does.
  pid_t spawned(const std::vector<std::string>& words) const {
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    const std::string log = folder_.file("log");
    const pid_t child = fork();
    if (child != 0) return child;
    const bool became = geteuid() != 0 || (setgid(group_) == 0 && setuid(user_) == 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int output = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    dup2(output, 1);
    dup2(output, 2);
    if (became && chdir("/") == 0) execv(arguments[0], arguments.data());
    _exit(127);
  }

  std::string created(const std::string& pattern) {
    const std::string name = fmt::format("ledger{}", ++databases_);
    raw_connection(address("postgres")).command(fmt::format("CREATE DATABASE {} TEMPLATE {}", name, pattern));
    return address(name);
  }

  /// A place in memory if possible: in these tests only the server fails, never the machine.
  static std::filesystem::path place() {
    return access("/dev/shm", W_OK) == 0 ? "/dev/shm" : std::filesystem::temp_directory_path();
  }

  Folder folder_{place()};
  std::string binaries_;
  int port_;
  uid_t user_ = 0;
  gid_t group_ = 0;
  pid_t owner_ = getpid();
  pid_t server_ = 0;
  int databases_ = 0;
};

}  // namespace fractile::testing
