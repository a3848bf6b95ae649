package crdtest_test

import (
	"encoding/json"
	"fmt"

	"github.com/crdlab/crdlab/crdtest"
)

// t is the parameter of a test. It prints the messages of failures.
var t = &printer{}

func ExampleNew() {
	crd := crdtest.New(t, crdtest.Path("testdata/crontabs.yaml"))

	crd.Accepts(`{apiVersion: example.com/v1, kind: CronTab, metadata: {name: a}, spec: {schedule: "@daily"}}`)
	crd.Rejects(`{apiVersion: example.com/v1, kind: CronTab, metadata: {name: b}, spec: {replicas: 0}}`,
		"spec.schedule: Required value",
		"spec.replicas: Invalid value: 0: spec.replicas in body should be greater than or equal to 1")

	// This expectation fails.
	crd.Accepts(`{apiVersion: example.com/v1, kind: CronTab, metadata: {name: c}, spec: {schedule: "@daily", replicas: 11}}`)
	// Output:
	// Kubernetes 1.37 rejects "c":
	//     spec.replicas: Invalid value: 11: spec.replicas in body should be less than or equal to 10
	//     fix: Set replicas: 10
}

func ExampleCRD_Stored() {
	nightly := func(schedule string) map[string]any {
		return map[string]any{
			"apiVersion": "example.com/v1", "kind": "CronTab",
			"metadata": map[string]any{"name": "nightly"},
			"spec":     map[string]any{"schedule": schedule},
		}
	}
	crdtest.New(t, crdtest.Path("testdata/crontabs.yaml")).
		Stored(nightly("0 0 * * *")).
		Accepts(nightly("0 0 * * *")).
		Rejects(nightly("0 1 * * *"), `spec.schedule: Invalid value: "0 1 * * *": is immutable`)

	// This expectation fails.
	crdtest.New(t, crdtest.Path("testdata/crontabs.yaml")).
		Stored(nightly("0 0 * * *")).
		Rejects(nightly("0 1 * * *"), "must not change")
	// Output:
	// Kubernetes 1.37 rejects "nightly" with the errors
	//     spec.schedule: Invalid value: "0 1 * * *": is immutable
	// want errors that contain
	//     must not change
}

func ExampleCRD_Status() {
	stored := `{apiVersion: example.com/v1, kind: CronTab, metadata: {name: a}, spec: {schedule: "@daily"}, status: {runs: 2}}`
	crdtest.New(t, crdtest.Path("testdata/crontabs.yaml")).
		Stored(stored).
		Status().
		Rejects(`{apiVersion: example.com/v1, kind: CronTab, metadata: {name: a}, status: {runs: 1}}`,
			"status.runs: Invalid value: 1: must not decrease")
	// Output:
}

func ExampleCRD_Judge() {
	crd := crdtest.New(t, crdtest.Path("testdata/crontabs.yaml"), crdtest.Releases("1.37"))
	for _, v := range crd.Judge(`{apiVersion: example.com/v1, kind: CronTab, metadata: {name: a, namespace: b}, spec: {schedule: "@daily"}}`) {
		var stored struct{ Spec struct{ Replicas int } }
		if err := json.Unmarshal(v.Stored, &stored); err != nil {
			fmt.Println(err)
		}
		fmt.Println(v.Kubernetes, v.Accepted, stored.Spec.Replicas)
	}
	// Output:
	// 1.37 true 1
}
