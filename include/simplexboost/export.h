// What programs may link with, and under which name. All public names live in an inline namespace
// of the minor version: a program that was compiled against another one fails to link, where it
// would otherwise fail to run.
#pragma once

#include "simplexboost/version.h"

// A shared library shows these symbols and no others.
#define SIMPLEXBOOST_API __attribute__((visibility("default")))
