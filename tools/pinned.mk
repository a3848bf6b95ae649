# The programs that "make test" does not need, pinned by version. Go compiles them once into
# dist/tools. None of them is a dependency of crdlab.

PROGRAMS := actionlint controller-gen golangci-lint goreleaser govulncheck helm kubeconform kubectl-validate kustomize

actionlint := github.com/rhysd/actionlint/cmd/actionlint@v1.7.12
controller-gen := sigs.k8s.io/controller-tools/cmd/controller-gen@$(shell sed -n 's,.*sigs.k8s.io/controller-tools \(v[^ ]*\).*,\1,p' go.mod)
golangci-lint := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
goreleaser := github.com/goreleaser/goreleaser/v2@v2.15.1
govulncheck := golang.org/x/vuln/cmd/govulncheck@v1.9.0
helm := helm.sh/helm/v4/cmd/helm@v4.3.1
kubeconform := github.com/yannh/kubeconform/cmd/kubeconform@v0.7.0
kubectl-validate := sigs.k8s.io/kubectl-validate@v0.0.4
kustomize := sigs.k8s.io/kustomize/kustomize/v5@v5.8.2

# The file's name contains the version, so a raised version is another file.
program = dist/tools/$(1)-$(lastword $(subst @, ,$($(1))))

# The file without the version is a link, for workflows.
define program-rule
dist/tools/$(1): $$(call program,$(1))
	ln -sf $$(notdir $$<) $$@

$$(call program,$(1)):
	$$(call say,Compile $(1))
	GOBIN="$$(CURDIR)/dist/tools" GOFLAGS=-trimpath go install -ldflags="$$(GO_LDFLAGS)" $$($(1))
	@mv dist/tools/$(1) $$@
endef
$(foreach name,$(PROGRAMS),$(eval $(call program-rule,$(name))))
