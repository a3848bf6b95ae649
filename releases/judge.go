package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"

	"github.com/crdlab/crdlab/internal/apiclient"
	"github.com/crdlab/crdlab/internal/verdict"
)

// reply returns the judgment on a request, both as JSON.
func reply(body []byte) ([]byte, error) {
	var request verdict.Request
	if err := json.Unmarshal(body, &request); err != nil {
		return nil, fmt.Errorf("decode the request: %w", err)
	}
	judgment, err := judge(request)
	if err != nil {
		return nil, err
	}
	for index, other := range request.Others {
		if judgment.Others == nil {
			judgment.Others = map[int]verdict.Judgment{}
		}
		if judgment.Others[index], err = judge(other); err != nil {
			return nil, err
		}
	}
	encoded, err := json.Marshal(judgment)
	return pointers.ReplaceAll(encoded, []byte("${1}(0xc000000000)")), err
}

// pointers matches the addresses in messages of older libraries, which print values with
// %#v. They differ in each run.
var pointers = regexp.MustCompile(`(\(\*[\w.]+\))\(0x[0-9a-f]+\)`)

// judge returns the judgment of the release. A scenario that the release cannot
// judge has a judgment without a verdict.
func judge(request verdict.Request) (verdict.Judgment, error) {
	judgment := verdict.Judgment{Library: library()}
	s := request.Scenario
	s.Kubernetes = ""
	// In a new cluster, the revisions in messages do not depend on former requests.
	cluster, err := newCluster()
	if err != nil {
		return judgment, err
	}
	client := apiclient.New(cluster, request.Report)
	v, err := client.Run(s)
	if unsupported, ok := errors.AsType[*apiclient.UnsupportedError](err); ok {
		judgment.Unjudged = unsupported.Reason
		return judgment, nil
	}
	if err != nil {
		return judgment, err
	}
	if client.MissesCalls() {
		judgment.Unjudged = "the release sends other requests to the conversion webhook"
		return judgment, nil
	}
	judgment.Verdict = &v
	return judgment, nil
}
