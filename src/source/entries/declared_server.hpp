// The name of a server on a ledger.
#pragma once

#include <string>

namespace fractile::source_detail {

/// A server's address as a ledger's dataset declares it: without passwords, and with the options of the variable PGOPTIONS where it has
/// none itself, since options decide which tables a query names.
std::string declared_server(const std::string& address);

}  // namespace fractile::source_detail
