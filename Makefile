# The targets are the same on a developer's machine and in CI; `make help` lists them.

SHELL       := bash
VERSION     := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS     := -s -w -X gatehouse.internal/bootstrap.Version=$(VERSION)
# Everything is stripped when it is linked; the compiler takes a quarter less time
# when it need not write for debuggers. Without the paths of the checkout, what one
# checkout compiled serves all others.
export GOFLAGS := $(GOFLAGS) -buildvcs=false -trimpath -gcflags=all=-dwarf=false
# What runs by itself is compiled alike, so that a clean checkout compiles the
# standard library for it once.
BUILD       := CGO_ENABLED=0 go build
LINT        := bin/golangci-lint
# How tests are compiled: under the race detector, except for SQLite, which is C
# translated to Go. Its memory is mapped, and the detector looks at Go's memory alone:
# there is nothing it could find, and it makes SQLite ten times slower. Nor is there
# in what hashes passwords and judges their strength, by one goroutine each in memory of
# its own. The linters read what is compiled for most tests, without the detector:
# `compiled` does that before both begin.
ALONE       := $(addprefix modernc.org/,sqlite/lib libc memory) $(addprefix golang.org/x/crypto/,bcrypt blowfish pbkdf2 scrypt) github.com/trustelem/zxcvbn/...
RACE        := -race $(foreach package,$(ALONE),'-gcflags=$(package)=-race=false -dwarf=false')
BENCH       ?=

.DEFAULT_GOAL := help
.PHONY: run build compiled linter test proof lint fmt check golden bench screens setup clean help

run: build ## Start a development instance on SQLite under data/ (needs Go alone)
	@exec ./bin/gatehouse dev

build: ## Build the stripped binary bin/gatehouse
	@$(BUILD) -ldflags '$(LDFLAGS)' -o bin/gatehouse ./bootstrap/gatehouse

compiled:
	@CGO_ENABLED=0 go list -export -deps -test ./... >/dev/null

linter:
	@$(BUILD) -ldflags '-s -w' -modfile=.ci/tools.mod -o $(LINT) github.com/golangci/golangci-lint/v2/cmd/golangci-lint

test: setup ## Run all tests; narrow with PKG=./domain/... and ARGS='-run Name'
	@.ci/test $(RACE) -- $(PKG) $(ARGS)

proof: setup ## Run what takes long or an idle machine: comparisons of times, and commands under the race detector
	@.ci/test -- ./test/e2e/... -tags proof -count=1 -parallel 1 -run '^TestProof' $(ARGS)
	@.ci/test $(RACE) -- ./test/family/...

lint: linter ## Run golangci-lint, which judges the format as well
	@GOGC=200 GOMEMLIMIT=8GiB CGO_ENABLED=0 $(LINT) run --allow-parallel-runners ./...

fmt: linter ## Rewrite the sources with gofumpt and gci
	@$(LINT) fmt

check: lint ## Lint, go.mod tidiness, go vet and drift of the golden files
	@go mod tidy -diff
	@go vet ./...
	@go test ./test/golden/...

golden: ## Rewrite the golden files from the code, to be reviewed as a diff
	@go test ./test/golden -update

bench: setup ## Drive the real binary and print its speed; options in BENCH='...'
	@go run ./test/bench $(BENCH)

screens: setup ## Take pictures of every page, on desktop and phone, light and dark, into screens/
	@go test ./test/e2e/pages ./test/e2e/oauth -run '^(TestEveryPage.*Fits|TestDevelopmentPages|TestPagesHelp)$$' -count=1 -screens=$(CURDIR)/screens

setup: ## Install what tests need (C compiler, PostgreSQL, Redis, Chromium, Node.js, stripe-mock, oauth2-proxy) through apt, or print how
	@.ci/setup

clean: ## Remove built binaries and coverage files; data/ is kept
	@rm -rf bin coverage*.out coverage*.html

help: ## List the targets
	@awk -F ':[^#]*## ' '/^[a-z]+:.*## / {printf "  %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
