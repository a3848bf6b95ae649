# crdlab: "make run" serves the playground, "make test" runs all tests.

SHELL := /bin/bash
.DELETE_ON_ERROR:

# All builds and tests share these settings, so Go compiles the Kubernetes
# libraries only once. Without grpcnotrace, the linker keeps every method of every type.
export CGO_ENABLED := 0
export GOFLAGS := -trimpath -tags=grpcnotrace -buildvcs=false
GO_LDFLAGS := -s -w
# The version that /api/v1/version reports.
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
# The GOARCH of the server; empty means the architecture of the build machine.
SERVER_ARCH ?=
# Rarely executed packages are compiled without inlining, because they compress better.
COLD := $(foreach cold,google.golang.org/... net/... crypto/... github.com/json-iterator/... github.com/prometheus/... \
	golang.org/x/text/... k8s.io/kube-openapi/pkg/internal/... k8s.io/client-go/... github.com/crdlab/crdlab/internal/ui,-gcflags=$(cold)=-l)

# The WebAssembly engine uses trimmed Kubernetes modules (wasm/trim.mjs). Builds, vet
# and tests share the flags, and thus the compiled libraries.
WASM := GOOS=js GOARCH=wasm GOFLAGS="$(GOFLAGS) -modfile=dist/engine.mod $(COLD)"
# The tinygo tag removes chi's profiler, and code without inlining compresses better.
# Each saves a tenth of the compressed size that Cloudflare limits.
WORKER := GOOS=js GOARCH=wasm GOFLAGS="-trimpath -tags=tinygo -buildvcs=false -gcflags=all=-l"
TEMPL := go tool -modfile=tools/go.mod templ

# Brotli quality for the engine. Quality 9 needs seconds; 11 needs minutes and saves 15 %.
BROTLI ?= 9

# Size budgets of the engine's modules in bytes. Browsers receive Brotli 11, which needs
# minutes, so only a release checks it. Test runs check gzip, which is 1.5 times as large.
FIRST_MAX := 41500000
FIRST_GZIP_MAX := 8250000
FIRST_BROTLI_MAX := 5500000
WHOLE_MAX := 64000000
WHOLE_GZIP_MAX := 12500000

find = $(shell find $(1) -type f $(2) 2>/dev/null)
TEMPLATES := $(call find,internal,-name '*.templ')
ENGINE_SOURCES := go.mod go.sum $(call find,wasm internal,! -name '*_test.go' ! -path '*/testdata/*' ! -path 'internal/devtools/*' ! -path 'internal/enginetest/*' ! -path 'internal/refserver/*' ! -path 'internal/httpapi/*' ! -path 'internal/metrics/*' ! -path 'internal/procpool/*' ! -path 'internal/share/*' ! -name '*.css')
SERVER_SOURCES := $(ENGINE_SOURCES) web/dist.go $(call find,cmd/server internal/httpapi internal/metrics internal/procpool internal/share,! -name '*_test.go' ! -path '*/testdata/*')
PAGE_SOURCES := package.json package-lock.json $(wildcard *.config.* tsconfig*.json web/*.config.* web/tsconfig*.json) \
	$(call find,web,! -path 'web/dist/*' ! -path 'web/dist.go' ! -path 'web/flows/*' ! -path 'web/tools/*' ! -path '*/node_modules/*' ! -name '*.test.ts') $(wildcard internal/ui/*.css)

.PHONY: run build release static worker generate fmt notice words pictures load bench clean
run: build ## build and serve the playground
	./bin/crdlab

build: bin/crdlab ## build the server, the engine and the page into bin/crdlab

release: ## build everything for deployment, with the smallest engine modules
	rm -f dist/first.wasm.br dist/whole.wasm.br
	$(MAKE) build static worker BROTLI=11
	$(WASM) node wasm/size.mjs dist/first.wasm $(FIRST_MAX) $(FIRST_GZIP_MAX) $(FIRST_BROTLI_MAX)

static: bin/crdlab ## write the page for hosts that only send files into dist/static
	rm -rf dist/static
	./bin/crdlab static dist/static

worker: dist/worker/go dist/worker/public ## build the Cloudflare Worker in dist/worker

# The program embeds only the asset names. Cloudflare serves the asset files.
dist/worker/go: $(SERVER_SOURCES) $(call find,cmd/worker,-name '*.go') web/dist/engine.json tools/go.mod
	cp web/dist/{manifest.json,engine.json,notices.txt,service-worker.js,app.webmanifest} cmd/worker/built
	go tool -modfile=tools/go.mod workers-assets-gen -mode=go -o $@
	$(WORKER) go build -ldflags="$(GO_LDFLAGS) -X main.version=$(VERSION)" -o $@/app.wasm ./cmd/worker
	@touch $@

dist/worker/storetest: $(call find,cmd/worker/storetest internal/share,) dist/worker/go
	go tool -modfile=tools/go.mod workers-assets-gen -mode=go -o $@
	$(WORKER) go build -ldflags="$(GO_LDFLAGS)" -o $@/app.wasm ./cmd/worker/storetest
	@touch $@

# Cloudflare compresses small files. The uncompressed engine exceeds its file size limit.
dist/worker/public: web/dist/engine.json cmd/worker/_headers
	rm -rf $@ && mkdir -p $@
	cp -r web/dist/assets cmd/worker/_headers $@
	find $@ -name '*.br' ! -name '*.wasm.br' -delete
	find $@ -name '*.gz' ! -name '*.wasm.gz' -delete
	@touch $@

cmd/worker/node_modules/.package-lock.json: cmd/worker/package.json cmd/worker/package-lock.json
	cd cmd/worker && npm ci --no-audit --no-fund
	@touch $@

bin/crdlab: $(SERVER_SOURCES) web/dist/engine.json dist/templates
	$(if $(SERVER_ARCH),GOARCH=$(SERVER_ARCH)) go build -ldflags="$(GO_LDFLAGS) -X main.version=$(VERSION)" -o $@ ./cmd/server

web/dist/engine.json: dist/page dist/first.wasm.br dist/whole.wasm.br THIRD_PARTY_NOTICES web/scripts/pack.mjs
	node web/scripts/pack.mjs dist/first.wasm dist/whole.wasm "$$(go env GOROOT)/lib/wasm/wasm_exec.js" THIRD_PARTY_NOTICES

dist/%.wasm.br: dist/%.wasm web/scripts/compress.mjs
	node web/scripts/compress.mjs $(BROTLI) $<

dist/engine.mod: go.mod go.sum wasm/trim.mjs | dist
	node wasm/trim.mjs $@

dist/first.wasm dist/whole.wasm: $(ENGINE_SOURCES) dist/templates dist/engine.mod | dist
	$(WASM) go build -ldflags="$(GO_LDFLAGS)" -o $@ ./wasm/$(basename $(@F))

dist/page: node_modules/.package-lock.json $(PAGE_SOURCES) | dist
	npm run --silent build
	@touch $@

dist/templates: $(TEMPLATES) tools/go.mod | dist
	$(TEMPL) generate
	@touch $@

node_modules/.package-lock.json: package.json package-lock.json
	npm ci --no-audit --no-fund
	@touch $@

dist:
	@mkdir -p $@

generate: web/tools/node_modules/.package-lock.json | dist ## write the generated code, the description of the HTTP API and the drawing of the packages
	$(TEMPL) generate
	go run ./internal/devtools/structure docs/architecture.md
	go test ./internal/httpapi -run TestOpenAPIIsCurrent -update
	$(call write-page-types,$(PAGE_TYPES))

# The types come from the Go types: a test describes them, as in the HTTP API.
PAGE_TYPES := web/src/api.gen.ts
define write-page-types
	go test ./internal/httpapi -run TestContract -contract "$(CURDIR)/dist/contract.json"
	web/tools/node_modules/.bin/openapi-typescript dist/contract.json --output $(1) \
		--immutable --export-type --root-types --root-types-no-schema-prefix --root-types-keep-casing
endef

# These tools need the API of an older TypeScript than the page is checked with.
web/tools/node_modules/.package-lock.json: web/tools/package.json web/tools/package-lock.json
	cd web/tools && npm ci --no-audit --no-fund
	@touch $@

fmt: ## format Go and templ
	gofmt -w cmd deploy internal wasm web *.go
	$(TEMPL) fmt internal

notice: node_modules/.package-lock.json ## write THIRD_PARTY_NOTICES
	node web/scripts/notices.mjs > dist/notices
	mv dist/notices THIRD_PARTY_NOTICES

words: ## count phrases in comments that engineers rarely use (WHERE=phrase lists them)
	@go run ./internal/devtools/words $(if $(WHERE),-where "$(WHERE)")

pictures: build chromium ## take the pictures of the page in docs/
	npx playwright test -c web/flows/pictures.config.ts

load: build ## measure the server under load
	node cmd/server/load.mjs

bench: build chromium dist/kubectl-validate ## measure the engine, the server, the page and peers
	node internal/engine/bench.mjs dist/bench.json
	node wasm/bench.mjs dist/bench.json
	node cmd/server/bench.mjs dist/bench.json
	KUBECTL_VALIDATE="$(CURDIR)/dist/kubectl-validate" node conformance/bench.mjs dist/bench.json
	go test -run '^$$' -bench . -benchmem ./internal/source/...
	npx playwright test -c web/flows/bench.config.ts

# kubectl-validate uses its own library versions, which differ from the engine's.
dist/kubectl-validate: tools/kubectl-validate.mod tools/kubectl-validate.sum | dist
	cd tools && go build -modfile=kubectl-validate.mod -o ../$@ sigs.k8s.io/kubectl-validate

clean: ## remove all build outputs
	rm -rf bin dist node_modules web/tools/node_modules cmd/worker/node_modules test-results
	find cmd/worker/built -mindepth 1 ! -name .gitkeep -delete
	find web/dist -mindepth 1 ! -name .gitkeep -delete

# --- tests -----------------------------------------------------------------

# Each step with its budget in seconds, on a quiet machine with two cores after a
# fresh clone.
STEPS := check-tidy=60 check-words=10 check-format=40 check-generated=30 check-vet=300 check-lint=240 \
	test-architecture=15 test-native=300 test-race=60 test-wasm=240 check-page=20 check-lint-page=60 test-page=30 \
	check-api=10 check-deploy=30 check-image=180 check-notice=20 check-size=150 \
	test-module=120 test-worker=90 test-flows=540
# The steps without a cache of their own: they are omitted if nothing failed with
# the same files, programs and environment. "make test REUSE=" runs them again.
REUSE ?= test-wasm,check-image,test-module,test-worker,test-flows
# The checks for each save, with their budgets when nothing has to be built.
CHECKS := check-words=2 check-format=5 check-generated=5 check-vet=20 check-lint=20 check-page=8

RUN_STEPS = MAKE="$(MAKE)" dist/steps -reuse "$(REUSE)" -programs "go,node,$(CHROMIUM),buildah,mmdebstrap,unshare" dist/results
# The step runner sets RESULTS to a directory for results as JUnit XML.
GO_TEST = $(if $(RESULTS),$(CURDIR)/dist/gotestsum --format pkgname --junitfile "$(RESULTS)/go.xml" --,go test)
GOTESTSUM := $(if $(RESULTS),dist/gotestsum)
NODE_TEST = node --test $(if $(RESULTS),--test-reporter=spec --test-reporter-destination=stdout --test-reporter=junit --test-reporter-destination="$(RESULTS)/node.xml")

comma := ,
steps = $(foreach step,$(1),$(firstword $(subst =, ,$(step))))
.PHONY: test check $(call steps,$(STEPS)) chromium postgresql buildah
test: dist/steps ## run everything: Go natively and as WebAssembly, TypeScript, browser flows
	@$(RUN_STEPS) $(STEPS)

check: dist/steps ## run the checks for each save
	@$(RUN_STEPS) $(CHECKS)

dist/steps: $(call find,internal/devtools/steps,-name '*.go') | dist
	go build -o $@ ./internal/devtools/steps

dist/gotestsum: tools/go.mod tools/go.sum | dist
	go build -modfile=tools/go.mod -o $@ gotest.tools/gotestsum

dist/golangci-lint: tools/lint.mod tools/lint.sum | dist
	cd tools && go build -modfile=lint.mod -ldflags="$(GO_LDFLAGS)" -o ../$@ github.com/golangci/golangci-lint/v2/cmd/golangci-lint

# dist/engine.mod is missing here: it is go.mod with replaced modules.
MODULES := go.mod conformance/go.mod conformance/previous.mod tools/go.mod tools/lint.mod tools/kubectl-validate.mod

check-tidy:
	@for module in $(MODULES); do \
		(cd $$(dirname $$module) && go mod tidy -diff -modfile=$$(basename $$module)) || { echo "$$module is not tidy"; exit 1; }; \
	done

# The maximum may only fall.
check-words:
	@go run ./internal/devtools/words -max internal/devtools/words/maximum >/dev/null

check-format:
	@unformatted=$$(gofmt -l cmd deploy internal wasm web *.go); test -z "$$unformatted" || { echo "not formatted (make fmt): $$unformatted"; exit 1; }
	$(TEMPL) fmt -fail internal

check-generated: web/tools/node_modules/.package-lock.json | dist
	@before=$$(cat $$(find internal -name '*_templ.go' | sort) | cksum); $(TEMPL) generate; \
	after=$$(cat $$(find internal -name '*_templ.go' | sort) | cksum); \
	test "$$before" = "$$after" || { echo "the generated code was not current; it is now: commit it"; exit 1; }
	$(call write-page-types,dist/api.gen.ts)
	@diff $(PAGE_TYPES) dist/api.gen.ts > /dev/null || { echo "the page's types are not current (make generate)"; exit 1; }
	@go run ./internal/devtools/structure -check docs/architecture.md

check-vet: dist/engine.mod
	go vet ./...
	$(WASM) go vet ./wasm/... ./internal/assist/... ./internal/engine/... ./internal/ui
	$(WORKER) go vet ./cmd/worker/... ./internal/httpapi ./internal/share

LINT = $(CURDIR)/dist/golangci-lint run --allow-parallel-runners
# The linters cannot be given a module file; a workspace replaces the same modules.
LINT_WASM = GOOS=js GOARCH=wasm GOWORK="$(CURDIR)/dist/engine.work" GOFLAGS="$(GOFLAGS) $(COLD)" $(LINT)

dist/engine.work: dist/engine.mod
	{ printf 'go %s\n\nuse ..\n\n' "$$(sed -n 's/^go //p' go.mod)"; sed -n 's#^replace \(.*\) => ./dist/#replace \1 => ./#p' $<; } > $@

check-lint: dist/golangci-lint dist/engine.work
	@failed=0; $(LINT) ./... || failed=1; \
	$(LINT_WASM) ./wasm/... || failed=1; \
	$(WORKER) $(LINT) ./cmd/worker/... || failed=1; exit $$failed

test-architecture: $(GOTESTSUM)
	$(GO_TEST) -count=1 .

test-native: postgresql $(GOTESTSUM)
	$(GO_TEST) ./cmd/... ./deploy/... ./internal/... ./web/...

# Covers the packages that start goroutines. Packages that import Kubernetes are excluded,
# because the race detector would compile Kubernetes a second time.
test-race: $(GOTESTSUM)
	@if command -v cc >/dev/null; then CGO_ENABLED=1 $(GO_TEST) -race ./internal/httpapi ./internal/procpool ./internal/share; \
	else echo "skipped: the race detector needs a C compiler"; fi

# Go's WebAssembly runtime has room for only a few kilobytes of environment variables.
test-wasm: dist/engine.mod $(GOTESTSUM)
	env -i PATH="$$PATH" HOME="$$HOME" CGO_ENABLED=0 GOFLAGS="$$GOFLAGS" $$(env | grep -E '^(GOPATH|GOCACHE|GOMODCACHE|GOPROXY|GOTOOLCHAIN|CRDLAB_CORPUS)=') $(WASM) \
		$(GO_TEST) -exec "$$(go env GOROOT)/lib/wasm/go_js_wasm_exec" ./internal/assist ./internal/engine ./internal/engine/celrule ./internal/engine/crd ./internal/engine/quickfix \
		./internal/source/... ./internal/ui

check-page: node_modules/.package-lock.json
	npm run --silent check
	npx tsc --noEmit -p web/flows

# The page's TypeScript, the scripts and the style sheets.
check-lint-page: node_modules/.package-lock.json web/tools/node_modules/.package-lock.json
	web/tools/node_modules/.bin/eslint -c web/tools/eslint.config.mjs --max-warnings 0 .
	web/tools/node_modules/.bin/stylelint --config web/tools/stylelint.config.mjs --report-needless-disables 'internal/ui/*.css'

test-page: node_modules/.package-lock.json
	npm test --silent $(if $(RESULTS),-- --reporter=default --reporter=junit --outputFile.junit="$(RESULTS)/vitest.xml")

# Validates the OpenAPI document. test-native checks that it is current and that every
# response of the server matches it.
check-api: node_modules/.package-lock.json
	$(NODE_TEST) internal/httpapi/

# Validates the manifests against the Kubernetes schemas. test-native checks their meaning.
check-deploy: node_modules/.package-lock.json
	$(NODE_TEST) deploy/manifests.test.mjs

# Builds for the machine's architecture, or for the list in ARCHES, such as "amd64 arm64".
check-image: buildah
	$(NODE_TEST) deploy/image.test.mjs

check-notice: node_modules/.package-lock.json
	@node web/scripts/notices.mjs | diff - THIRD_PARTY_NOTICES > /dev/null || { echo "THIRD_PARTY_NOTICES is not current (make notice)"; exit 1; }

check-size: build
	$(WASM) node wasm/size.mjs dist/first.wasm $(FIRST_MAX) $(FIRST_GZIP_MAX)
	$(WASM) node wasm/size.mjs dist/whole.wasm $(WHOLE_MAX) $(WHOLE_GZIP_MAX)

# Compares the reports of the built modules with those of the built server.
test-module: build
	$(NODE_TEST) wasm/

# Tests the Worker in workerd, Cloudflare's runtime.
test-worker: worker dist/worker/storetest cmd/worker/node_modules/.package-lock.json
	WRANGLER_SEND_METRICS=false CLOUDFLARE_CF_FETCH_ENABLED=false $(NODE_TEST) cmd/worker/

test-flows: build static chromium
	$(if $(RESULTS),PLAYWRIGHT_JUNIT_OUTPUT_FILE="$(RESULTS)/flows.xml") npx playwright test -c web/flows $(if $(RESULTS),--reporter=list$(comma)junit)

CHROMIUM ?= $(firstword $(shell command -v chromium chromium-browser google-chrome 2>/dev/null) /usr/bin/chromium)
export CHROMIUM

chromium:
	@command -v "$(CHROMIUM)" >/dev/null && exit 0; \
	if test "$$(id -u)" = 0 && command -v apt-get >/dev/null; then apt-get update -q && apt-get install -qy --no-install-recommends chromium; \
	else echo "The browser flows need Chromium: install it with your system's packages, or name one with CHROMIUM=path."; exit 1; fi

# The image test is skipped without buildah.
buildah:
	@command -v buildah >/dev/null && command -v mmdebstrap >/dev/null && exit 0; \
	if test "$$(id -u)" = 0 && command -v apt-get >/dev/null; then apt-get update -q && apt-get install -qy --no-install-recommends buildah mmdebstrap; \
	else echo "buildah and mmdebstrap are not installed: the test of the container image will be skipped."; fi

# The PostgreSQL store tests are skipped without PostgreSQL.
postgresql:
	@command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 && exit 0; \
	if test "$$(id -u)" = 0 && command -v apt-get >/dev/null; then apt-get update -q && apt-get install -qy --no-install-recommends postgresql; \
	else echo "PostgreSQL is not installed: the tests of its store will be skipped."; fi

# --- conformance -------------------------------------------------------------

# DERIVED scenarios are generated from the cases and sent to the in-memory request
# handlers; SAMPLE of them are also sent to a real server. SEED selects other scenarios.
DERIVED ?= 20000
SAMPLE ?= 500
SEED ?= 1
# Time limit for each kind of generated scenario.
DERIVED_TIME ?= 5m

.PHONY: conformance conformance-record conformance-builds conformance-previous
conformance: ## compare with a real API server, which runs in process, and with its handlers
	cd conformance && go run . -n $(DERIVED) -sample $(SAMPLE) -seed $(SEED) -time $(DERIVED_TIME)

conformance-record: ## write the API server's responses beside the cases
	cd conformance && go run . -record

conformance-builds: build ## compare the WebAssembly module and the HTTP API with a real API server, too
	cd conformance && go run . -module ../dist/whole.wasm -server ../bin/crdlab

conformance-previous: ## list the cases with another verdict in the previous Kubernetes release
	cd conformance && go run -mod=mod -modfile=previous.mod ./previous
