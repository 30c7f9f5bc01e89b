# smtlark: two commands to know are `make run` and `make test`.
GO ?= go
BIN := bin/smtlark
FOR ?= 60s
# What one clone has compiled serves every other.
export GOFLAGS += -trimpath

.PHONY: run aim test quick test-all lint build dist site setup solvers bench fuzz docs man clean

## run: build, install what is missing, and run the quick start for 60 seconds (FOR=10m for longer)
run: aim build setup
	$(BIN) run scripts/quickstart.star --for $(FOR); s=$$?; if [ $$s -eq 10 ] || [ $$s -eq 11 ]; then exit 0; else exit $$s; fi

aim:
	@echo "make run: builds smtlark, looks for z3 and cvc5 and installs what is missing, then tests the solvers of this machine for $(FOR); findings appear as they come"
	@[ -x $(BIN) ] || echo "building: with its modules one to four minutes the first time, later seconds"

## test: set up, lint and pass the gate: what users rely on, one of each matrix (real solvers are required when CI=true)
test: setup lint
	GO="$(GO)" sh tools/test.sh -short

## quick: what changed since the branch of origin, or since COMMIT=...: format, vet, the packages that it touches, docs, scripts of its verbs
quick:
	GO="$(GO)" sh tools/quick.sh $(COMMIT)

## test-all: every test: the matrices, other systems, then the race detector on the gate
test-all: setup lint
	if command -v java >/dev/null && command -v mvn >/dev/null; then JAVA=only sh tools/fetch-solvers.sh .solvers/java; fi
	GO="$(GO)" sh tools/test.sh
	GO="$(GO)" sh tools/test.sh -short -race

## lint: format, vet, staticcheck (staticcheck.conf), functions that nothing reaches, go.mod; internal/archtest has layers and exports
lint:
	test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { echo "not gofmt-ed:"; gofmt -l $$(git ls-files '*.go'); exit 1; }
	GO="$(GO)" sh tools/tidy.sh
	$(GO) vet ./...
	$(GO) tool staticcheck ./...
	GO="$(GO)" sh tools/deadcode.sh

## build: build bin/smtlark, without the tables of debuggers (a third of the file)
build:
	$(GO) build -ldflags=-s -o $(BIN) ./cmd/smtlark

## dist: what a release consists of, in dist/ (.goreleaser.yaml); of a commit without a tag a snapshot
dist:
	GOFLAGS= $(GO) run github.com/goreleaser/goreleaser/v2@v2.15.4 release --clean $$(git describe --exact-match --tags >/dev/null 2>&1 && echo --skip=publish || echo --snapshot)

## site: the pages of docs/ as a site with search, in site/ (mkdocs.yml)
site:
	sh tools/site.sh

## setup: install z3 and cvc5 (Debian packages) and the Go modules, where they are missing
setup:
	sh tools/setup.sh

## solvers: unpack more real solvers, in several versions and without root, into .solvers/
solvers:
	sh tools/fetch-solvers.sh .solvers

## bench: the figures of docs/performance.md
bench: setup
	sh tools/bench.sh

## fuzz: run every fuzz target of our own parsers for a minute each
fuzz:
	sh tools/selffuzz.sh 60s

## docs: regenerate docs/reference.md and stubs/ from the registry
docs: build
	$(BIN) docs

## man: write the manual pages into man/
man: build
	$(BIN) man man

clean:
	rm -rf bin
