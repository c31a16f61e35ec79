# Everything runs from this folder. `make` alone lists the targets.

SHELL       := bash
.SHELLFLAGS := -eu -o pipefail -c
MAKEFLAGS   += --no-print-directory --no-builtin-rules

GO        ?= go
# Packages: `work` is every package of every module in go.work.
PKGS      ?= work
BENCH     ?= .
BENCHTIME ?= 1s
FUZZTIME  ?= 10s
FUZZ      ?= .

# The kernel families that tools/asmgen writes, one file of asm/ each.
KERNELS   := within crossing cellindex quantise scatter find far extent prefetch select measure scan
GENERATED := $(KERNELS:%=asm/%_amd64.s)

# What must build and vet besides the machine at hand, as GOOS/GOARCH.
PLATFORMS := linux/386 linux/riscv64 android/arm64 darwin/arm64 windows/amd64 windows/arm64 \
	freebsd/amd64 openbsd/amd64 netbsd/amd64 solaris/amd64 plan9/amd64 js/wasm wasip1/wasm
# Where the command line tool must build too.
TOOL_PLATFORMS := darwin/arm64 windows/amd64 freebsd/amd64

# The folder of each module of the workspace.
MODULES = $(shell $(GO) list -m -f '{{.Dir}}')
# The linter is built from .ci/tools.mod, so that no module of ours depends on
# it. A modfile and a workspace exclude each other, hence GOWORK=off.
STATICCHECK = "$$(GOWORK=off $(GO) tool -modfile=.ci/tools.mod -n staticcheck)"

.DEFAULT_GOAL := help

##@ Use

.PHONY: demo
demo: ## play a recorded crowd through the engine and print a table
	@$(GO) run ./tools/vicinity replay

.PHONY: test
test: ## test every package of every module
	$(GO) test $(PKGS)

##@ Change

.PHONY: check
check: check-format vet lint check-tidy check-generated test test-purego test-invariants test-race platforms ## all that a change must pass (no emulators needed)
	@echo "check: all passed"

.PHONY: generate
generate: ## write the amd64 kernels of asm/ anew
	@for k in $(KERNELS); do \
		$(GO) run -C tools/asmgen . -kernel $$k -out ../../asm/$${k}_amd64.s -pkg asm; \
	done

.PHONY: format
format: ## gofmt everything
	gofmt -w .

.PHONY: tidy
tidy: ## bring go.mod and go.sum of every module up to date
	@echo "(errors about tests of go-pcgr are expected: some of what they import cannot be had everywhere)"
	@for m in $(MODULES); do echo "$$m"; $(GO) -C "$$m" mod tidy -e; done

.PHONY: bench
bench: ## run benchmarks; BENCH=regexp BENCHTIME=1s PKGS=./bench
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchtime $(BENCHTIME) $(PKGS)

.PHONY: figures
figures: ## measure what the design promises, side by side, as a table; ONLY=query picks some
	$(GO) run ./bench/figures -only '$(ONLY)'

.PHONY: pictures
pictures: ## draw the pictures of docs/queries anew (needs the recorded traces)
	cd tools/vicinity && $(GO) test -run TestPicturesAreCurrent -count 1 . -update

.PHONY: compare
compare: ## measure against what one would use instead (g++ and libnanoflann-dev for the C++ one); QUICK=1, ONLY=k=16, JSON=file
	$(GO) run ./bench/compare $(if $(QUICK),-quick) -only '$(ONLY)' -json '$(JSON)'

.PHONY: fuzz
fuzz: ## run every fuzz target for FUZZTIME; FUZZ=regexp picks some
	@FUZZTIME=$(FUZZTIME) .ci/fuzz '$(FUZZ)'

##@ Single checks

.PHONY: build
build: ## compile everything
	$(GO) build $(PKGS)

.PHONY: check-format
check-format: ## list what gofmt would change
	@out=$$(gofmt -l .); if [ -n "$$out" ]; then echo "gofmt would change:"; echo "$$out"; exit 1; fi

.PHONY: vet
vet: ## go vet: plain, purego, race, invariants, arm64 (includes the assembly's frames)
	$(GO) vet $(PKGS)
	$(GO) vet -tags purego $(PKGS)
	$(GO) vet -race -tags invariants $(PKGS)
	GOARCH=arm64 $(GO) vet $(PKGS)

.PHONY: lint
lint: ## staticcheck: plain, purego, arm64
	$(STATICCHECK) $(PKGS)
	$(STATICCHECK) -tags purego $(PKGS)
	sc=$(STATICCHECK); GOARCH=arm64 "$$sc" $(PKGS)

.PHONY: check-tidy
check-tidy: ## fail if go.mod or go.sum is not what tidy would write
	@for m in $(MODULES); do \
		echo "go mod tidy -e -diff in $$m"; \
		out=$$($(GO) -C "$$m" mod tidy -e -diff 2>&1) || { echo "$$out"; exit 1; }; \
	done

.PHONY: check-generated
check-generated: ## fail if a generated file is not what the generator writes
	@.ci/generated $(GENERATED)

.PHONY: test-race
test-race: ## short tests under the race detector (portable kernels, heap memory)
	$(GO) test -short -race $(PKGS)

.PHONY: test-purego
test-purego: ## short tests without assembly; `test` plays all of them on the portable kernels too
	$(GO) test -short -tags purego $(PKGS)

.PHONY: test-invariants
test-invariants: ## short tests with every structure checking itself
	$(GO) test -short -tags invariants $(PKGS)

.PHONY: test-v3
test-v3: ## short tests compiled for amd64 v3, where the compiler may fuse products
	GOAMD64=v3 $(GO) test -short ./...

.PHONY: test-arm64
test-arm64: ## short tests of the library on an emulated arm64
	GOARCH=arm64 $(GO) test -short -timeout 20m -exec qemu-aarch64-static ./...

.PHONY: golden
golden: ## the recorded digests on s390x (emulated), 386 and js/wasm (Node)
	@.ci/golden

.PHONY: platforms
platforms: ## vet for other systems and architectures
	@for p in $(PLATFORMS); do \
		echo "vet $$p"; GOOS=$${p%/*} GOARCH=$${p#*/} $(GO) vet ./...; \
	done
	@for p in $(TOOL_PLATFORMS); do \
		echo "vet and link tools for $$p"; \
		GOOS=$${p%/*} GOARCH=$${p#*/} $(GO) vet ./tools/...; \
		GOOS=$${p%/*} GOARCH=$${p#*/} $(GO) build -o /dev/null ./tools/vicinity; \
	done

.PHONY: consumer
consumer: ## run the README's example in a module of its own
	@.ci/consumer

.PHONY: help
help: ## this list
	@awk 'BEGIN { FS = ":.*## " } \
		/^##@ / { printf "\n%s\n", substr($$0, 5) } \
		/^[a-z0-9-]+:.*## / { printf "  %-16s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))
