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

# The new garbage collector of Go 1.26 ended a module with the fatal error "steal with local
# work available", so the modules use the previous one, as fast here. Go 1.27 removes it.
OLDER_GC := GOEXPERIMENT=nogreenteagc

# The WebAssembly engine uses trimmed Kubernetes modules (wasm/trim.mjs). Builds, vet
# and tests share the flags, and thus the compiled libraries.
WASM := GOOS=js GOARCH=wasm $(OLDER_GC) GOFLAGS="$(GOFLAGS) -modfile=dist/engine.mod $(COLD)"
# The tinygo tag removes chi's profiler, and code without inlining compresses better.
# Each saves a tenth of the compressed size that Cloudflare limits.
WORKER := GOOS=js GOARCH=wasm $(OLDER_GC) GOFLAGS="-trimpath -tags=tinygo -buildvcs=false -gcflags=all=-l"
TEMPL := go tool -modfile=tools/go.mod templ

# Brotli quality for the engine. Quality 9 needs seconds; 11 needs minutes and saves 15 %.
BROTLI ?= 9

# Size budgets of the engine's modules in bytes. Browsers receive Brotli 11, which needs
# minutes, so only a release checks it. Test runs check gzip, which is 1.5 times as large.
FIRST_MAX := 47500000
FIRST_GZIP_MAX := 9000000
FIRST_BROTLI_MAX := 6000000
WHOLE_MAX := 69000000
WHOLE_GZIP_MAX := 12500000
# All files of the static site with the modules of all older releases, which it has in gzip.
SITE_MAX := 100000000

# The maximum memory of a module in bytes. softMemoryLimit in wasm/boundary is lower, and
# web/src/engine/stop-sentence.ts names the maximum.
MODULE_MEMORY := 1073741824

find = $(shell find $(1) -type f $(2) 2>/dev/null)
# The packages that the engine's modules do not contain.
SERVER_PACKAGES := $(addprefix internal/,cluster confine errorindex fairqueue httpapi inspect metrics minors naming procpool renderer server share site upgrade)
TEMPLATES := $(call find,internal,-name '*.templ')
ENGINE_SOURCES := go.mod go.sum $(call find,wasm internal,! -name '*_test.go' ! -path '*/testdata/*' ! -path 'internal/devtools/*' ! -path 'internal/enginetest/*' ! -path 'internal/refserver/*' ! -path 'internal/apiclient/*' $(foreach package,$(SERVER_PACKAGES),! -path '$(package)/*') ! -name '*.css')
SERVER_SOURCES := $(ENGINE_SOURCES) web/dist.go $(call find,cmd/crdlab $(SERVER_PACKAGES),! -name '*_test.go' ! -path '*/testdata/*')
PAGE_SOURCES := package.json package-lock.json $(wildcard *.config.* tsconfig*.json web/*.config.* web/tsconfig*.json) \
	$(call find,web,! -path 'web/dist/*' ! -path 'web/dist.go' ! -path 'web/flows/*' ! -path 'web/tools/*' ! -path '*/node_modules/*' ! -name '*.test.ts') $(wildcard internal/ui/*.css internal/site/*.css)

.PHONY: run build release snapshot check-release chart package-chart reproducible minors add-minor move static npm worker generate fmt notice words strings pictures load bench bench-peers audit fuzz clean
run: build ## build and serve the playground
	CRDLAB_MINORS="$${CRDLAB_MINORS:-dist/minors}" ./bin/crdlab

build: bin/crdlab ## build the server, the engine and the page into bin/crdlab

release: ## build everything for deployment, with the smallest engine modules
	rm -f dist/first.wasm.br dist/whole.wasm.br dist/modules/*.br
	$(MAKE) minors BROTLI=11
	$(MAKE) build static worker npm BROTLI=11
	$(WASM) node wasm/size.mjs dist/first.wasm $(FIRST_MAX) $(FIRST_GZIP_MAX) $(FIRST_BROTLI_MAX)
	node web/scripts/site-size.mjs dist/static $(SITE_MAX)

# Signing and publishing need the accounts of .github/workflows/release.yml.
snapshot: dist/goreleaser ## build the archives of a release into dist/release, without signing or publishing them
	dist/goreleaser release --snapshot --clean --skip=publish,sign,sbom

check-release: dist/goreleaser ## check the description of releases
	dist/goreleaser check

# Go builds Helm when the tests first need it.
chart: ## lint the Helm chart, and write its manifests in deploy/, the cases and the table of its values
	go test -count=1 ./deploy -run 'TestLint|TestChart|TestManifestsAreRendered|TestValuesTable' -update

package-chart: dist/helm ## write the Helm chart of VERSION into dist/chart
	dist/helm package deploy/chart --version "$(VERSION:v%=%)" --app-version "$(VERSION)" --destination dist/chart

dist/helm: tools/helm.mod tools/helm.sum | dist
	cd tools && go build -modfile=helm.mod -o ../$@ helm.sh/helm/v4/cmd/helm

dist/goreleaser: tools/goreleaser.mod tools/goreleaser.sum | dist
	cd tools && go build -modfile=goreleaser.mod -o ../$@ github.com/goreleaser/goreleaser/v2

# The directories have names of different lengths, because a path in a file would change it.
reproducible: ## build the program and the modules twice, in different directories, and compare the bytes
	for copy in one another; do \
		rm -rf dist/reproducible/$$copy && git clone -q . dist/reproducible/$$copy && \
		$(MAKE) -C dist/reproducible/$$copy build VERSION=$(VERSION) && \
		(cd dist/reproducible/$$copy && sha256sum bin/crdlab dist/first.wasm dist/whole.wasm) > dist/reproducible/$$copy.sha256 || exit 1; \
	done
	diff dist/reproducible/one.sha256 dist/reproducible/another.sha256
	@cat dist/reproducible/one.sha256

static: bin/crdlab ## write the page for hosts that only send files into dist/static
	rm -rf dist/static
	./bin/crdlab static dist/static

npm: dist/npm ## write the npm package of the engine into dist/npm

dist/npm: dist/whole.wasm.br web/src/api.gen.ts LICENSE THIRD_PARTY_NOTICES $(call find,wasm/npm,) wasm/resume.js
	node wasm/npm/pack.mjs "$(VERSION)" $@

worker: dist/worker/go dist/worker/public ## build the Cloudflare Worker in dist/worker

# The program embeds only the asset names. Cloudflare serves the asset files.
dist/worker/go: $(SERVER_SOURCES) $(call find,cmd/worker,-name '*.go') web/dist/engine.json tools/go.mod
	cp web/dist/{manifest.json,engine.json,notices.txt,service-worker.js,app.webmanifest,crd-lab.js} cmd/worker/built
	go tool -modfile=tools/go.mod workers-assets-gen -mode=go -o $@
	$(WORKER) go build -ldflags="$(GO_LDFLAGS) -X main.version=$(VERSION)" -o $@/app.wasm ./cmd/worker
	@touch $@

dist/worker/storetest: $(call find,cmd/worker/storetest internal/share,) dist/worker/go
	go tool -modfile=tools/go.mod workers-assets-gen -mode=go -o $@
	$(WORKER) go build -ldflags="$(GO_LDFLAGS)" -o $@/app.wasm ./cmd/worker/storetest
	@touch $@

# Cloudflare compresses small files. The uncompressed engine exceeds its file size limit.
dist/worker/public: bin/crdlab cmd/worker/_headers
	rm -rf $@ dist/worker/static && mkdir -p $@
	./bin/crdlab static dist/worker/static
	cp -r web/dist/assets cmd/worker/_headers dist/worker/static/errors $@
	find $@ -name '*.br' ! -name '*.wasm.br' -delete
	find $@ -name '*.gz' ! -name '*.wasm.gz' -delete
	@touch $@

cmd/worker/node_modules/.package-lock.json: cmd/worker/package.json cmd/worker/package-lock.json
	cd cmd/worker && npm ci --no-audit --no-fund
	@touch $@

bin/crdlab: $(SERVER_SOURCES) web/dist/engine.json dist/templates
	$(if $(SERVER_ARCH),GOARCH=$(SERVER_ARCH)) go build -ldflags="$(GO_LDFLAGS) -X main.version=$(VERSION)" -o $@ ./cmd/crdlab

# The verdict programs of older Kubernetes releases, one for each minors/*.mod, and their
# modules for the page. The first build of each compiles the libraries of its release.
MINORS := $(basename $(notdir $(wildcard minors/*.mod)))
MINOR_SOURCES := $(call find,minors internal/apiclient internal/refserver internal/verdict internal/procpool internal/confine internal/source internal/playground,-name '*.go' ! -name '*_test.go')

minors: $(MINORS:%=dist/minors/%) $(MINORS:%=dist/modules/%.wasm.br) ## build the verdict programs of older Kubernetes releases into dist/minors, and their modules for the page

# Otherwise make would delete the modules after their compression.
.SECONDARY: $(MINORS:%=dist/modules/%.wasm) $(MINORS:%=dist/trimmed/%/trimmed.mod)

MINOR_FLAGS = -trimpath -tags=grpcnotrace,minor,kubernetes$* -buildvcs=false

dist/minors/%: minors/%.mod minors/%.sum $(MINOR_SOURCES) | dist
	$(if $(SERVER_ARCH),GOARCH=$(SERVER_ARCH)) GOFLAGS="$(MINOR_FLAGS)" nice go build -modfile=$< -ldflags="$(GO_LDFLAGS)" -o $@ ./minors

dist/trimmed/%/trimmed.mod: minors/%.mod minors/%.sum wasm/trim.mjs wasm/without-etcd.go.txt
	mkdir -p $(@D)
	node wasm/trim.mjs $@ $<

dist/modules/%.wasm: dist/trimmed/%/trimmed.mod $(MINOR_SOURCES)
	GOOS=js GOARCH=wasm $(OLDER_GC) GOFLAGS="$(MINOR_FLAGS) -modfile=$< $(COLD)" nice go build -ldflags="$(GO_LDFLAGS)" -o $@ ./minors
	node wasm/limit.mjs $@ $(MODULE_MEMORY)

dist/modules/%.wasm.br: dist/modules/%.wasm web/scripts/compress.mjs
	node web/scripts/compress.mjs $(BROTLI) $<

add-minor: ## add the program of a Kubernetes release (MINOR=1.37), and list the cases that it judges differently
	minors/add.sh $(MINOR)
	$(MAKE) dist/minors/$(MINOR)
	go run ./internal/devtools/releases -programs dist/minors -release $(MINOR)

move: ## move to the next Kubernetes release (MINOR=1.38), and list the cases that it judges differently
	minors/move.sh $(MINOR) $(LIBRARIES)

# The page has the modules of older releases that are built: "make minors" builds all. The
# browser flows need the oldest.
PAGE_MINORS := $(sort $(patsubst %.br,%,$(wildcard dist/modules/*.wasm.br)) $(if $(filter test-flows,$(MAKECMDGOALS)),dist/modules/1.31.wasm))

web/dist/engine.json: dist/page dist/first.wasm.br dist/whole.wasm.br $(PAGE_MINORS:%=%.br) THIRD_PARTY_NOTICES web/scripts/pack.mjs wasm/resume.js
	node web/scripts/pack.mjs dist/first.wasm dist/whole.wasm "$$(go env GOROOT)/lib/wasm/wasm_exec.js" THIRD_PARTY_NOTICES $(PAGE_MINORS)

dist/%.wasm.br: dist/%.wasm web/scripts/compress.mjs
	node web/scripts/compress.mjs $(BROTLI) $<

dist/engine.mod: go.mod go.sum wasm/trim.mjs wasm/memoized-compile.go.txt | dist
	node wasm/trim.mjs $@

dist/plain/%.wasm: $(ENGINE_SOURCES) dist/templates dist/engine.mod wasm/limit.mjs | dist
	$(WASM) go build -ldflags="$(GO_LDFLAGS)" -o $@ ./wasm/$*
	node wasm/limit.mjs $@ $(MODULE_MEMORY)

# The engine's modules have already started: the page continues them.
dist/first.wasm dist/whole.wasm: dist/%.wasm: dist/plain/%.wasm wasm/start.mjs wasm/resume.js wasm/sections.mjs
	node wasm/start.mjs $< $@

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
	gofmt -w cmd crdtest deploy internal wasm web *.go
	$(TEMPL) fmt internal

notice: node_modules/.package-lock.json ## write THIRD_PARTY_NOTICES
	node web/scripts/notices.mjs > dist/notices
	mv dist/notices THIRD_PARTY_NOTICES

words: ## count phrases in comments that engineers rarely use (WHERE=phrase lists them)
	@go run ./internal/devtools/words $(if $(WHERE),-where "$(WHERE)")

strings: web/tools/node_modules/.package-lock.json | dist ## list the strings that users can see in dist/strings.md, for review
	node web/tools/strings.mjs > dist/strings.json
	go run ./internal/devtools/strings -typescript dist/strings.json > dist/strings.md
	@echo dist/strings.md

pictures: build chromium ## take the pictures of the page in docs/
	npx playwright test -c web/flows/pictures.config.ts

load: build ## measure the server under load
	node internal/server/load.mjs

bench: build chromium dist/kubectl-validate ## measure the engine, the server, the page and peers
	node internal/engine/bench.mjs dist/bench.json
	node wasm/bench.mjs dist/bench.json
	node internal/server/bench.mjs dist/bench.json
	KUBECTL_VALIDATE="$(CURDIR)/dist/kubectl-validate" node conformance/bench.mjs dist/bench.json
	go test -run '^$$' -bench . -benchmem ./internal/source/...
	npx playwright test -c web/flows/bench.config.ts

bench-peers: build dist/kubectl-validate dist/kubeconform ## compare the processor time of "crdlab check" with peers
	cd conformance && CRDLAB_BIN="$(CURDIR)/bin/crdlab" KUBECTL_VALIDATE="$(CURDIR)/dist/kubectl-validate" KUBECONFORM="$(CURDIR)/dist/kubeconform" \
		go test -run '^$$' -bench '^BenchmarkCheck$$' -benchtime 3x .

dist/kubeconform: tools/kubeconform.mod tools/kubeconform.sum | dist
	cd tools && go build -modfile=kubeconform.mod -o ../$@ github.com/yannh/kubeconform/cmd/kubeconform

# kubectl-validate uses its own library versions, which differ from the engine's.
dist/kubectl-validate: tools/kubectl-validate.mod tools/kubectl-validate.sum | dist
	cd tools && go build -modfile=kubectl-validate.mod -o ../$@ sigs.k8s.io/kubectl-validate

# A status of 3 means that a database of vulnerabilities is unreachable. tools/audit.json
# maps accepted vulnerabilities to reasons.
audit: dist/audit dist/govulncheck ## look for known vulnerabilities in the libraries
	dist/audit -govulncheck dist/govulncheck -accepted tools/audit.json $(AUDIT_FLAGS) . web/tools cmd/worker

dist/audit: $(call find,internal/devtools/audit,-name '*.go') | dist
	go build -o $@ ./internal/devtools/audit

dist/govulncheck: tools/audit.mod tools/audit.sum | dist
	cd tools && go build -modfile=audit.mod -ldflags="$(GO_LDFLAGS)" -o ../$@ golang.org/x/vuln/cmd/govulncheck

# The time for each fuzz target. Without a limit, the minimization of one input may use all of it.
FUZZTIME ?= 60s

fuzz: ## run each fuzz target for FUZZTIME
	@failed=0; while IFS=: read -r file target; do \
		echo "$$target in $$(dirname $$file)"; \
		nice go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 5s ./$$(dirname $$file) </dev/null || failed=1; \
	done < <(grep -rno --include='*_test.go' '^func Fuzz[A-Za-z0-9]*' cmd deploy internal wasm web | sed -E 's/:[0-9]+:func /:/'); exit $$failed

clean: ## remove all build outputs
	rm -rf bin dist node_modules web/tools/node_modules cmd/worker/node_modules test-results
	find cmd/worker/built -mindepth 1 ! -name .gitkeep -delete
	find web/dist -mindepth 1 ! -name .gitkeep -delete

# --- tests -----------------------------------------------------------------

# Each step with its budget in seconds, on a quiet machine with two cores after a
# fresh clone.
STEPS := check-tidy=60 check-words=10 check-format=40 check-generated=30 check-vet=300 check-lint=240 \
	test-architecture=15 test-native=360 test-crdtest=60 test-minors=240 test-race=60 test-wasm=240 check-page=20 check-lint-page=60 test-page=30 \
	check-api=10 check-actions=30 check-deploy=30 check-image=180 check-notice=20 check-size=150 \
	test-attack=90 test-module=240 test-npm=60 test-worker=90 test-flows=900 test-browsers=120
# The steps without a cache of their own: they are omitted if nothing failed with
# the same files, programs and environment. "make test REUSE=" runs them again.
REUSE ?= test-wasm,check-image,test-attack,test-module,test-npm,test-worker,test-flows,test-browsers
# The checks for each save, with their budgets when nothing has to be built.
CHECKS := check-words=2 check-format=5 check-generated=5 check-vet=20 check-lint=20 check-page=8

RUN_STEPS = MAKE="$(MAKE)" dist/steps -reuse "$(REUSE)" -programs "go,node,$(CHROMIUM),$(FIREFOX),WebKitWebDriver,$(MINIBROWSER),buildah,mmdebstrap,unshare" dist/results
# The step runner sets RESULTS to a directory for results as JUnit XML.
GO_TEST = $(if $(RESULTS),$(CURDIR)/dist/gotestsum --format pkgname --junitfile "$(RESULTS)/go.xml" --,go test)
GOTESTSUM := $(if $(RESULTS),dist/gotestsum)
NODE_TEST = node --test $(if $(RESULTS),--test-reporter=spec --test-reporter-destination=stdout --test-reporter=junit --test-reporter-destination="$(RESULTS)/node.xml")

comma := ,
steps = $(foreach step,$(1),$(firstword $(subst =, ,$(step))))
.PHONY: test attack check $(call steps,$(STEPS)) test-repeat chromium browsers postgresql buildah
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
MODULES := go.mod crdtest/go.mod conformance/go.mod conformance/previous.mod tools/go.mod tools/lint.mod tools/actions.mod tools/audit.mod tools/goreleaser.mod tools/kubectl-validate.mod tools/kubeconform.mod tools/helm.mod

check-tidy:
	@for module in $(MODULES); do \
		(cd $$(dirname $$module) && go mod tidy -diff -modfile=$$(basename $$module)) || { echo "$$module is not tidy"; exit 1; }; \
	done

# The maximum may only fall.
check-words:
	@go run ./internal/devtools/words -max internal/devtools/words/maximum >/dev/null

check-format:
	@unformatted=$$(gofmt -l cmd crdtest deploy internal wasm web *.go); test -z "$$unformatted" || { echo "not formatted (make fmt): $$unformatted"; exit 1; }
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
	cd crdtest && go vet ./...
	$(WASM) go vet ./wasm/... ./internal/assist/... ./internal/engine/... ./internal/ui
	$(WORKER) go vet ./cmd/worker/... ./internal/httpapi ./internal/share

LINT = $(CURDIR)/dist/golangci-lint run --allow-parallel-runners
# The linters cannot be given a module file; a workspace replaces the same modules.
LINT_WASM = GOOS=js GOARCH=wasm $(OLDER_GC) GOWORK="$(CURDIR)/dist/engine.work" GOFLAGS="$(GOFLAGS) $(COLD)" $(LINT)

dist/engine.work: dist/engine.mod
	{ printf 'go %s\n\nuse ..\n\n' "$$(sed -n 's/^go //p' go.mod)"; sed -n 's#^replace \(.*\) => ./dist/#replace \1 => ./#p' $<; } > $@

check-lint: dist/golangci-lint dist/engine.work
	@failed=0; $(LINT) ./... || failed=1; \
	(cd crdtest && $(LINT) ./...) || failed=1; \
	$(LINT_WASM) ./wasm/... || failed=1; \
	$(WORKER) $(LINT) ./cmd/worker/... || failed=1; exit $$failed

test-architecture: $(GOTESTSUM)
	$(GO_TEST) -count=1 .

test-native: postgresql $(GOTESTSUM)
	$(GO_TEST) ./cmd/... ./deploy/... ./internal/... ./web/...

# The server that is attacked.
SERVER ?= bin/crdlab
ATTACK = cd internal/devtools/attack && $(GO_TEST) -count=1 -server="$(abspath $(SERVER))"

# A brief form of the attacks.
test-attack: $(SERVER) postgresql $(GOTESTSUM)
	$(ATTACK) -short

# Also attacks the program of the container image, which is built for it.
attack: $(SERVER) postgresql buildah | dist ## attack the built server, and print which promises it keeps
	$(ATTACK) -timeout=30m -table="$(CURDIR)/dist/attack.md"
	rm -f dist/image-crdlab
	KEEP="$(CURDIR)/dist/image-crdlab" $(NODE_TEST) deploy/image.test.mjs
	if test -e dist/image-crdlab; then $(MAKE) test-attack SERVER=dist/image-crdlab; fi

# The library's tests build the program, and test from a module of their own.
test-crdtest: $(GOTESTSUM)
	cd crdtest && $(GO_TEST) -count=1 ./...

# The oldest program judges the cases. Its first build compiles its Kubernetes libraries.
test-minors: dist/minors/1.31 $(GOTESTSUM)
	@echo "built: $(notdir $(sort $(wildcard dist/minors/*))), not built: $(filter-out $(notdir $(wildcard dist/minors/*)),$(MINORS))"
	CRDLAB_MINORS=dist/minors $(GO_TEST) -count=1 ./internal/minors

# Covers the packages that start goroutines. Packages that import Kubernetes are excluded,
# because the race detector would compile Kubernetes a second time.
# By default, each of the many child processes sleeps a second before its exit.
test-race: $(GOTESTSUM)
	@if command -v cc >/dev/null; then CGO_ENABLED=1 GORACE=atexit_sleep_ms=10 $(GO_TEST) -race ./internal/fairqueue ./internal/httpapi ./internal/procpool ./internal/share; \
	else echo "skipped: the race detector needs a C compiler"; fi

# Go's WebAssembly runtime has room for only a few kilobytes of environment variables.
test-wasm: dist/engine.mod $(GOTESTSUM)
	env -i PATH="$$PATH" HOME="$$HOME" CGO_ENABLED=0 GOFLAGS="$$GOFLAGS" $$(env | grep -E '^(GOPATH|GOCACHE|GOMODCACHE|GOPROXY|GOTOOLCHAIN|CRDLAB_CORPUS)=') $(WASM) \
		$(GO_TEST) -exec "$$(go env GOROOT)/lib/wasm/go_js_wasm_exec" ./internal/assist ./internal/engine ./internal/engine/celrule ./internal/engine/crd ./internal/engine/quickfix \
		./internal/source/... ./internal/ui ./wasm/boundary

# Evaluates each case many times and compares the reports byte by byte.
test-repeat: dist/engine.mod ## look for random orders in reports: each case 50 times natively, 5 times as WebAssembly
	go test ./internal/engine -run TestReportsAreRepeatable -timeout 30m -args -repeat 50
	env -i PATH="$$PATH" HOME="$$HOME" CGO_ENABLED=0 GOFLAGS="$$GOFLAGS" $$(env | grep -E '^(GOPATH|GOCACHE|GOMODCACHE|GOPROXY|GOTOOLCHAIN)=') $(WASM) \
		go test -exec "$$(go env GOROOT)/lib/wasm/go_js_wasm_exec" ./internal/engine -run TestReportsAreRepeatable -timeout 30m -args -repeat 5

check-page: node_modules/.package-lock.json
	npm run --silent check
	npx tsc --noEmit -p web/flows

# The page's TypeScript, the scripts and the style sheets, and the tools for them.
check-lint-page: node_modules/.package-lock.json web/tools/node_modules/.package-lock.json
	web/tools/node_modules/.bin/eslint -c web/tools/eslint.config.mjs --max-warnings 0 .
	web/tools/node_modules/.bin/stylelint --config web/tools/stylelint.config.mjs --report-needless-disables 'internal/ui/*.css' 'internal/site/*.css'
	$(NODE_TEST) web/tools/

test-page: node_modules/.package-lock.json
	npm test --silent $(if $(RESULTS),-- --reporter=default --reporter=junit --outputFile.junit="$(RESULTS)/vitest.xml")

# Validates the OpenAPI document. test-native checks that it is current and that every
# response of the server matches it.
check-api: node_modules/.package-lock.json
	$(NODE_TEST) internal/httpapi/

dist/actionlint: tools/actions.mod tools/actions.sum | dist
	cd tools && go build -modfile=actions.mod -o ../$@ github.com/rhysd/actionlint/cmd/actionlint

check-actions: dist/actionlint
	dist/actionlint .github/workflows/*.yml

# Validates the manifests against the Kubernetes schemas. test-native checks their meaning.
check-deploy: node_modules/.package-lock.json
	$(NODE_TEST) deploy/manifests.test.mjs

# Builds for the machine's architecture, or for the list in ARCHES, such as "amd64 arm64".
check-image: buildah
	$(NODE_TEST) deploy/image.test.mjs

check-notice: node_modules/.package-lock.json
	@node web/scripts/notices.mjs | diff - THIRD_PARTY_NOTICES > /dev/null || { echo "THIRD_PARTY_NOTICES is not current (make notice)"; exit 1; }

check-size: build static
	$(WASM) node wasm/size.mjs dist/first.wasm $(FIRST_MAX) $(FIRST_GZIP_MAX)
	$(WASM) node wasm/size.mjs dist/whole.wasm $(WHOLE_MAX) $(WHOLE_GZIP_MAX)
	node web/scripts/site-size.mjs dist/static $(SITE_MAX)

# Compares the reports of the built modules with those of the built server.
test-module: build dist/minors/1.31 dist/modules/1.31.wasm
	$(NODE_TEST) wasm/*.test.mjs

# Installs the npm package into an empty project.
test-npm: npm chromium node_modules/.package-lock.json
	$(NODE_TEST) wasm/npm/

# Tests the Worker in workerd, Cloudflare's runtime.
test-worker: worker dist/worker/storetest cmd/worker/node_modules/.package-lock.json
	WRANGLER_SEND_METRICS=false CLOUDFLARE_CF_FETCH_ENABLED=false $(NODE_TEST) cmd/worker/

test-flows: build static chromium
	$(if $(RESULTS),PLAYWRIGHT_JUNIT_OUTPUT_FILE="$(RESULTS)/flows.xml") npx playwright test -c web/flows $(if $(RESULTS),--reporter=list$(comma)junit)

# The smoke flow in the browsers other than Chromium.
test-browsers: build browsers
	$(if $(RESULTS),PLAYWRIGHT_JUNIT_OUTPUT_FILE="$(RESULTS)/browsers.xml") npx playwright test -c web/flows/browsers.config.ts $(if $(RESULTS),--reporter=list$(comma)junit)

CHROMIUM ?= $(firstword $(shell command -v chromium chromium-browser google-chrome 2>/dev/null) /usr/bin/chromium)
export CHROMIUM

chromium:
	@command -v "$(CHROMIUM)" >/dev/null && exit 0; \
	if test "$$(id -u)" = 0 && command -v apt-get >/dev/null; then apt-get update -q && apt-get install -qy --no-install-recommends chromium; \
	else echo "The browser flows need Chromium: install it with your system's packages, or name one with CHROMIUM=path."; exit 1; fi

FIREFOX ?= $(firstword $(shell command -v firefox-esr firefox 2>/dev/null) /usr/bin/firefox-esr)
# WebKitGTK's own browser, which WebKitWebDriver starts.
MINIBROWSER ?= $(firstword $(wildcard /usr/lib/*/webkit2gtk-4.1/MiniBrowser /usr/libexec/webkit2gtk-4.1/MiniBrowser) /usr/libexec/webkit2gtk-4.1/MiniBrowser)
export FIREFOX MINIBROWSER

# The smoke flow is skipped in a browser that is not installed.
browsers:
	@command -v "$(FIREFOX)" >/dev/null && command -v WebKitWebDriver >/dev/null && command -v Xvfb >/dev/null && exit 0; \
	if test "$$(id -u)" = 0 && command -v apt-get >/dev/null; then apt-get update -q && apt-get install -qy --no-install-recommends firefox-esr webkit2gtk-driver xvfb; \
	else echo "Not all of Firefox, WebKitWebDriver and Xvfb are installed: the smoke flow will be skipped without them."; fi

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

.PHONY: conformance conformance-record conformance-builds conformance-previous conformance-minors conformance-revisions conformance-explain conformance-commands
conformance: ## compare with a real API server, which runs in process, and with its handlers
	cd conformance && go run . -n $(DERIVED) -sample $(SAMPLE) -seed $(SEED) -time $(DERIVED_TIME)

conformance-record: ## write the API server's responses beside the cases
	cd conformance && go run . -record

conformance-builds: build ## compare the WebAssembly module and the HTTP API with a real API server, too
	cd conformance && go run . -module ../dist/whole.wasm -server ../bin/crdlab

# PAIRS of CRDs are derived from the cases and the corpus, with TRIES objects for each pair
# of compatible CRDs.
PAIRS ?= 2000
TRIES ?= 1000
conformance-revisions: ## check the classes of CRD changes against the API server's handlers
	cd conformance && go run ./revisions -pairs $(PAIRS) -tries $(TRIES) -seed $(SEED)

conformance-commands: ## run the commands that read from a cluster against a real API server
	cd conformance && go test -count=1 -run TestCommandsOnCluster .

conformance-explain: ## compare kubectl explain in reports with kubectl's own code
	cd conformance && go run ./explain

# Without go.mod, the directory belongs to the main module, so the module files of the
# programs select the real servers' releases, too. etcd has the version of its client.
dist/servers/%: minors/%.mod minors/%.sum $(MINOR_SOURCES) $(call find,conformance/apiserver conformance/minors internal/enginetest,-name '*.go')
	@mkdir -p $(@D)
	cp minors/$*.mod $@.mod && cp minors/$*.sum $@.sum
	go mod edit -require="go.etcd.io/etcd/server/v3@$$(sed -n 's,.*go.etcd.io/etcd/client/v3 \(v[^ ]*\).*,\1,p' minors/$*.mod)" $@.mod
	echo '{"Replace": {"$(CURDIR)/conformance/go.mod": ""}}' > $@.overlay.json
	GOFLAGS="$(MINOR_FLAGS)" nice go build -mod=mod -modfile=$@.mod -overlay=$@.overlay.json -o $@ ./conformance/minors

conformance-minors: $(MINORS:%=conformance-minors-%) ## compare the program of each older release with a real API server of that release

.PHONY: $(MINORS:%=conformance-minors-%)
$(MINORS:%=conformance-minors-%): conformance-minors-%: dist/minors/% dist/servers/%
	cd conformance && ../dist/servers/$* -program ../dist/minors/$*

conformance-previous: ## list the cases with another verdict in the previous Kubernetes release
	cd conformance && go run -mod=mod -modfile=previous.mod ./previous
