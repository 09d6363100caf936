#include "base/stop.h"

namespace simplexboost::stop_detail {

void throw_stopped() { throw Stopped(); }

}  // namespace simplexboost::stop_detail
