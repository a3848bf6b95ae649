package main

import (
	"encoding/json"
	"fmt"

	"github.com/google/go-cmp/cmp"

	"github.com/crdlab/crdlab/internal/engine/verdict"
)

// compare is how two normal verdicts differ; empty if they do not.
func compare(want, got verdict.Verdict) string {
	if want.CRD.Conditions == nil || got.CRD.Conditions == nil {
		want.CRD.Conditions, got.CRD.Conditions = nil, nil
	}
	return cmp.Diff(loose(want), loose(got))
}

// loose is a verdict as JSON has it, so that an absent list is an empty one.
func loose(v verdict.Verdict) any {
	data, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("a normal verdict is JSON: %v", err))
	}
	var out any
	if err := json.Unmarshal(data, &out); err != nil {
		panic(fmt.Sprintf("a normal verdict is JSON: %v", err))
	}
	return out
}

