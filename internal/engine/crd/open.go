package crd

import (
	"cmp"
	"strings"

	"github.com/google/uuid"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/registry/rest"

	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// open parses the YAML and chooses the document to evaluate. It returns false if the
// YAML exceeds a limit or contains no document. A syntax error does not stop open,
// because the decoder reports it in the API server's words.
func (r *Request) open() bool {
	file, edit, err := source.ParseAfter(r.evaluator.lastFile(), r.yaml, finding.CRDText)
	r.parsed, r.edit = file, edit
	if _, isLimit := finding.LimitRange(err); isLimit {
		r.exceed(playground.DocumentCRD, err)
		return false
	}
	r.Doc, r.Report.Candidates = chooseDocument(file)
	if r.Doc == nil {
		return false
	}
	if err := finding.CheckText(r.Doc); err != nil {
		r.exceed(playground.DocumentCRD, err)
		return false
	}
	return true
}

// openOld parses and decodes the CRD before an update, if there is one. It does not
// validate this CRD, because a cluster may hold CRDs that it no longer accepts. openOld
// returns false if the YAML exceeds a limit or is not a CRD.
func (r *Request) openOld() bool {
	requested := r.operation
	r.operation = cmp.Or(requested, playground.OperationCreate)
	if strings.TrimSpace(r.oldYAML) == "" {
		return true
	}
	file, err := source.Parse(r.oldYAML, finding.CRDText)
	if _, isLimit := finding.LimitRange(err); isLimit {
		r.operation = cmp.Or(requested, playground.OperationUpdate)
		r.exceed(playground.DocumentOldCRD, err)
		return false
	}
	doc, _ := chooseDocument(file)
	if doc == nil {
		return true
	}
	r.operation = cmp.Or(requested, playground.OperationUpdate)
	old, err := decodeOld(doc)
	if err != nil {
		r.Report.Status = playground.Status{Message: "the previous CRD cannot be read"}
		r.findings.Add(finding.OfRequest(playground.DocumentOldCRD, playground.StageCRDDecode, doc, err.Error()))
		return false
	}
	dropUnstored(old)
	r.oldRevision = old.ResourceVersion
	establish(old)
	if requested == playground.OperationCreate {
		r.existing = old.Name
		return true
	}
	r.Old, r.OldDoc = old, doc
	return true
}

func decodeOld(doc *source.Document) (*apiextensions.CustomResourceDefinition, error) {
	old := &apiextensions.CustomResourceDefinition{}
	err := upstream.Guard(playground.StageCRDDecode, func() error {
		_, _, err := decodeDocument(doc, false, old)
		return err
	})
	return old, err
}

// exceed ends the request because a document exceeds a limit.
func (r *Request) exceed(document playground.Document, err error) {
	r.Report.Status = playground.Status{Message: err.Error()}
	r.findings.Add(finding.OfLimit(document, playground.StageCRDDecode, err))
}

// chooseDocument returns the first CustomResourceDefinition of a file, and a candidate
// for each of them. If the file contains no CRD, chosen is the first document with
// content, so that the decoder reports its kind.
func chooseDocument(file *source.File) (chosen *source.Document, candidates []playground.Candidate) {
	candidates = []playground.Candidate{}
	var other *source.Document
	for _, doc := range file.NonEmpty() {
		if other == nil {
			other = doc
		}
		if kind, ok := doc.Lookup("kind"); !ok || kind != "CustomResourceDefinition" {
			continue
		}
		name, _ := doc.Lookup("metadata", "name")
		candidates = append(candidates, playground.Candidate{Name: name, Chosen: chosen == nil, Range: doc.Range})
		if chosen == nil {
			chosen = doc
		}
	}
	if chosen == nil {
		chosen = other
	}
	return chosen, candidates
}

// dropUnstored removes the metadata that no CRD in a cluster has, because its create
// request drops it. The YAML may be from a cluster, so the UID, the time of the creation
// and the resourceVersion remain.
func dropUnstored(crd *apiextensions.CustomResourceDefinition) {
	uid, created := crd.UID, crd.CreationTimestamp
	rest.WipeObjectMetaSystemFields(crd)
	crd.UID, crd.CreationTimestamp = uid, created
	crd.Namespace = ""
	upstream.DropUnstoredRevision(crd)
}

// establish sets the fields that the controllers set on a CRD in a cluster, if the YAML
// omits them. It does not change status.storedVersions.
func establish(crd *apiextensions.CustomResourceDefinition) {
	if crd.Generation == 0 {
		crd.Generation = 1
	}
	if crd.UID == "" {
		crd.UID = types.UID(uuid.NewSHA1(uuid.NameSpaceURL, []byte(crd.Name)).String())
	}
	if crd.ResourceVersion == "" {
		crd.ResourceVersion = upstream.FirstResourceVersion
	}
	if crd.Status.AcceptedNames.Plural == "" {
		crd.Status.AcceptedNames = crd.Spec.Names
	}
	for _, condition := range []apiextensions.CustomResourceDefinitionCondition{
		{Type: apiextensions.NamesAccepted, Reason: "NoConflicts", Message: "no conflicts found"},
		{Type: apiextensions.Established, Reason: "InitialNamesAccepted", Message: "the initial names have been accepted"},
	} {
		if apiextensions.FindCRDCondition(crd, condition.Type) == nil {
			condition.Status, condition.LastTransitionTime = apiextensions.ConditionTrue, crd.CreationTimestamp
			crd.Status.Conditions = append(crd.Status.Conditions, condition)
		}
	}
}
