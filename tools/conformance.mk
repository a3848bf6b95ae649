# Comparisons with real API servers and their code.

# DERIVED scenarios are generated from the cases and sent to the in-memory request
# handlers; SAMPLE of them are also sent to a real server. SEED selects other scenarios.
DERIVED ?= 20000
SAMPLE ?= 500
SEED ?= 1
# Time limit for each kind of generated scenario.
DERIVED_TIME ?= 5m

.PHONY: conformance conformance-record conformance-builds conformance-releases conformance-revisions conformance-explain conformance-commands conformance-go conformance-repositories conformance-storage conformance-apiextensions conformance-plans conformance-envtest
conformance: ## compare with a real API server, which runs in process, and with its handlers
	cd conformance && go run . -n $(DERIVED) -sample $(SAMPLE) -seed $(SEED) -time $(DERIVED_TIME)

conformance-record: ## write the API server's responses beside the cases
	cd conformance && go run . -record

conformance-builds: build ## compare the WebAssembly module and the HTTP API with a real API server, too
	cd conformance && go run . -module ../dist/engine.wasm -server ../bin/crdlab

# PAIRS of CRDs are derived from the cases and the corpus, with TRIES objects for each pair
# of compatible CRDs.
PAIRS ?= 2000
TRIES ?= 1000
conformance-revisions: ## check the classes of CRD changes against the API server's handlers
	cd conformance && go run ./revisions -pairs $(PAIRS) -tries $(TRIES) -seed $(SEED)

conformance-commands: build ## run the commands that read from a cluster against a real API server, and kubectl on crdlab apiserver
	cd conformance && go test -count=1 -run 'TestCommandsOnCluster|TestKubectl' .

conformance-explain: ## compare kubectl explain in reports with kubectl's own code
	cd conformance && go run ./explain

# PROJECTS selects some of the projects, and MODULES some of the modules.
conformance-go: build $(call program,controller-gen) ## compare the CRDs of Go types in public projects with those of controller-gen
	node conformance/gotypes.mjs $(call program,controller-gen) bin/crdlab $(PROJECTS)

conformance-repositories: build ## check whole repositories of public projects, and compare the rejections with the judged ones
	node conformance/repositories.mjs bin/crdlab $(MODULES)

# Without go.mod, the directory belongs to the main module, so the module files of the
# programs select the real servers' releases, too. etcd has the version of its client.
dist/servers/%: releases/%.mod releases/%.sum $(PROGRAM_SOURCES) $(call find,conformance/apiserver conformance/releases internal/enginetest,-name '*.go')
	@mkdir -p $(@D)
	cp releases/$*.mod $@.mod && cp releases/$*.sum $@.sum
	go mod edit -require="go.etcd.io/etcd/server/v3@$$(sed -n 's,.*go.etcd.io/etcd/client/v3 \(v[^ ]*\).*,\1,p' releases/$*.mod)" $@.mod
	echo '{"Replace": {"$(CURDIR)/conformance/go.mod": ""}}' > $@.overlay.json
	GOFLAGS="$(PROGRAM_FLAGS)" nice go build -mod=mod -modfile=$@.mod -overlay=$@.overlay.json -o $@ ./conformance/releases

conformance-releases: $(RELEASES:%=conformance-releases-%) ## compare the program of each older release with a real API server of that release

.PHONY: $(RELEASES:%=conformance-releases-%)
$(RELEASES:%=conformance-releases-%): conformance-releases-%: dist/programs/% dist/servers/%
	cd conformance && ../dist/servers/$* -program ../dist/programs/$*

# The one test that is left out wants an error in a stream, which only etcd's own client can send.
# A list that is compacted ends with the same error before its stream.
storage-tests := dist/storage-tests
conformance-storage: | dist ## run Kubernetes' own tests of the API server's storage and watch cache on the storage of crdlab apiserver
	rm -rf $(storage-tests) && mkdir -p $(storage-tests)
	cp -r "$$(cd conformance && go list -m -f '{{.Dir}}' k8s.io/apiserver)" $(storage-tests)/apiserver && chmod -R u+w $(storage-tests)/apiserver
	rm $(storage-tests)/apiserver/pkg/storage/etcd3/testserver/*
	cp -r internal/memetcd $(storage-tests)/apiserver/pkg/storage/etcd3/testserver/
	sed 's#github.com/crdlab/crdlab/internal/memetcd#k8s.io/apiserver/pkg/storage/etcd3/testserver/memetcd#' conformance/testserver/testserver.go > $(storage-tests)/apiserver/pkg/storage/etcd3/testserver/testserver.go
	cp conformance/go.sum $(storage-tests)/go.sum
	sed 's#=> \.\./#=> $(CURDIR)#' conformance/go.mod > $(storage-tests)/go.mod
	printf 'replace k8s.io/apiserver => $(CURDIR)/$(storage-tests)/apiserver\n' >> $(storage-tests)/go.mod
	cd conformance && $(call go-test,-mod=mod -modfile=$(CURDIR)/$(storage-tests)/go.mod -skip=TestWatchChanSyncStreamCompactionError -timeout=20m,k8s.io/apiserver/pkg/storage/etcd3 k8s.io/apiserver/pkg/storage/cacher)

# The tests and their fixtures become a module inside of crdlab, whose internal packages they import.
# Two tests are left out: one wants objects to be stored as CBOR, of which clients see nothing, and one is
# for servers without a watch cache.
apiextensions-tests := dist/apiextensions-tests
conformance-plans: | dist ## carry out the plans for generated and public CRDs on the server of crdlab apiserver
	$(call go-test,-run='^TestPlans' -timeout=60m,./internal/apiserver -args -plans=100 -plans-of-large)

conformance-apiextensions: | dist ## run Kubernetes' own integration tests of custom resources, and the cases, on the server of crdlab apiserver
	$(call go-test,-run='^TestCases$$' -timeout=20m,./internal/apiserver -args -cases)
	rm -rf $(apiextensions-tests) && mkdir -p $(apiextensions-tests)
	cp -r "$$(cd conformance && go list -m -f '{{.Dir}}' k8s.io/apiextensions-apiserver)/test/integration" $(apiextensions-tests)/ && chmod -R u+w $(apiextensions-tests)
	cp internal/devtools/fixtures/server.go $(apiextensions-tests)/integration/fixtures/
	find $(apiextensions-tests) -name '*.go' -exec sed -i 's#"k8s.io/apiextensions-apiserver/test/integration#"github.com/crdlab/crdlab/upstream/integration#' {} +
	cp go.sum $(apiextensions-tests)/go.sum
	sed 's#^module .*#module github.com/crdlab/crdlab/upstream#' go.mod > $(apiextensions-tests)/go.mod
	printf 'require github.com/crdlab/crdlab v0.0.0\nreplace github.com/crdlab/crdlab => $(CURDIR)\n' >> $(apiextensions-tests)/go.mod
	cd $(apiextensions-tests) && $(call go-test,-mod=mod -skip='TestCBORStorageEnablement|TestWebhookConverterWithoutWatchCache' -timeout=30m,./...)

# The tests of controller-runtime start the programs of "crdlab envtest" many times. SUITES has the
# directories of other modules whose tests use envtest.
CONTROLLER_RUNTIME := sigs.k8s.io/controller-runtime@v0.25.2
SUITES ?=
envtest-tests := dist/envtest-tests
conformance-envtest: build ## run the tests of controller-runtime, and of SUITES, on the programs of crdlab envtest
	rm -rf $(envtest-tests) && mkdir -p $(envtest-tests)
	cp -r "$$(go mod download -json $(CONTROLLER_RUNTIME) | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')" $(envtest-tests)/controller-runtime && chmod -R u+w $(envtest-tests)/controller-runtime
	find $(envtest-tests) -name '*.sh' -exec chmod +x {} +
	export KUBEBUILDER_ASSETS="$$(bin/crdlab envtest)" GOFLAGS=; failed=0; \
	for suite in $(CURDIR)/$(envtest-tests)/controller-runtime $(SUITES); do \
		(cd $$suite && go test -count=1 ./...) || failed=1; \
	done; exit $$failed
