# Tests. docs/contributing.md has a table of the steps, with what each one proves.

# The steps of "make test" in two lanes of about the same length, one for each core.
GO_STEPS := check-tidy check-format check-generated test-architecture test-native test-crdtest test-wasm test-module
NODE_STEPS := check-page check-lint-page test-page check-api check-notice check-size test-npm test-editors test-worker test-flows
# The steps that only "make nightly" runs: they need a long time, or programs that must be compiled.
NIGHTLY_STEPS := check-lint check-actions test-deploy test-long test-releases test-race test-wasm-all test-oldest-module test-flows-all test-browsers check-image test-install test-attack

comma := ,
empty :=
list = $(subst $(empty) $(empty),$(comma),$(strip $(1)))
# RESULTS is the directory for the results of a step. RUN limits a step to the tests whose
# names match a pattern, and PACKAGES limits the long steps to packages: the report of a failure has both.
go-test = go test $(if $(RESULTS),-json) $(if $(RUN),-run '$(RUN)') $(1) $(2) $(if $(RESULTS),> "$(RESULTS)/go.json")
NODE_TEST = node --test $(if $(RUN),--test-name-pattern='$(RUN)') $(if $(RESULTS),--test-reporter=spec --test-reporter-destination=stdout --test-reporter=junit --test-reporter-destination="$(RESULTS)/node.xml")
TRACE := --trace retain-on-failure
PLAYWRIGHT_TEST = $(if $(RESULTS),PLAYWRIGHT_JUNIT_OUTPUT_FILE="$(RESULTS)/flows.xml") npx playwright test $(if $(RUN),-g '$(RUN)' $(TRACE)) $(if $(RESULTS),--reporter=list$(comma)junit)

.PHONY: test check nightly attack test-repeat prepared $(GO_STEPS) $(NODE_STEPS) $(NIGHTLY_STEPS) chromium browsers postgresql buildah neovim
test: dist/steps ## run the tests: Go, WebAssembly, TypeScript, the Worker, and the page in Chromium
	@MAKE="$(MAKE)" dist/steps dist/results prepared $(call list,$(GO_STEPS)) $(call list,$(NODE_STEPS))

nightly: dist/steps ## run the tests that need a long time, or programs that must be compiled
	@MAKE="$(MAKE)" dist/steps dist/results prepared $(call list,$(NIGHTLY_STEPS))

# The outputs that several steps share: two steps must not build the same file at the same time.
prepared: postgresql chromium neovim
	$(MAKE) -j2 static web/tools/node_modules/.package-lock.json editors/vscode/node_modules/.package-lock.json

check: check-format check-generated check-lint check-page ## run the checks for each save

dist/steps: $(call find,internal/devtools/steps,-name '*.go') | dist
	go build -o $@ ./internal/devtools/steps

# dist/engine.mod is missing here: it is go.mod with replaced modules.
check-tidy:
	@for directory in . crdtest conformance internal/devtools/knowntypes tools; do \
		(cd $$directory && go mod tidy -diff) || { echo "$$directory/go.mod is not tidy"; exit 1; }; \
	done

check-format:
	@unformatted=$$(gofmt -l $(GO_DIRECTORIES)); test -z "$$unformatted" || { echo "not formatted (make fmt): $$unformatted"; exit 1; }
	$(TEMPL) fmt -fail internal

check-generated: web/tools/node_modules/.package-lock.json | dist
	@before=$$(cat $$(find internal -name '*_templ.go' | sort) | cksum); $(TEMPL) generate; \
	after=$$(cat $$(find internal -name '*_templ.go' | sort) | cksum); \
	test "$$before" = "$$after" || { echo "the generated code was not current; it is now: commit it"; exit 1; }
	$(call write-page-types,dist/api.gen.ts)
	@diff $(PAGE_TYPES) dist/api.gen.ts > /dev/null || { echo "the page's types are not current (make generate)"; exit 1; }
	@go -C internal/devtools/knowntypes run . "$(CURDIR)/dist/known"
	@diff -r internal/gotypes/known dist/known > /dev/null || { echo "the known Go types are not current (make generate)"; exit 1; }

LINTER := $(call program,golangci-lint)
LINT = $(abspath $(LINTER)) run --allow-parallel-runners
# The linters cannot be given a module file; a workspace replaces the same modules.
LINT_WASM = GOOS=js GOARCH=wasm $(OLDER_GC) GOWORK="$(CURDIR)/dist/engine.work" GOFLAGS="$(GOFLAGS) $(COLD)" $(LINT)

dist/engine.work: dist/engine.mod
	{ printf 'go %s\n\nuse ..\n\n' "$$(sed -n 's/^go //p' go.mod)"; sed -n 's#^replace \(.*\) => ./dist/#replace \1 => ./#p' $<; } > $@

# The linters include all of vet. WebAssembly has files of its own in these packages.
check-lint: $(LINTER) dist/engine.work
	@failed=0; $(LINT) ./... || failed=1; \
	(cd crdtest && $(LINT) ./...) || failed=1; \
	(cd conformance && $(LINT) ./...) || failed=1; \
	(cd internal/devtools/knowntypes && $(LINT) ./...) || failed=1; \
	$(LINT_WASM) ./wasm/... ./internal/assist/... ./internal/engine/... ./internal/ui || failed=1; \
	$(WORKER) $(LINT) ./cmd/worker/... ./internal/httpapi ./internal/share || failed=1; exit $$failed

test-architecture:
	$(call go-test,-count=1,.)

# Tests that need more than a minute are left out of the brief run.
test-native: postgresql
	$(call go-test,-short -timeout=20m,$(or $(PACKAGES),./cmd/... ./deploy/... ./internal/... ./web/...))

test-long: postgresql
	$(call go-test,-timeout=30m,$(or $(PACKAGES),./cmd/... ./deploy/... ./internal/... ./web/...))

# The library's tests build the program, and test from a module of their own.
test-crdtest:
	cd crdtest && $(call go-test,-count=1,./...)

# Helm and Kustomize render the manifests.
test-deploy: $(call program,helm) $(call program,kustomize) node_modules/.package-lock.json
	KUSTOMIZE="$(abspath $(call program,kustomize))" $(NODE_TEST) deploy/manifests.test.mjs
	HELM="$(abspath $(call program,helm))" KUSTOMIZE="$(abspath $(call program,kustomize))" $(call go-test,-count=1,./deploy)

# The server that is attacked.
SERVER ?= bin/crdlab
attacks = cd internal/devtools/attack && $(call go-test,-count=1 -server="$(abspath $(SERVER))" $(1),.)

# A brief form of the attacks.
test-attack: $(SERVER) postgresql
	$(call attacks,-short)

# Also attacks the program of the container image, which is built for it.
attack: $(SERVER) postgresql buildah | dist ## attack the built server, and print which promises it keeps
	$(call attacks,-timeout=30m -table="$(CURDIR)/dist/attack.md")
	rm -f dist/image-crdlab
	KEEP="$(CURDIR)/dist/image-crdlab" $(NODE_TEST) deploy/image.test.mjs
	if test -e dist/image-crdlab; then $(MAKE) test-attack SERVER=dist/image-crdlab; fi

# The oldest program judges the cases. Its first build compiles its Kubernetes libraries.
test-releases: dist/programs/1.31
	@echo "built: $(notdir $(sort $(wildcard dist/programs/*))), not built: $(filter-out $(notdir $(wildcard dist/programs/*)),$(RELEASES))"
	CRDLAB_PROGRAMS=dist/programs $(call go-test,-count=1 -run 'TestCases|TestWithoutPrograms|FuzzJudgment|TestScripts/^releases$$',./internal/releases ./cmd/crdlab)

# Covers the packages that start goroutines. Packages that import Kubernetes are excluded,
# because the race detector would compile Kubernetes a second time.
# By default, each of the many child processes sleeps a second before its exit.
test-race:
	@if command -v cc >/dev/null; then CGO_ENABLED=1 GORACE=atexit_sleep_ms=10 $(call go-test,-race,./internal/fairqueue ./internal/httpapi ./internal/procpool ./internal/share); \
	else echo "skipped: the race detector needs a C compiler"; fi

# Go's WebAssembly runtime has room for only a few kilobytes of environment variables.
wasm-environment = env -i PATH="$$PATH" HOME="$$HOME" CGO_ENABLED=0 GOFLAGS="$$GOFLAGS" $$(env | grep -E '^(GOPATH|GOCACHE|GOMODCACHE|GOPROXY|GOTOOLCHAIN|CRDLAB_CORPUS)=') $(WASM)
WASM_EXEC = -exec "$$(go env GOROOT)/lib/wasm/go_js_wasm_exec"

# What test-module does not compare: the trimmed libraries' own files, and the boundary.
test-wasm: dist/engine.mod
	$(wasm-environment) $(call go-test,$(WASM_EXEC),$(or $(PACKAGES),./internal/engine/celrule ./wasm/boundary))

test-wasm-all: dist/engine.mod
	$(wasm-environment) $(call go-test,$(WASM_EXEC) -timeout=30m,$(or $(PACKAGES),./internal/assist ./internal/engine ./internal/engine/celrule ./internal/engine/crd ./internal/engine/quickfix ./internal/source/... ./internal/ui ./wasm/boundary))

# Evaluates each case many times and compares the reports byte by byte.
test-repeat: dist/engine.mod ## look for random orders in reports: each case 50 times natively, 5 times as WebAssembly
	go test ./internal/engine -run TestReportsAreRepeatable -timeout 30m -args -repeat 50
	$(wasm-environment) go test $(WASM_EXEC) ./internal/engine -run TestReportsAreRepeatable -timeout 30m -args -repeat 5

check-page: node_modules/.package-lock.json
	npm run --silent check
	npx tsc --noEmit -p web/flows

# The page's TypeScript, the scripts and the style sheets.
check-lint-page: node_modules/.package-lock.json web/tools/node_modules/.package-lock.json editors/vscode/node_modules/.package-lock.json
	web/tools/node_modules/.bin/eslint -c web/tools/eslint.config.mjs --max-warnings 0 .
	web/tools/node_modules/.bin/stylelint --config web/tools/stylelint.config.mjs --report-needless-disables 'internal/ui/*.css' 'internal/site/*.css'

test-page: node_modules/.package-lock.json
	npm test --silent -- $(if $(RUN),-t '$(RUN)') $(if $(RESULTS),--reporter=default --reporter=junit --outputFile.junit="$(RESULTS)/vitest.xml")

# Validates the OpenAPI document. test-native checks that it is current and that every
# response of the server matches it.
check-api: node_modules/.package-lock.json
	$(NODE_TEST) internal/httpapi/

check-actions: $(call program,actionlint)
	$< .github/workflows/*.yml

# Builds for the machine's architecture, or for the list in ARCHES, such as "amd64 arm64".
check-image: buildah
	$(NODE_TEST) deploy/image.test.mjs

# The installations of the README, with the files that a release would have.
test-install: bin/crdlab npm $(call program,helm)
	HELM="$(abspath $(call program,helm))" tools/try-install.sh

check-notice: node_modules/.package-lock.json editors/vscode/node_modules/.package-lock.json
	@node web/scripts/notices.mjs | diff - THIRD_PARTY_NOTICES > /dev/null || { echo "THIRD_PARTY_NOTICES is not current (make notice)"; exit 1; }

check-size: static
	$(WASM) node wasm/size.mjs dist/engine.wasm $(MODULE_MAX) $(MODULE_GZIP_MAX)
	$(GOTYPES_WASM) node wasm/size.mjs dist/gotypes.wasm $(GOTYPES_MAX) $(GOTYPES_GZIP_MAX)
	node web/scripts/site-size.mjs dist/static $(SITE_MAX)

# Compares the reports of the built modules with those of the built server.
test-module: build
	$(NODE_TEST) wasm/limit.test.mjs wasm/start.test.mjs wasm/module.test.mjs wasm/gotypes.test.mjs

test-oldest-module: build dist/programs/1.31 dist/modules/1.31.wasm
	$(NODE_TEST) wasm/oldest.test.mjs

# Installs the npm package into an empty project.
test-npm: npm chromium node_modules/.package-lock.json
	$(NODE_TEST) wasm/npm/

# The language server in the client library of VS Code and in Neovim. The extension itself is
# checked and bundled.
test-editors: bin/crdlab editors/vscode/node_modules/.package-lock.json neovim | dist
	cd editors/vscode && npm run --silent build
	$(NODE_TEST) editors/vscode/
	@if command -v nvim >/dev/null; then PATH="$(CURDIR)/bin:$$PATH" nvim --headless -u NONE -i NONE -c 'luafile editors/neovim_test.lua' </dev/null; \
	else echo "skipped: Neovim is not installed"; fi

# Tests the Worker in workerd, Cloudflare's runtime.
test-worker: worker dist/worker/storetest cmd/worker/node_modules/.package-lock.json
	WRANGLER_SEND_METRICS=false CLOUDFLARE_CF_FETCH_ENABLED=false $(NODE_TEST) cmd/worker/

test-flows: build static chromium
	$(PLAYWRIGHT_TEST) -c web/flows --grep-invert @nightly

# All flows, with the module of the oldest release in the page.
test-flows-all: static chromium
	$(PLAYWRIGHT_TEST) -c web/flows $(TRACE)

# The smoke flow in the browsers other than Chromium.
test-browsers: build browsers
	$(PLAYWRIGHT_TEST) -c web/flows/browsers.config.ts

CHROMIUM ?= $(firstword $(shell command -v chromium chromium-browser google-chrome 2>/dev/null) /usr/bin/chromium)
export CHROMIUM

# install finds programs, or installs packages as root, or tells what happens without them.
install = @$(1) && exit 0; \
	if test "$$(id -u)" = 0 && command -v apt-get >/dev/null; then apt-get update -q && apt-get install -qy --no-install-recommends $(2); \
	else echo "$(3)"; $(4) fi

chromium:
	$(call install,command -v "$(CHROMIUM)" >/dev/null,chromium,The browser flows need Chromium: install it with your system's packages$(comma) or name one with CHROMIUM=path.,exit 1;)

FIREFOX ?= $(firstword $(shell command -v firefox-esr firefox 2>/dev/null) /usr/bin/firefox-esr)
# WebKitGTK's own browser, which WebKitWebDriver starts.
MINIBROWSER ?= $(firstword $(wildcard /usr/lib/*/webkit2gtk-4.1/MiniBrowser /usr/libexec/webkit2gtk-4.1/MiniBrowser) /usr/libexec/webkit2gtk-4.1/MiniBrowser)
export FIREFOX MINIBROWSER

browsers:
	$(call install,command -v "$(FIREFOX)" >/dev/null && command -v WebKitWebDriver >/dev/null && command -v Xvfb >/dev/null,firefox-esr webkit2gtk-driver xvfb,Not all of Firefox$(comma) WebKitWebDriver and Xvfb are installed: the smoke flow will be skipped without them.)

buildah:
	$(call install,command -v buildah >/dev/null && command -v mmdebstrap >/dev/null,buildah mmdebstrap,buildah and mmdebstrap are not installed: the test of the container image will be skipped.)

postgresql:
	$(call install,command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1,postgresql,PostgreSQL is not installed: the tests of its store will be skipped.)

neovim:
	$(call install,command -v nvim >/dev/null,neovim,Neovim is not installed: the test of the language server in it will be skipped.)
