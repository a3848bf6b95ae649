# The verdict programs of older Kubernetes releases, one for each minors/*.mod, and their
# modules for the page. The first build of each compiles the libraries of its release.

MINORS := $(basename $(notdir $(wildcard minors/*.mod)))
MINOR_SOURCES := $(call find,minors internal/apiclient internal/refserver internal/verdict internal/procpool internal/confine internal/source internal/playground,-name '*.go' ! -name '*_test.go')
MINOR_FLAGS = -trimpath -tags=grpcnotrace,minor,kubernetes$* -buildvcs=false

.PHONY: minors add-minor move
minors: $(MINORS:%=dist/minors/%) $(MINORS:%=dist/modules/%.wasm.br) ## build the verdict programs of older Kubernetes releases into dist/minors, and their modules for the page

# Otherwise make would delete the modules after their compression.
.SECONDARY: $(MINORS:%=dist/modules/%.wasm) $(MINORS:%=dist/trimmed/%/trimmed.mod)

dist/minors/%: minors/%.mod minors/%.sum $(MINOR_SOURCES) | dist
	$(call say,Compile the program of Kubernetes $*: some minutes the first time)
	$(if $(SERVER_ARCH),GOARCH=$(SERVER_ARCH)) GOFLAGS="$(MINOR_FLAGS)" nice go build -modfile=$< -ldflags="$(GO_LDFLAGS)" -o $@ ./minors

dist/trimmed/%/trimmed.mod: minors/%.mod minors/%.sum wasm/trim.mjs wasm/without-etcd.go.txt
	mkdir -p $(@D)
	node wasm/trim.mjs $@ $<

dist/modules/%.wasm: dist/trimmed/%/trimmed.mod $(MINOR_SOURCES)
	$(call say,Compile the module of Kubernetes $*: some minutes the first time)
	@GOOS=js GOARCH=wasm $(OLDER_GC) GOFLAGS="$(MINOR_FLAGS) -modfile=$< $(COLD)" nice go build -ldflags="$(GO_LDFLAGS)" -o $@ ./minors
	node wasm/limit.mjs $@ $(MODULE_MEMORY)

dist/modules/%.wasm.br: dist/modules/%.wasm web/scripts/compress.mjs
	node web/scripts/compress.mjs $(BROTLI) $<

add-minor: ## add the program of a Kubernetes release (MINOR=1.37), and list the cases that it judges differently
	minors/add.sh $(MINOR)
	$(MAKE) dist/minors/$(MINOR)
	go run ./internal/devtools/releases -programs dist/minors -release $(MINOR)

move: ## move to the next Kubernetes release (MINOR=1.38), and list the cases that it judges differently
	minors/move.sh $(MINOR) $(LIBRARIES)
