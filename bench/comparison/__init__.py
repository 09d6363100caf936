"""The comparison of simplexboost with other libraries: see bench/peers."""
