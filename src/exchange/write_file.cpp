#include "base/files/atomic_file.h"
#include "simplexboost/exchange.h"

namespace simplexboost::inline SIMPLEXBOOST_ABI {

void write_file(const std::string& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
