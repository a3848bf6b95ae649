# crdlab: "make run" serves the playground, "make test" runs the tests, and "make help" lists
# the other targets. Each topic has a file in tools/.

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
	golang.org/x/text/... k8s.io/kube-openapi/pkg/internal/... k8s.io/client-go/... k8s.io/api/... k8s.io/component-base/... go.opentelemetry.io/... github.com/google/gnostic-models/... github.com/fxamacker/cbor/... \
	k8s.io/apiextensions-apiserver/pkg/generated/... go.yaml.in/yaml/v2/... github.com/google/cel-go/common/stdlib/... github.com/google/cel-go/ext/... $(addprefix github.com/crdlab/crdlab/internal/,ui \
	assist/... check examples expect manifest mutant upgrade engine/admission/... engine/conversion engine/crddiff engine/kubectl engine/notes engine/openapi engine/owner \
	engine/quickfix engine/solve engine/webhook engine/witness),-gcflags=$(cold)=-l)

# The new garbage collector of Go 1.26 ended a module with the fatal error "steal with local
# work available", so the modules use the previous one, as fast here. Go 1.27 removes it.
OLDER_GC := GOEXPERIMENT=nogreenteagc

# The WebAssembly engine uses trimmed Kubernetes modules (wasm/trim.mjs), and no connections
# (wasm/overlay.mjs). Builds and tests share the flags, and thus the compiled libraries.
OVERLAY := dist/$(firstword $(shell go env GOVERSION)).overlay
WASM := GOOS=js GOARCH=wasm $(OLDER_GC) GOFLAGS="$(GOFLAGS) -modfile=dist/engine.mod -overlay=$(OVERLAY) $(COLD)"
# The module that generates CRDs from Go types is compiled without inlining, except for the packages
# that need most of the time.
HOT := $(foreach hot,runtime/... internal/... reflect strings bytes strconv sort slices unicode/... encoding/json \
	go.yaml.in/yaml/... github.com/crdlab/crdlab/internal/... golang.org/x/tools/...,-gcflags=$(hot)=) -gcflags=go.yaml.in/yaml/v2/...=-l
GOTYPES_WASM := GOOS=js GOARCH=wasm $(OLDER_GC) GOFLAGS="$(GOFLAGS) -modfile=dist/engine.mod -overlay=$(OVERLAY) -gcflags=all=-l $(HOT)"
# The tinygo tag removes chi's profiler, and code without inlining compresses better.
# Each saves a tenth of the compressed size that Cloudflare limits.
WORKER := GOOS=js GOARCH=wasm $(OLDER_GC) GOFLAGS="-trimpath -tags=tinygo -buildvcs=false -gcflags=all=-l"
TEMPL := go tool -modfile=tools/go.mod templ

# Brotli quality for the engine. Quality 9 needs seconds; 11 needs minutes and saves 15 %.
BROTLI ?= 9

# Size budgets of the engine's module in bytes. Browsers receive Brotli 11, which needs
# minutes, so only a release checks it. Test runs check gzip, which is 1.5 times as large.
MODULE_MAX := 58600000
MODULE_GZIP_MAX := 10900000
MODULE_BROTLI_MAX := 7300000
# The module that generates CRDs from Go types.
GOTYPES_MAX := 19700000
GOTYPES_GZIP_MAX := 4400000
GOTYPES_BROTLI_MAX := 3100000
# All files of the static site with the modules of all older releases, which it has in gzip.
SITE_MAX := 100000000

# The maximum memory of a module in bytes. maxLive in wasm/boundary is lower, and
# web/src/engine/stop-sentence.ts names the maximum.
MODULE_MEMORY := 1073741824

find = $(shell find $(1) -type f $(2) 2>/dev/null)
# Tells on a terminal what a command that needs minutes is doing.
say = @echo "--- $(1)"

# The build of a Go program lists the files of its packages with their directories, to which files may be added, as
# prerequisites of the program for the next build. $(1) is the environment of the build, and $(2) the package.
list-sources = @files=$$($(1) go list -deps -f '$(MAIN_FILES)' $(2) | sed 's,$(CURDIR)/,,; p; s,/[^/]*$$,,' | grep -vE '^web/dist(/|$$)' | sort -u | tr '\n' ' ') && \
	printf '%s: %s\n%s:\n' '$@' "$$files" "$$files" > $(call sources,$@)
MAIN_FILES := {{with .Module}}{{if .Main}}{{range $$.GoFiles}}{{$$.Dir}}/{{.}}{{"\n"}}{{end}}{{range $$.EmbedFiles}}{{$$.Dir}}/{{.}}{{"\n"}}{{end}}{{end}}{{end}}
sources = dist/$(subst /,-,$(1:dist/%=%)).sources
# The prerequisites of a program whose sources are not listed yet: it is always built.
unlisted = $(if $(wildcard $(call sources,$(1))),,always)
.DEFAULT_GOAL := run
-include $(wildcard dist/*.sources)
.PHONY: always

TEMPLATES := $(call find,internal,-name '*.templ')
PAGE_SOURCES := package.json package-lock.json $(wildcard *.config.* tsconfig*.json web/*.config.* web/tsconfig*.json) \
	$(call find,web,! -path 'web/dist/*' ! -path 'web/dist.go' ! -path 'web/flows/*' ! -path 'web/tools/*' ! -path '*/node_modules/*' ! -name '*.test.ts') $(wildcard internal/ui/*.css internal/site/*.css)

.PHONY: run build generate fmt notice clean help
run: build ## build and serve the playground
	CRDLAB_PROGRAMS="$${CRDLAB_PROGRAMS:-dist/programs}" ./bin/crdlab serve

build: bin/crdlab ## build the server, the engine and the page into bin/crdlab

bin/crdlab: go.mod go.sum web/dist/engine.json dist/templates $(call unlisted,bin/crdlab)
	$(call say,Compile the server: some minutes the first time)
	$(if $(SERVER_ARCH),GOARCH=$(SERVER_ARCH)) go build -ldflags="$(GO_LDFLAGS) -X main.version=$(VERSION)" -o $@ ./cmd/crdlab
	$(call list-sources,,./cmd/crdlab)

# The page has the modules of older releases that are built: "make programs" builds all. The
# nightly browser flows need the oldest.
PAGE_PROGRAMS := $(sort $(patsubst %.br,%,$(wildcard dist/modules/*.wasm.br)) $(if $(filter test-flows-all,$(MAKECMDGOALS)),dist/modules/1.31.wasm))

web/dist/engine.json: dist/page dist/engine.wasm.br dist/gotypes.wasm.br $(PAGE_PROGRAMS:%=%.br) THIRD_PARTY_NOTICES web/scripts/pack.mjs wasm/resume.js
	node web/scripts/pack.mjs dist/engine.wasm dist/gotypes.wasm "$$(go env GOROOT)/lib/wasm/wasm_exec.js" THIRD_PARTY_NOTICES $(PAGE_PROGRAMS)

dist/%.wasm.br: dist/%.wasm web/scripts/compress.mjs
	node web/scripts/compress.mjs $(BROTLI) $<

dist/engine.mod: go.mod go.sum wasm/trim.mjs wasm/memoized-compile.go.txt $(OVERLAY) | dist
	node wasm/trim.mjs $@

$(OVERLAY): wasm/overlay.mjs | dist
	node wasm/overlay.mjs $@

dist/plain/engine.wasm: go.mod go.sum dist/templates dist/engine.mod wasm/limit.mjs $(call unlisted,dist/plain/engine.wasm) | dist
	$(call say,Compile the engine for the browser: some minutes the first time)
	@$(WASM) go build -ldflags="$(GO_LDFLAGS)" -o $@ ./wasm
	node wasm/limit.mjs $@ $(MODULE_MEMORY)
	$(call list-sources,$(WASM),./wasm)

# The engine's module has already started: the page continues it.
dist/engine.wasm: dist/plain/engine.wasm wasm/start.mjs wasm/resume.js wasm/sections.mjs
	node wasm/start.mjs $< $@

dist/gotypes.wasm: go.mod go.sum dist/engine.mod wasm/limit.mjs $(call unlisted,dist/gotypes.wasm) | dist
	$(call say,Compile the module for Go types)
	@$(GOTYPES_WASM) go build -ldflags="$(GO_LDFLAGS)" -o $@ ./wasm/gotypes
	node wasm/limit.mjs $@ $(MODULE_MEMORY)
	$(call list-sources,$(GOTYPES_WASM),./wasm/gotypes)

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

generate: web/tools/node_modules/.package-lock.json | dist ## write the generated code and the description of the HTTP API
	$(TEMPL) generate
	go -C internal/devtools/knowntypes run . "$(CURDIR)/internal/gotypes/known"
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

GO_DIRECTORIES := cmd conformance crdtest deploy docs internal releases wasm web *.go
fmt: ## format Go and templ
	gofmt -w $(GO_DIRECTORIES)
	$(TEMPL) fmt internal

notice: node_modules/.package-lock.json editors/vscode/node_modules/.package-lock.json | dist ## write THIRD_PARTY_NOTICES
	node web/scripts/notices.mjs > dist/notices
	mv dist/notices THIRD_PARTY_NOTICES

clean: ## remove all build outputs
	rm -rf bin dist node_modules web/tools/node_modules cmd/worker/node_modules editors/vscode/node_modules test-results
	find cmd/worker/built -mindepth 1 ! -name .gitkeep -delete
	find web/dist -mindepth 1 ! -name .gitkeep -delete

help: ## list the targets
	@sed -nE 's/^([a-z][a-z-]*):.* ## (.*)/\1\t\2/p' $(MAKEFILE_LIST) | sort | expand -t 24

include tools/pinned.mk tools/releases.mk tools/publish.mk tools/test.mk tools/measure.mk tools/conformance.mk
