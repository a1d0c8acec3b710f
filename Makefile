# Everything a developer does here. `make` alone lists it.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# One step after the other even under `make -j`: the steps share the processors
# and print to the same screen.
.NOTPARALLEL:

# The product is pure Go and is tested the way it is shipped: without C. Only
# the race detector needs C; scripts/race switches it back on for itself.
export CGO_ENABLED := 0

# Pinned, so that a new release of a tool never breaks a build by itself.
GOFUMPT     := go run mvdan.cc/gofumpt@v0.12.0
STATICCHECK := go run honnef.co/go/tools/cmd/staticcheck@v0.8.2

# All Go files of ours: not those in hidden folders such as .cache.
GO_FILES = find . -name '.?*' -prune -o -name node_modules -prune -o -name '*.go' -print0

# Go stamps the binary with the commit by asking git, and fails when git refuses
# to answer (no git, or files of another user). Better a binary without a stamp.
BUILDVCS = $$(git status >/dev/null 2>&1 && echo auto || echo false)

step = @printf '\n==> %s (%s)\n' "$(1)" "$$(date +%T)"

.PHONY: help run build test test-steps ahead unit citus browser web web-test guide screens clients operator deploy openapi typescript vendor-viewer lint fmt docs fuzz race soak replay smoke bench bench-growth peers bench-peers release clean

help: ## List these targets
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | \
		while IFS='|' read -r name what; do printf '%-20s %s\n' "$$name" "$$what"; done

run: build ## Build, make a demo business in ./data, and serve it on 127.0.0.1:8080 or the next free port
	@exec scripts/run

build: ## Build ./bin/kith
	$(call step,Building bin/kith)
	go build -ldflags='-s -w' -buildvcs=$(BUILDVCS) -o bin/kith ./cmd/kith
	@[ "$$(wc -c <bin/kith)" -lt 40000000 ] || { echo 'bin/kith has more than 40 MB: what made it so large?' >&2; exit 1; }

# The server is started here, once; the calls of with-postgres further in see
# that it is there and only run their command. exec, here and below: the script
# takes the shell's place, so that a signal make passes on reaches the script.
test: ## Everything: lint, tests on SQLite and PostgreSQL, browser, clients, race detector
	@exec scripts/with-postgres $(MAKE) --no-print-directory test-steps

test-steps:
	@scripts/beside ahead 'lint build unit citus'
	@scripts/beside 'clients operator deploy openapi typescript smoke race' 'browser web-test'
	$(call step,All passed)

# What cannot be fetched now is told by the step that needs it.
ahead:
	-@scripts/ahead

# The longest first, so that none of them runs alone in the end. Three at once: tests wait for disks, locks and processes half of the time. Lint has vetted everything already.
unit: ## All tests, on SQLite and on PostgreSQL
	$(call step,Tests on SQLite and PostgreSQL)
	exec scripts/with-postgres go test -vet=off -p 3 -timeout 40m -shuffle=on ./cmd/kith ./internal/store ./internal/exchange ./internal/httpapi ./...

# The pattern without a slash comes first: one with a slash matches the beginning of every name, and go test looks no further.
citus: ## All tests that use PostgreSQL on a Citus cluster, where one can be had
	$(call step,Tests on a Citus cluster)
	scripts/with-citus go test -timeout 30m -p 1 -skip 'TestSQLite|/sqlite' ./internal/pgtest ./internal/store ./internal/record ./internal/account ./internal/crm ./internal/merge ./internal/notify ./internal/work ./internal/exchange ./internal/webhook ./internal/httpapi ./internal/oauth ./internal/agents ./internal/web ./internal/demo ./client
	scripts/with-citus go test -timeout 10m -run ShareADatabase ./cmd/kith
	@if [ -z "$${KITH_TEST_CITUS:-}" ]; then \
		exec scripts/with-citus env KITH_TEST_CITUS_FAULTS=1 go test -timeout 5m -p 1 -run 'MachineOfACluster' ./internal/store ./cmd/kith; \
	else \
		echo 'NOT RUN: machines are killed only in a cluster of our own, and KITH_TEST_CITUS names another'; \
	fi

browser: ## The pages clicked through in a real browser (Chromium)
	$(call step,Pages in Chromium)
	exec scripts/browser-test

web: ## Build the app anew: web/dist from web/app (needs Node)
	$(call step,Building web/dist)
	exec scripts/web-test --build

web-test: ## The app: types, logic, the same build to the byte, and journeys in a real browser
	$(call step,The app)
	exec scripts/with-postgres scripts/web-test

guide: ## Take the pictures of the user's guide anew, by the journeys that are tests
	$(call step,Pictures of the guide)
	KITH_TEST_GUIDE=docs/guide exec scripts/with-postgres scripts/web-test

screens: ## Take a picture of every screen, light, dark and on a phone, into bin/screens
	$(call step,Pictures of every screen)
	KITH_TEST_SHOTS=$(CURDIR)/bin/screens exec scripts/with-postgres scripts/web-test

clients: ## OAuth clients that others wrote, against the real program
	$(call step,OAuth clients that others wrote)
	exec scripts/with-postgres scripts/client-test

operator: ## Certificates by ACME, metrics and traces, with what others wrote
	$(call step,Certificates, metrics and traces)
	exec scripts/operator-test

deploy: ## The Helm chart, rendered for each kind of database, under the tools of that field
	$(call step,Helm chart)
	exec scripts/deploy-test

openapi: ## The OpenAPI document under the linters of others, and a typed client made from it
	$(call step,OpenAPI document and typed client)
	exec scripts/openapi-test

typescript: ## The client for TypeScript as it is published, against the real program
	$(call step,Client for TypeScript)
	exec scripts/typescript-test

vendor-viewer: ## Fetch the viewer of the reference anew
	exec scripts/vendor-viewer

lint: ## Formatting, go vet, staticcheck, and which package may import which
	$(call step,Formatting (gofumpt))
	@unformatted=$$($(GO_FILES) | xargs -0 $(GOFUMPT) -l); \
	if [ -n "$$unformatted" ]; then \
		printf 'Not formatted, run "make fmt":\n%s\n' "$$unformatted" >&2; exit 1; \
	fi
	$(call step,go vet)
	go vet ./...
	go vet -tags soak ./cmd/kith ./internal/store/sqlite/faultfs
	$(call step,staticcheck)
	$(STATICCHECK) ./...
	$(call step,Import direction)
	go test -count=1 -run TestImportDirection ./internal

fmt: ## Format all Go files
	@$(GO_FILES) | xargs -0 $(GOFUMPT) -w

docs: ## Rewrite what is generated from the declarations: docs/reference.md, and the clients for Go and TypeScript
	go run ./cmd/docs

race: ## The concurrency tests under the race detector (needs a C compiler)
	$(call step,Concurrency tests under the race detector)
	exec scripts/with-postgres scripts/race

soak: fuzz peers ## Fuzzing, the build of the benchmark's peer, and the long campaigns of kills, crashes and fail-overs (RUN=TestFailover make soak: only some; MINUTES=60: again and again for an hour)
	$(call step,Long campaigns)
	exec scripts/with-postgres scripts/soak

replay: ## Do again the crash or the failing disk of SQLite that a test has found (SEED=everything/1/679/277517555)
	KITH_TEST_SEED=$(SEED) go test -count=1 -v -run 'CrashesLoseNothing|CallsThatFailLoseNothing' ./internal/store/sqlite/faultfs

fuzz: ## Every fuzz test for 10 seconds each (FUZZTIME=1m make fuzz: longer)
	$(call step,Fuzzing)
	exec scripts/with-postgres scripts/fuzz

# On the server of the tests, where a wait for the disk is left out: this is not to measure.
smoke: build ## A short run of the benchmark, to see that it works
	$(call step,Benchmark in short)
	exec scripts/with-postgres bash -c 'KITH_BENCH_POSTGRES=$$KITH_TEST_POSTGRES exec bin/kith bench --contacts 3000 --businesses 1 --each 30ms --mix 200ms'
	bin/kith bench --growth 1000,2000 --businesses 3 --each 10ms --only page --plot /dev/null

bench: build ## Measure kith on this machine beside the floor of its database (ARGS='--contacts 1000000')
	exec scripts/with-postgres --bench bin/kith bench $(ARGS)

bench-growth: build ## Measure how reads grow from 10,000 to 1,000,000 contacts (ARGS='--plot growth.svg')
	bin/kith bench --growth 10000,100000,1000000 --businesses 1000 $(ARGS)

# A module of its own, which needs a newer Go than kith does: Go fetches it.
peers: ## Build what measures kith beside PocketBase
	$(call step,Building bin/peers)
	cd bench/peers && GOTOOLCHAIN=auto go build -mod=readonly -buildvcs=false -o ../../bin/peers .

bench-peers: build peers ## Measure kith beside PocketBase (ARGS='--contacts 1000000')
	./bin/peers $(ARGS)

release: ## Archives for Linux, macOS and Windows with checksums and notes in ./dist; two builds are compared
	exec scripts/release

clean: ## Remove what was built and downloaded (not ./data)
	rm -rf bin dist .cache
