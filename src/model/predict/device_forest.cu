// The kernels of prediction, for GPUs.
#include "cuda/launch.cuh"
#include "model/predict/forest_kernels.h"

namespace simplexboost {

SIMPLEXBOOST_LAUNCH(AddTrees)
SIMPLEXBOOST_LAUNCH(ClassScores)
SIMPLEXBOOST_LAUNCH(TellProbabilities<float>)
SIMPLEXBOOST_LAUNCH(TellProbabilities<double>)
SIMPLEXBOOST_LAUNCH(PickClasses)

}  // namespace simplexboost
