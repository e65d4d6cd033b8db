// Names of what joins several chips. One is simulated: they are declared so that headers that mention them compile, and nothing makes one.
#pragma once

#include "../stl.hpp"

namespace tt::tt_metal::distributed::multihost {

using Rank = ttsl::StrongType<int, struct RankTag>;
using Tag = ttsl::StrongType<int, struct TagTag>;
class DistributedContext;

}  // namespace tt::tt_metal::distributed::multihost

namespace tt::tt_metal::distributed {
struct SocketConnection;
}  // namespace tt::tt_metal::distributed

namespace ttnn::distributed {

enum class SocketType { MPI, FABRIC };
enum class EndpointSocketType { SENDER, RECEIVER, BIDIRECTIONAL };
class ISocket;
class BidirectionalFabricSocket;

}  // namespace ttnn::distributed
