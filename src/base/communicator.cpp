#include "base/communicator.h"

namespace simplexboost {

Communicator& no_others() {
  static Communicator alone;
  return alone;
}

}  // namespace simplexboost
