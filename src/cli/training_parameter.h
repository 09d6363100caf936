// One training parameter from text, checked as far as it can be before there is data.
#pragma once

#include <string>

#include "simplexboost/parameters.h"

namespace simplexboost::cli {

// As set_parameter, and an algorithm's name must be one of the table's. Throws ParameterError.
void set_training_parameter(Parameters& parameters, const std::string& name,
                            const std::string& text);

// The same for an option of the command line: throws UsageError that begins with "--NAME: ".
void set_parameter_option(Parameters& parameters, const std::string& name, const std::string& text);

}  // namespace simplexboost::cli
