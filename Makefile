# The two commands of the README (make demo, make test) and a developer's daily ones. CMake does
# the building; this file only names the steps. `make help` lists them.

PREFIX ?= /usr/local
COMMAND := build/release/simplexboost
SOURCES = $$(git ls-files --cached --others --exclude-standard '*.h' '*.cpp')

# $(call configure,preset,options): quiet unless it fails.
configure = mkdir -p build && { cmake --preset $(1) $(2) >build/$(1)-configure.log 2>&1 || \
  { cat build/$(1)-configure.log >&2; exit 1; }; }

.DEFAULT_GOAL := build
.PHONY: build demo test check-sanitizers asan tsan bench format check-format lint install clean help

build: ## build build/release/simplexboost (the default)
	@scripts/setup build
	@$(call configure,release,-DSIMPLEXBOOST_TESTS=OFF)
	@cmake --build --preset release

demo: build ## build, then train and judge a model on a generated data set
	@$(COMMAND) demo

test: ## build and run all tests, C++ and Python
	@scripts/setup test
	@$(call configure,release,-DSIMPLEXBOOST_TESTS=ON)
	@cmake --build --preset release
	@ctest --preset release
	@SIMPLEXBOOST_BIN=$(CURDIR)/$(COMMAND) build/venv/bin/python -m pytest tests/python

asan: ## run the C++ tests under the address and undefined-behaviour sanitizers
	@scripts/setup test
	@$(call configure,asan)
	@cmake --build --preset asan
	@ctest --preset asan

tsan: ## run the C++ tests under the thread sanitizer (clang)
	@scripts/setup develop
	@$(call configure,tsan)
	@cmake --build --preset tsan
	@ctest --preset tsan

check-sanitizers: asan ## the sanitizer runs that continuous integration asks for

bench: ## build and run the benchmarks
	@scripts/setup bench
	@$(call configure,bench)
	@cmake --build --preset bench
	@build/bench/bench/simplexboost_bench

format: ## rewrite the C++ sources by .clang-format
	@scripts/setup develop
	@clang-format -i $(SOURCES)

check-format: ## fail where a C++ source is not formatted
	@scripts/setup develop
	@clang-format --dry-run --Werror $(SOURCES)

lint: ## run clang-tidy (see .clang-tidy) on every C++ source
	@scripts/setup develop
	@$(call configure,lint)
	@scripts/lint build/lint

install: build ## install to PREFIX (default /usr/local)
	@cmake --install build/release --prefix $(PREFIX)

clean: ## remove everything that was built, the Python environment too
	@rm -rf build

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-17s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
