// The losses of jmlr2019, Table 3: exponential, logistic and Savage.
#pragma once

#include <memory>

#include "loss/loss.h"

namespace simplexboost {

std::shared_ptr<const Loss> exponential_loss();  // gamma(s) = s,            phi(v) = e^-v
std::shared_ptr<const Loss> logistic_loss();     // gamma(s) = log(1 + s),   phi(v) = e^-2v
std::shared_ptr<const Loss> savage_loss();       // gamma(s) = (s/(1+s))^2,  phi(v) = e^-2v

}  // namespace simplexboost
