package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/crdlab/crdlab/internal/apiserver"
	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/share"
)

// An explainer prints why a server refuses or alters what its clients write.
type explainer struct {
	out io.Writer
	// page is the address of the page for links, or empty.
	page   string
	mutex  sync.Mutex
	engine *engine.Engine
}

// explain prints an explanation of a write, unless the server stores it as it is.
func (e *explainer) explain(w apiserver.Write) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	scenario := scenarioOf(w)
	report, err := e.engine.Evaluate(context.Background(), scenario)
	if err != nil {
		fmt.Fprintf(e.out, "crdlab: %s cannot be explained: %v\n", describe(w), err)
		return
	}
	verdict, lines := explanationOf(report, w.CRD == "")
	isRefused := w.Code >= http.StatusBadRequest
	word := "altered"
	switch {
	case isRefused && verdict != w.Code: // The engine does not see what refuses the object.
		word, lines = "refused", []string{w.Message}
	case isRefused:
		word = "refused"
	case verdict >= http.StatusBadRequest || len(lines) == 0: // A webhook may have mended what the engine refuses.
		return
	}
	if link, err := share.Fragment(scenario); err == nil && e.page != "" {
		lines = append(lines, e.page+link)
	}
	fmt.Fprintf(e.out, "crdlab: %s: %s\n", word, describe(w))
	for _, line := range lines {
		fmt.Fprintf(e.out, "  %s\n", strings.ReplaceAll(line, "\n", "\n    "))
	}
}

// describe returns a write in the words of kubectl and of the API server.
func describe(w apiserver.Write) string {
	what := w.Resource + "." + w.APIGroup
	if w.Subresource != "" {
		what = "the " + w.Subresource + " of " + what
	}
	if w.Name != "" {
		what += " " + strconv.Quote(w.Name)
	}
	if w.Namespace != "" {
		what += " in " + w.Namespace
	}
	return fmt.Sprintf("%s %s (%d)", w.Verb, what, w.Code)
}

// scenarioOf returns the scenario in which the engine judges a write.
func scenarioOf(w apiserver.Write) playground.Scenario {
	operation := map[string]playground.Operation{"create": playground.OperationCreate, "update": playground.OperationUpdate, "patch": playground.OperationUpdate}[w.Verb]
	if w.IsApply {
		operation = playground.OperationApply
	}
	s := playground.Scenario{FieldValidation: w.Query.Get("fieldValidation")}
	if s.FieldValidation == "" {
		s.FieldValidation = playground.FieldValidationWarn // the default of the API server
	}
	if w.CRD == "" {
		s.CRD, s.OldCRD, s.CRDOperation = w.Object, w.Old, operation
		s.CRDFieldManager, s.CRDForce, s.CRDStored = w.Query.Get("fieldManager"), w.Query.Get("force") == "true", true
		return s
	}
	switch {
	case w.Subresource == "status" && w.IsApply:
		operation = playground.OperationApplyStatus
	case w.Subresource == "status":
		operation = playground.OperationUpdateStatus
	}
	s.CRD, s.Object, s.OldObject, s.Admission, s.Operation = w.CRD, w.Object, w.Old, w.Admission, operation
	s.FieldManager, s.Force = w.Query.Get("fieldManager"), w.Query.Get("force") == "true"
	s.User = w.User.GetName()
	s.Groups = strings.Join(slices.DeleteFunc(slices.Clone(w.User.GetGroups()), func(group string) bool { return group == user.AllAuthenticated }), ",")
	return s
}

// explanationOf returns the status code of a report, and a text for each finding and, if the request is
// accepted, for each change that its author does not expect.
func explanationOf(r playground.Report, isCRD bool) (code int, lines []string) {
	findings, changes := r.CRD.Findings, r.CRD.StoredChanges
	code = r.CRD.Status.Code
	if !isCRD {
		if len(r.Objects) == 0 {
			return 0, nil
		}
		object := r.Objects[0]
		code, findings, changes = object.Status.Code, object.Findings, nil
		for _, stage := range object.Stages {
			changes = append(changes, slices.DeleteFunc(stage.Changes, func(c playground.Change) bool { return isExpected(stage.Name, c) })...)
		}
	}
	for _, finding := range findings {
		if finding.Stage != playground.StageNotes {
			lines = append(lines, manifest.Plain(finding).Explained())
		}
	}
	if code >= http.StatusBadRequest {
		return code, lines
	}
	for _, change := range changes {
		switch {
		case change.Op == playground.ChangeRemove:
			lines = append(lines, fmt.Sprintf("%s is removed: %s", change.Path, change.Because))
		case !isCRD: // The API server adds the same fields to each CRD.
			lines = append(lines, fmt.Sprintf("%s is %.100s: %s", change.Path, change.Value, change.Because))
		}
	}
	return code, lines
}

// isExpected reports whether the author of an object expects a change: it is part of every request, is what
// an apply request asks for, or only concerns another version.
func isExpected(name playground.StageName, c playground.Change) bool {
	stage, _ := playground.FindObjectStage(name)
	ofServer := len(c.Steps) > 0 && c.Steps[0] == "metadata" || c.Op == playground.ChangeAdd
	return name == playground.StageRead || c.Cause == playground.CauseApplied || (stage.Routine || c.Cause == playground.CauseServer) && ofServer
}
