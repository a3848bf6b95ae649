# Releases: archives, static page, Worker, npm package, extension for VS Code, Helm chart.

.PHONY: release snapshot check-release chart package-chart reproducible static npm worker vsix
release: ## build everything for deployment, with the smallest engine modules
	rm -f dist/engine.wasm.br dist/gotypes.wasm.br dist/modules/*.br
	$(MAKE) programs BROTLI=11
	$(MAKE) build static worker npm vsix BROTLI=11
	$(WASM) node wasm/size.mjs dist/engine.wasm $(MODULE_MAX) $(MODULE_GZIP_MAX) $(MODULE_BROTLI_MAX)
	$(GOTYPES_WASM) node wasm/size.mjs dist/gotypes.wasm $(GOTYPES_MAX) $(GOTYPES_GZIP_MAX) $(GOTYPES_BROTLI_MAX)
	node web/scripts/site-size.mjs dist/static $(SITE_MAX)

# Signing and publishing need the accounts of .github/workflows/release.yml.
snapshot: dist/tools/goreleaser programs ## build the archives of a release into dist/release, without signing or publishing them
	dist/tools/goreleaser release --snapshot --clean --skip=publish,sign,sbom

check-release: dist/tools/goreleaser ## check the description of releases
	dist/tools/goreleaser check

chart: $(call program,helm) ## lint the Helm chart, and write its manifests in deploy/, the cases and the table of its values
	HELM="$(abspath $<)" go test -count=1 ./deploy -run 'TestLint|TestChart|TestManifestsAreRendered|TestValuesTable' -update

package-chart: dist/tools/helm ## write the Helm chart of VERSION into dist/chart
	$< package deploy/chart --version "$(VERSION:v%=%)" --app-version "$(VERSION)" --destination dist/chart

# The programs of older releases that "crdlab releases add" downloads, for each platform of
# the archives. crdlab itself contains their checksums.
PLATFORMS := $(foreach os,linux darwin windows,$(os)_amd64 $(os)_arm64)
.PHONY: programs checksums
compressed: $(foreach release,$(RELEASES),$(PLATFORMS:%=dist/compressed/crdlab-kubernetes-$(release)_%.gz)) ## build the compressed programs of older releases for all platforms (RELEASES=1.31 PLATFORMS=linux_amd64)

dist/compressed/crdlab-kubernetes-%.gz: $(PROGRAM_SOURCES) $(wildcard releases/*.mod releases/*.sum)
	@mkdir -p $(@D)
	$(call say,Compile $(@F))
	@set -- $(subst _, ,$*); GOOS=$$2 GOARCH=$$3 GOFLAGS="-trimpath -tags=grpcnotrace,program,kubernetes$$1 -buildvcs=false" \
		nice go build -modfile=releases/$$1.mod -ldflags="$(GO_LDFLAGS)" -o $(@:.gz=) ./releases
	gzip -9 --no-name --force $(@:.gz=)

checksums: ## write the checksums of the programs in dist/compressed, for the next build of crdlab
	cd dist/compressed && sha256sum *.gz > ../../internal/releases/built/checksums.txt

# The directories have names of different lengths, because a path in a file would change it.
reproducible: ## build the program and the modules twice, in different directories, and compare the bytes
	for copy in one another; do \
		rm -rf dist/reproducible/$$copy && git clone -q . dist/reproducible/$$copy && \
		$(MAKE) -C dist/reproducible/$$copy build VERSION=$(VERSION) && \
		(cd dist/reproducible/$$copy && sha256sum bin/crdlab dist/engine.wasm) > dist/reproducible/$$copy.sha256 || exit 1; \
	done
	diff dist/reproducible/one.sha256 dist/reproducible/another.sha256
	@cat dist/reproducible/one.sha256

static: dist/static/index.html ## write the page for hosts that only send files into dist/static

dist/static/index.html: bin/crdlab
	rm -rf dist/static
	./bin/crdlab static dist/static

npm: dist/npm ## write the npm package of the engine into dist/npm

dist/npm: dist/engine.wasm.br dist/gotypes.wasm.br web/src/api.gen.ts LICENSE THIRD_PARTY_NOTICES $(call find,wasm/npm,) wasm/resume.js
	node wasm/npm/pack.mjs "$(VERSION)" $@

vsix: dist/crdlab.vsix ## write the extension for VS Code into dist/crdlab.vsix

dist/crdlab.vsix: editors/vscode/node_modules/.package-lock.json $(wildcard editors/vscode/*.* editors/vscode/src/*) LICENSE THIRD_PARTY_NOTICES docs/light.png | dist
	cd editors/vscode && VERSION="$(VERSION)" npm run --silent package

editors/vscode/node_modules/.package-lock.json: editors/vscode/package.json editors/vscode/package-lock.json
	cd editors/vscode && npm ci --no-audit --no-fund --ignore-scripts
	@touch $@

worker: dist/worker/go dist/worker/public ## build the Cloudflare Worker in dist/worker

# The program embeds only the asset names. Cloudflare serves the asset files.
dist/worker/go: go.mod go.sum web/dist/engine.json tools/go.mod $(call unlisted,dist/worker/go)
	cp web/dist/{manifest.json,engine.json,notices.txt,service-worker.js,app.webmanifest,crd-lab.js} cmd/worker/built
	go tool -modfile=tools/go.mod workers-assets-gen -mode=go -o $@
	$(WORKER) go build -ldflags="$(GO_LDFLAGS) -X main.version=$(VERSION)" -o $@/app.wasm ./cmd/worker
	$(call list-sources,$(WORKER),./cmd/worker)
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
