GO ?= go
FUZZTIME ?= 30s
# A loop that lies across a cache line costs a rule up to a sixth of its speed: docs/performance.md.
ALIGN := -ldflags=-funcalign=64
RACE_PKGS ?= ./...

.PHONY: build run test check generate fuzz race 386 staticcheck bench points crash

# The main job: evolve a bin-packing rule from best fit.
run:
	$(GO) run $(ALIGN) ./cmd/adrun evolve examples/binpack.yaml

# The tests. They need no C compiler.
test:
	CGO_ENABLED=0 $(GO) test -timeout 30m ./...

build:
	$(GO) build $(ALIGN) -o bin/adrun ./cmd/adrun

# Everything that must hold before a commit, the tests apart.
check:
	@out=$$(gofmt -l $$(git ls-files '*.go')); test -z "$$out" || { echo "gofmt would change:"; echo "$$out"; exit 1; }
	$(GO) vet ./...
	$(GO) mod tidy -diff
	$(MAKE) staticcheck
	$(MAKE) generate
	git diff --exit-code

staticcheck:
	$(GO) tool -modfile=tools/go.mod staticcheck ./...

generate:
	$(GO) generate ./...

# The race detector needs a C compiler.
race:
	CGO_ENABLED=1 $(GO) test -race -timeout 30m $(RACE_PKGS)

# 32 bits: the tests where the kernel runs such programs, else what the compiler and vet can say.
386:
	CGO_ENABLED=0 GOARCH=386 $(GO) vet ./...
	@if CGO_ENABLED=0 GOARCH=386 $(GO) run ./internal/arch/hello >/dev/null 2>&1; then \
		CGO_ENABLED=0 GOARCH=386 $(GO) test ./dsl/... ./gate/... ./internal/...; \
	else echo "32-bit programs do not run here: the tests were vetted for 386, not run"; fi

# Every fuzz target for FUZZTIME. Before Go 1.27 the end of that time itself can be reported as a failure
# (go.dev/issue/75804): without an input that fails, it is none.
fuzz:
	@set -e; log=$$(mktemp); trap 'rm -f "$$log"' EXIT; for pkg in $$($(GO) list ./...); do \
		list=$$($(GO) test -list '^Fuzz' $$pkg) || { echo "$$list"; exit 1; }; \
		for target in $$(echo "$$list" | grep '^Fuzz' || true); do \
			echo "$$pkg $$target"; status=0; \
			$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 5s $$pkg >"$$log" 2>&1 || status=$$?; \
			tail -n 40 "$$log"; \
			if [ $$status != 0 ]; then \
				grep -q '^    context deadline exceeded$$' "$$log" && ! grep -q 'Failing input' "$$log" || exit $$status; \
				echo "only the time was up"; \
			fi; \
		done; \
	done

# The portable functions against a higher-precision reference, ten million points each.
points:
	$(GO) test ./dsl/fmath -run Accuracy -points 10000000 -timeout 2h -v

# Kills real processes after every durable write and at 800 random instants, and the command line 200 times, evolve
# and resume, with an evaluator that writes its calls down; lets 8 writers in 2 processes make 10,000
# commits; flips a thousand bytes of each file of a ledger. Five minutes of processor time; on the clock two or three times
# that, for the disk.
crash:
	$(GO) test ./engine/ledger -run Kills -kills 1600 -timeout 2h -v
	$(GO) test ./engine/ledger -run Writers -commits 10000 -timeout 2h -v
	$(GO) test ./cmd/adrun -run 'Killed|FullDisk|Doctor' -kills 200 -flips 1000 -timeout 2h -v

# The tables of docs/performance.md, measured anew.
bench:
	$(GO) run ./internal/perf
