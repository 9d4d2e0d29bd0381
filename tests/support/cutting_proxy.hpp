// A network between clients and a server on this machine. It fails when a test wants it to.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace fractile::testing {

/// What happens when a client sends the server a commit.
enum class Cut {
  none,
  before,  ///< the message and the connection are lost
  after,   ///< the server gets the message, but its answer and the connection are lost
  late,    ///< the client's connection is lost at once; the server gets the message a while later
};

class CuttingProxy {
 public:
  explicit CuttingProxy(int server_port) : server_port_(server_port), listener_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    const bool listens =
        bind(listener_, reinterpret_cast<sockaddr*>(&address), size) == 0 && listen(listener_, 64) == 0;
    if (!listens) throw std::runtime_error("no proxy");
    getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    accepting_ = std::thread([this] { accept_all(); });
  }
  CuttingProxy(const CuttingProxy&) = delete;
  CuttingProxy& operator=(const CuttingProxy&) = delete;
  ~CuttingProxy() {
    ends_ = true;
    accepting_.join();
    for (std::thread& thread : threads_) thread.join();
    close(listener_);
  }

  int port() const { return port_; }
  /// The next `times` commits fail in this way.
  void cut(Cut how, int times = 1) {
    how_ = how;
    times_ = times;
  }
  /// Cuts every connection after this number of further bytes; 0 cuts none.
  void cut_after(long bytes) { bytes_left_ = bytes; }
  /// Whether new connections are refused.
  void refuse(bool all) { refuses_ = all; }

 private:
  static sockaddr_in loopback(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    return address;
  }

  void accept_all() {
    while (!ends_) {
      pollfd waiting{listener_, POLLIN, 0};
      if (poll(&waiting, 1, 20) <= 0) continue;
      const int client = accept(listener_, nullptr, nullptr);
      if (client < 0) continue;
      const int server = socket(AF_INET, SOCK_STREAM, 0);
      const sockaddr_in address = loopback(server_port_);
      if (refuses_ || connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        close(client);
        close(server);
        continue;
      }
      const int yes = 1;
      for (const int end : {client, server}) setsockopt(end, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
      threads_.emplace_back([this, client, server] { relay(client, server); });
    }
  }

  void relay(int client, int server) {
    std::array<char, 65536> bytes{};
    bool answer_is_lost = false;
    while (!ends_) {
      std::array<pollfd, 2> ends{{{client, POLLIN, 0}, {server, POLLIN, 0}}};
      if (poll(ends.data(), ends.size(), 20) <= 0) continue;
      const bool from_client = ends[0].revents != 0;
      const ssize_t size = read(from_client ? client : server, bytes.data(), bytes.size());
      if (size <= 0 || is_cut_by(size)) break;
      const std::string message(bytes.data(), static_cast<std::size_t>(size));
      const bool commits = from_client && message.find(std::string("COMMIT\0", 7)) != std::string::npos;
      const Cut how = commits && times_ > 0 && times_-- > 0 ? how_.load() : Cut::none;
      if (how == Cut::before || answer_is_lost) break;
      if (how == Cut::late) {
        shutdown(client, SHUT_RDWR);
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
      }
      if (write(from_client ? server : client, message.data(), message.size()) != size) break;
      answer_is_lost = how == Cut::after || how == Cut::late;
    }
    close(client);
    close(server);
  }

  bool is_cut_by(long size) {
    if (bytes_left_ <= 0) return false;
    if ((bytes_left_ -= size) > 0) return false;
    bytes_left_ = 0;
    return true;
  }

  int server_port_;
  int listener_;
  int port_ = 0;
  std::atomic<bool> ends_ = false;
  std::atomic<bool> refuses_ = false;
  std::atomic<Cut> how_ = Cut::none;
  std::atomic<int> times_ = 0;
  std::atomic<long> bytes_left_ = 0;
  std::thread accepting_;
  std::vector<std::thread> threads_;
};

}  // namespace fractile::testing
