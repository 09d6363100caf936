# The harness: fuzzing, faults on purpose, extremes, planted bugs. docs/reliability.md says what each
# promises. RUNS, STEP and JOBS are the counts: `make fuzz RUNS=1000000`, `make fail-calls STEP=1`.
JOBS ?= $(shell nproc)
# A number of its own for each target, unless one is given.
runs = $(if $(RUNS),$(RUNS),$(1))
step = $(if $(STEP),$(STEP),$(1))
FAULTS := python3 tests/faults

.PHONY: fuzz-programs fault-programs fuzz fail-allocations fail-calls kills rank-kills power-loss signals \
  same-bytes extremes predictions planted harness fuzz-bundle harness-bundle

fuzz-programs:
	@scripts/setup develop
	@$(call configure,fuzz)
	@cmake --build --preset fuzz --target simplexboost_fuzz simplexboost_failing simplexboost_extremes

fault-programs:
	@scripts/setup build
	@$(call configure,release,-DSIMPLEXBOOST_FAULTS=ON)
	@cmake --build --preset release --target simplexboost_command simplexboost_tracer

fuzz: fuzz-programs ## replay the fuzzers' corpus, then try RUNS inputs of each target
	@fuzz/run-all --runs $(call runs,20000) --jobs $(JOBS) $(if $(COUNTS),--counts $(COUNTS))

fail-allocations: fuzz-programs fault-programs ## let every STEP-th allocation of every verb fail (PLACES=1: three of each place)
	@$(FAULTS) allocations $(if $(PLACES),--places) --step $(call step,1) --jobs $(JOBS)

fail-calls: fault-programs ## let every STEP-th system call on files fail, in each way that it can
	@$(FAULTS) calls --step $(call step,1) --jobs $(JOBS)

kills: fault-programs ## SIGKILL at every STEP-th call of a save, and at RUNS random times
	@$(FAULTS) kills --runs $(call runs,100) --step $(call step,1) --jobs $(JOBS)

rank-kills: fault-programs ## kill or stop one of three processes of MPI at RUNS random times
	@$(FAULTS) ranks --runs $(call runs,50)

power-loss: fault-programs ## lose what was not synced, RUNS times a command
	@$(FAULTS) power --runs $(call runs,1000) --jobs $(JOBS)

signals: fault-programs ## SIGINT and SIGTERM at RUNS random times
	@$(FAULTS) signals --runs $(call runs,40) --jobs $(JOBS)

same-bytes: fault-programs ## every algorithm, all threads and instruction levels: the same model
	@$(FAULTS) levels --step $(call step,1) --jobs $(JOBS)

extremes: fuzz-programs ## all algorithms at the ends of the numbers, under the sanitizers (FULL=1: large)
	@seq 0 $$(( $(JOBS) - 1 )) | xargs -P $(JOBS) -I PART sh -c \
	  'build/fuzz/tests/faults/simplexboost_extremes $(if $(FULL),--full) --part PART/$(JOBS) \
	   >build/extremes-PART.log 2>&1 || { grep -v "^[a-z]" build/extremes-PART.log | head -50; \
	   tail -3 build/extremes-PART.log; exit 255; }'
	@cat build/extremes-*.log | awk '/^extremes:/ {done += $$2} END {print "extremes: " done " trainings, 0 findings"}'

predictions: ## 16 threads predict RUNS rows each under the thread sanitizer: equal bits
	@scripts/setup develop
	@$(call configure,tsan)
	@cmake --build --preset tsan --target simplexboost_predictions
	@build/tsan/tests/faults/simplexboost_predictions $(call runs,2000) 16

planted: ## plant bugs, one by one, and show that the tests find each
	@tests/planted/run --jobs $(JOBS)

harness: fuzz-programs fault-programs ## the short form of these, but for rank-kills, predictions and planted
	@fuzz/run-all --seconds 30 --jobs $(JOBS)
	@$(FAULTS) allocations --places --step 17 --jobs $(JOBS)
	@$(FAULTS) calls --step 11 --jobs $(JOBS)
	@$(FAULTS) kills --runs 20 --step 17 --jobs $(JOBS)
	@$(FAULTS) power --runs 200 --jobs $(JOBS)
	@$(FAULTS) signals --runs 12 --jobs 1 --limit 15
	@$(FAULTS) levels --step 14 --jobs $(JOBS)
	@$(MAKE) --no-print-directory extremes

fuzz-bundle: fuzz-programs ## the fuzzers alone in build/harness.tar.xz
	@tests/faults/bundle build/harness.tar.xz simplexboost_fuzz simplexboost_extremes

harness-bundle: fuzz-programs fault-programs ## all programs in build/harness.tar.xz, for a machine without a compiler
	@scripts/setup develop
	@$(call configure,tsan)
	@cmake --build --preset tsan --target simplexboost_predictions
	@tests/faults/bundle build/harness.tar.xz
