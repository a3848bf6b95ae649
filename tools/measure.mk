# Measurements, pictures, fuzzing, and the search for known vulnerabilities.

.PHONY: pictures load bench bench-page bench-timeline bench-lsp bench-peers audit fuzz edits
pictures: build chromium ## take the pictures of the page in docs/
	npx playwright test -c web/flows/pictures.config.ts

load: build ## measure the server under load
	node internal/server/load.mjs

# kubectl-validate uses its own library versions, which differ from the engine's.
bench: build chromium $(call program,kubectl-validate) ## measure the engine, the server, the page and peers
	node internal/engine/bench.mjs dist/bench.json
	node wasm/bench.mjs dist/bench.json
	node internal/server/bench.mjs dist/bench.json
	KUBECTL_VALIDATE="$(abspath $(call program,kubectl-validate))" node conformance/bench.mjs dist/bench.json
	go test -run '^$$' -bench . -benchmem ./internal/source/...
	ROUNDS=1 npx playwright test -c web/flows/bench.config.ts --grep-invert @timeline

# Both programs take turns, because times depend on the machine.
bench-page: build chromium ## compare the page with that of an older checkout, in ratios: OLD=path
	$(MAKE) -C "$(OLD)" build
	OLD="$(abspath $(OLD))" npx playwright test -c web/flows/bench.config.ts --grep-invert @timeline

bench-timeline: build chromium ## measure what a keystroke waits for, at three times after the first result
	npx playwright test -c web/flows/bench.config.ts --grep @timeline

bench-lsp: build ## measure the language server in a workspace with 500 CRDs of CRDLAB_CORPUS
	CRDLAB_BIN="$(CURDIR)/bin/crdlab" go test ./cmd/crdlab -run '^$$' -bench '^BenchmarkLSP$$' -benchtime 1x

bench-peers: build $(call program,kubectl-validate) $(call program,kubeconform) ## compare the processor time of "crdlab check" with peers
	cd conformance && CRDLAB_BIN="$(CURDIR)/bin/crdlab" KUBECTL_VALIDATE="$(abspath $(call program,kubectl-validate))" KUBECONFORM="$(abspath $(call program,kubeconform))" \
		go test -run '^$$' -bench '^BenchmarkCheck$$' -benchtime 3x .

audit: $(call program,govulncheck) ## look for known vulnerabilities in the libraries
	GOVULNCHECK="$(abspath $<)" tools/audit.sh . web/tools cmd/worker editors/vscode

# The time for each fuzz target. Without a limit, the minimization of one input may use all of it.
FUZZTIME ?= 60s

fuzz: ## run each fuzz target for FUZZTIME
	@failed=0; while IFS=: read -r file target; do \
		echo "$$target in $$(dirname $$file)"; \
		nice go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 5s ./$$(dirname $$file) </dev/null || failed=1; \
	done < <(grep -rno --include='*_test.go' '^func Fuzz[A-Za-z0-9]*' cmd deploy internal wasm web | sed -E 's/:[0-9]+:func /:/'); exit $$failed

edits: ## compare the reports in 2,000 sessions of random edits with those of a fresh engine
	go test ./internal/source -run '^TestParseAfter$$' -rounds 2000000 -timeout 1h
	go test ./internal/engine -run '^TestEditSessions$$' -sessions 2000 -timeout 2h
