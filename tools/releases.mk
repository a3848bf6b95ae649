# The verdict programs of older Kubernetes releases, one for each releases/*.mod, and their
# modules for the page. The first build of each compiles the libraries of its release.

RELEASES := $(basename $(notdir $(wildcard releases/*.mod)))
PROGRAM_SOURCES := $(call find,releases internal/apiclient internal/refserver internal/verdict internal/procpool internal/confine internal/source internal/playground,-name '*.go' ! -name '*_test.go')
PROGRAM_FLAGS = -trimpath -tags=grpcnotrace,program,kubernetes$* -buildvcs=false

.PHONY: programs add-release move
programs: $(RELEASES:%=dist/programs/%) $(RELEASES:%=dist/modules/%.wasm.br) ## build the verdict programs of older Kubernetes releases into dist/programs, and their modules for the page

# Otherwise make would delete the modules after their compression.
.SECONDARY: $(RELEASES:%=dist/modules/%.wasm) $(RELEASES:%=dist/trimmed/%/trimmed.mod)

dist/programs/%: releases/%.mod releases/%.sum $(PROGRAM_SOURCES) | dist
	$(call say,Compile the program of Kubernetes $*: some minutes the first time)
	$(if $(SERVER_ARCH),GOARCH=$(SERVER_ARCH)) GOFLAGS="$(PROGRAM_FLAGS)" nice go build -modfile=$< -ldflags="$(GO_LDFLAGS)" -o $@ ./releases

dist/trimmed/%/trimmed.mod: releases/%.mod releases/%.sum wasm/trim.mjs wasm/without-etcd.go.txt
	mkdir -p $(@D)
	node wasm/trim.mjs $@ $<

dist/modules/%.wasm: dist/trimmed/%/trimmed.mod $(PROGRAM_SOURCES)
	$(call say,Compile the module of Kubernetes $*: some minutes the first time)
	@GOOS=js GOARCH=wasm $(OLDER_GC) GOFLAGS="$(PROGRAM_FLAGS) -modfile=$< $(COLD)" nice go build -ldflags="$(GO_LDFLAGS)" -o $@ ./releases
	node wasm/limit.mjs $@ $(MODULE_MEMORY)

dist/modules/%.wasm.br: dist/modules/%.wasm web/scripts/compress.mjs
	node web/scripts/compress.mjs $(BROTLI) $<

add-release: ## add the program of a Kubernetes release (RELEASE=1.37), and list the cases that it judges differently
	releases/add.sh $(RELEASE)
	$(MAKE) dist/programs/$(RELEASE)
	go run ./internal/devtools/releases -programs dist/programs -release $(RELEASE)

move: ## move to the next Kubernetes release (RELEASE=1.38), and list the cases that it judges differently
	releases/move.sh $(RELEASE) $(LIBRARIES)
