// Tables of a report beside the one of test errors: further measures with the paper's figures,
// whether the bounds held, what validation chose, and who beats whom.
#pragma once

#include <string>
#include <vector>

#include "experiment/run.h"

namespace simplexboost {

// The mean over the cells of a measure, "error" being that of the test, in percent; NaN where it
// was not measured.
double row_measure(const ExperimentRow& row, const std::string& name);

// All in Markdown, and empty where there is nothing to say. Unfinished rows are left out.

// A line for each data set, a column for each algorithm and measure; the paper's in brackets.
std::string measure_table(const ExperimentSpec& spec, const std::vector<ExperimentRow>& rows);

// How often the bounds of each algorithm were compared, and how often they did not hold.
std::string bounds_list(const std::vector<ExperimentRow>& rows);

// Of rows with one split; the CSV file has all.
std::string choices_list(const std::vector<ExperimentRow>& rows);

// '+' where the first is lower, '-' where the second is, 'o' where they agree in what a paper would
// print: two decimals. '?' where one is not known.
char sign_of(double first, double second);

// A line for each data set with a sign for each measure, ours and the paper's, and the totals
// "wins-draws-losses".
std::string pairwise_table(const PairwiseTable& table, const std::vector<ExperimentRow>& rows);

}  // namespace simplexboost
