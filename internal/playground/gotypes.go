package playground

// GenerateRequest requests the CRDs of Go types with kubebuilder markers.
type GenerateRequest struct {
	// Text is a file of Go; several files after lines such as "// api/v1/types.go"; or a txtar
	// archive, which may have the file go.mod.
	Text string `json:"text"`
	// Options holds options of controller-gen: those after "crd:", such as "maxDescLen=0".
	Options string `json:"options,omitempty"`
	// Conventions requests notes on conventions of the Kubernetes API.
	Conventions bool `json:"conventions,omitempty"`
	// Fixes requests fixes of the problems. Their tests generate the CRDs again.
	Fixes bool `json:"fixes,omitempty"`
	// CRDFixes lists fixes of the generated CRDs to translate, with ranges in GenerateResult.CRDs. Only
	// the first 8 are tried, because their tests generate the CRDs again.
	CRDFixes []Fix `json:"crdFixes,omitempty"`
}

// GoCursor is a position in Go source.
type GoCursor struct {
	Text     string   `json:"text"`
	Position Position `json:"position"`
}

// GenerateResult is the response to a [GenerateRequest]. Mistakes in the source are problems, and the CRDs
// may lack a part then.
type GenerateResult struct {
	// CRDs is YAML with one document for each CRD, in the order of controller-gen.
	CRDs string `json:"crds"`
	// Problems lists the mistakes in the order of the source.
	Problems []GoProblem `json:"problems"`
	// Origins covers CRDs from the start to the end. It locates the Go source of each line, and
	// of each word in a CEL rule.
	Origins []Origin `json:"origins"`
	// CRDFixes has the edits of the source with the effect of each of GenerateRequest.CRDFixes, under its
	// title; no edits if it cannot be translated.
	CRDFixes []Fix `json:"crdFixes,omitempty"`
}

// GoProblem is a mistake in a [GenerateRequest].
type GoProblem struct {
	// Range is in the source; it is empty at the start for a mistake in the options.
	Range    Range    `json:"range"`
	Severity Severity `json:"severity"`
	Message  string   `json:"message"`
	Hint     string   `json:"hint"`
	// Fixes lists edits of the source after which the problem is gone; empty unless
	// GenerateRequest.Fixes is set.
	Fixes []Fix `json:"fixes"`
}

// Origin relates a part of generated CRDs to its Go source: a marker, a part of one, or the name
// of a field or type. Adjacent lines with the same source have one origin.
type Origin struct {
	Range  Range `json:"range"`
	Source Range `json:"source"`
}
