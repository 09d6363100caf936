# The two commands of the README (make demo, make test) and a developer's daily ones. CMake does
# the building; this file only names the steps. `make help` lists them.

PREFIX ?= /usr/local
COMMAND := build/release/simplexboost
# The interpreter that the extension is built for: that of the tests. CMake forgets what it knew of another.
PYTHON := -U 'Python_*' -U '_Python_*' -U nanobind_DIR -DPython_EXECUTABLE=$(CURDIR)/build/venv/bin/python
SOURCES = $$(git ls-files --cached --others --exclude-standard '*.h' '*.cpp' '*.js')

# $(call configure,preset,options): quiet unless it fails.
configure = mkdir -p build && { cmake --preset $(1) $(2) >build/$(1)-configure.log 2>&1 || \
  { cat build/$(1)-configure.log >&2; exit 1; }; }

.DEFAULT_GOAL := build
.PHONY: build demo test docs check-results test-oldest test-cuda wheel release asan tsan tsan-threads bench sbom format check-format lint lint-python install clean help

build: ## build build/release/simplexboost (the default)
	@scripts/setup build
	@$(call configure,release,-DSIMPLEXBOOST_TESTS=OFF)
	@cmake --build --preset release

demo: build ## build, then train and judge a model on a generated data set
	@$(COMMAND) demo

test: ## build and run all tests, C++ and Python
	@scripts/setup test
	@$(call configure,release,-DSIMPLEXBOOST_TESTS=ON -DSIMPLEXBOOST_PYTHON=ON $(PYTHON))
	@cmake --build --preset release
	@ctest --preset release
	@SIMPLEXBOOST_BIN=$(CURDIR)/$(COMMAND) PYTHONPATH=$(CURDIR)/build/release/python \
	  build/venv/bin/python -m pytest tests/python

test-oldest: ## run the estimators' tests with the oldest Python, numpy and scikit-learn that are supported
	@scripts/setup test
	@test -x build/oldest/bin/python || $$(scripts/oldest-python) -m venv build/oldest
	@build/oldest/bin/python --version
	@build/oldest/bin/pip install --quiet --requirement tests/python/requirements-oldest.txt
	@$(call configure,release,-DSIMPLEXBOOST_PYTHON=ON $(subst build/venv,build/oldest,$(PYTHON)))
	@cmake --build --preset release --target simplexboost_python simplexboost_command
	@SIMPLEXBOOST_BIN=$(CURDIR)/$(COMMAND) PYTHONPATH=$(CURDIR)/build/release/python \
	  build/oldest/bin/python -m pytest tests/python/package/test_sklearn.py \
	  tests/python/package/test_estimator.py tests/python/package/test_parameters.py \
	  tests/python/package/test_learner.py

test-cuda: ## run the tests of devices on a GPU: those of the kernels' formulas, the C++ tests and the package's
	@scripts/setup test
	@$(call configure,cuda,-DSIMPLEXBOOST_TEST_FILES=/tests/cuda/ -DSIMPLEXBOOST_PYTHON=ON $(PYTHON))
	@cmake --build --preset cuda --target simplexboost_tests simplexboost_python
	@$$(sed -n 's/^SIMPLEXBOOST_NVCC:FILEPATH=//p' build/cuda/CMakeCache.txt) -std=c++20 --fmad=false \
	  --expt-relaxed-constexpr -arch=native -Isrc tests/cuda/formulas.cu -o build/cuda/formulas
	@build/cuda/formulas
	@SIMPLEXBOOST_TEST_DEVICE=cuda build/cuda/tests/simplexboost_tests --gtest_filter='Device*'
	@build/venv/bin/python -c 'import cupy, torch' || { echo "the package's tests need cupy and torch: build/venv/bin/pip install cupy-cuda13x torch" >&2; exit 1; }
	@SIMPLEXBOOST_TEST_DEVICE=cuda PYTHONPATH=$(CURDIR)/build/cuda/python \
	  build/venv/bin/python tests/python/package/test_device.py

check-results: build ## rerun the quick reports of experiments/ and fail where one differs: make check-results DATA=DIR
	@test -n "$(DATA)" || { echo "say where the data sets are: make check-results DATA=DIR" >&2; exit 1; }
	@python3 scripts/check-results $(COMMAND) $(DATA)

docs: ## build the documentation site, build/site; a broken link is an error
	@scripts/setup test
	@cmp -s docs/requirements.txt build/docs/requirements.txt || { python3 -m venv build/docs && \
	  build/docs/bin/pip install --quiet --requirement docs/requirements.txt && cp docs/requirements.txt build/docs; }
	@$(call configure,release,-DSIMPLEXBOOST_PYTHON=ON $(PYTHON))
	@cmake --build --preset release --target simplexboost_python simplexboost_stub simplexboost_command
	@PYTHONPATH=$(CURDIR)/build/release/python build/venv/bin/python scripts/site.py $(COMMAND) build/site-pages
	@NO_MKDOCS_2_WARNING=1 build/docs/bin/mkdocs build --strict --quiet
	@echo "build/site/index.html; with search: python3 -m http.server -d build/site"

wheel: ## build a wheel in dist/
	@scripts/setup test
	@build/venv/bin/python -m build --wheel --no-isolation -Cbuild-dir=build/wheel -o dist

release: ## wheels, source distribution, bill of materials and checksums in dist/, tried on bare systems (root)
	@scripts/setup test
	@scripts/release/run

# Each takes a minute and more under a sanitizer; FULL=1 runs them too.
LONG := HostileFile.EveryTurnedBit*:HostileFile.ChangedArrays*:Parted*:*TenThousandRounds*:*/StepGuard.*:*/LineGuard.*:OwnPair.*:ShareBoosting.EveryBound*:Grower.NodesCut*:ResumePhases.*:DmcBoost.*:Waveform.Bayes*
asan: ## run the C++ tests under the address and undefined-behaviour sanitizers; PART=0/5 to 4/5: a fifth of them
	@scripts/setup develop
	@$(call configure,fuzz)
	@cmake --build --preset fuzz --target simplexboost_tests
	@PART=$(or $(PART),0/1) $(if $(FULL),,RC_PARAMS=max_success=20) scripts/shards \
	  build/fuzz/tests/simplexboost_tests $(if $(FULL),,--gtest_filter='-$(LONG)')

tsan: ## run the C++ tests under the thread sanitizer (clang)
	@scripts/setup develop
	@$(call configure,tsan)
	@cmake --build --preset tsan
	@ctest --preset tsan

# Of what holds of every algorithm, these run in one thread, and long.
ONE_THREAD := */EveryAlgorithm.Stands*:*/EveryAlgorithm.Takes*:*/EveryAlgorithm.Rows*:*/EveryAlgorithm.Records*:*/EveryAlgorithm.Stays*
# And these are long, and their threads meet in no other way than those of shorter tests.
LONG_THREADED := PartedLearner.Hypotheses*:Peers.SumsPartsOfAny*:RankedQuality.WrongLabels*:SparseGrowth.GivesTheTrees*:DevicesOfRanks.ValidationData
tsan-threads: ## as tsan, but only the tests of what uses threads, which takes minutes
	@scripts/setup develop
	@$(call configure,tsan)
	@cmake --build --preset tsan --target simplexboost_threaded_tests race
	@TSAN_OPTIONS=die_after_fork=0 scripts/shards build/tsan/tests/simplexboost_threaded_tests --gtest_filter='-$(ONE_THREAD):$(LONG_THREADED)'
	@ctest --preset tsan -R '^sanitizers\.'

bench: ## build and run the benchmarks
	@scripts/setup bench
	@$(call configure,bench)
	@cmake --build --preset bench
	@build/bench/bench/simplexboost_bench

sbom: ## write the software bill of materials, build/sbom.spdx.json
	@python3 scripts/sbom build

format: ## rewrite the sources in C++ and JavaScript by .clang-format
	@scripts/setup develop
	@clang-format -i $(SOURCES)

check-format: ## fail where a C++ source is not formatted
	@scripts/setup develop
	@clang-format --dry-run --Werror $(SOURCES)

lint-python: ## run ruff (see pyproject.toml) on every Python source
	@scripts/setup test
	@build/venv/bin/ruff check .

lint: ## run clang-tidy (see .clang-tidy) on every C++ source; PART=0/5 to 4/5: a fifth of them
	@scripts/setup develop
	@$(call configure,lint)
	@scripts/lint build/lint . $(or $(PART),0/1)

install: build ## install to PREFIX (default /usr/local)
	@cmake --install build/release --prefix $(PREFIX)

clean: ## remove everything that was built, the Python environment too
	@rm -rf build

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-17s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

include tests/faults/targets.mk
