package engine

import (
	"cmp"
	"strings"
	"time"

	"github.com/crdlab/crdlab/internal/engine/release"
	"github.com/crdlab/crdlab/internal/playground"
)

// SetDefaults returns s with defaults for its empty parameters. It returns an error
// if a parameter is invalid.
func SetDefaults(s playground.Scenario) (playground.Scenario, error) {
	if s.Kubernetes == "" {
		s.Kubernetes = release.Name(playground.NewestMinor)
	}
	switch s.FieldValidation {
	case "":
		s.FieldValidation = playground.FieldValidationStrict
	case playground.FieldValidationStrict, playground.FieldValidationWarn, playground.FieldValidationIgnore:
	default:
		return s, &playground.InvalidScenarioError{Parameter: "fieldValidation", Message: "must be Strict, Warn or Ignore"}
	}
	switch s.Operation {
	case "":
		s.Operation = playground.OperationCreate
		if strings.TrimSpace(s.OldObject) != "" {
			s.Operation = playground.OperationUpdate
		}
	case playground.OperationCreate, playground.OperationUpdate, playground.OperationUpdateStatus, playground.OperationApply, playground.OperationApplyStatus, playground.OperationDelete, playground.OperationScale:
	default:
		return s, &playground.InvalidScenarioError{Parameter: "operation", Message: "must be create, update, updateStatus, apply, applyStatus, delete or scale"}
	}
	switch s.CRDOperation {
	case "", playground.OperationCreate, playground.OperationUpdate, playground.OperationApply, playground.CRDOperationClientApply:
	default:
		return s, &playground.InvalidScenarioError{Parameter: "crdOperation", Message: "must be create, update, apply or clientApply"}
	}
	if s.CRDFieldManager == "" {
		operation := s.CRDOperation
		if operation == "" {
			operation = playground.OperationCreate
			if strings.TrimSpace(s.OldCRD) != "" {
				operation = playground.OperationUpdate
			}
		}
		s.CRDFieldManager = playground.FieldManagers[operation]
	}
	s.CRDFile, s.ObjectFile = cmp.Or(s.CRDFile, "crd.yaml"), cmp.Or(s.ObjectFile, "object.yaml")
	if s.Replicas < 0 {
		return s, &playground.InvalidScenarioError{Parameter: "replicas", Message: "must not be negative"}
	}
	if s.FieldManager == "" {
		s.FieldManager = playground.FieldManagers[s.Operation]
	}
	return s, nil
}

// ParseNow parses the time of a scenario's requests and truncates it to seconds, the
// precision of the API server. An empty string means the current time.
func ParseNow(now string) (time.Time, error) {
	if now == "" {
		return time.Now().UTC().Truncate(time.Second), nil
	}
	t, err := time.Parse(time.RFC3339, now)
	if err != nil {
		return time.Time{}, &playground.InvalidScenarioError{Parameter: "now", Message: "must be an RFC 3339 time such as 2006-01-02T15:04:05Z"}
	}
	return t.UTC().Truncate(time.Second), nil
}
