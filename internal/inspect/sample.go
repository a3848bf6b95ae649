package inspect

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/playground"
)

// A Sample is a sample object of a CRD.
type Sample struct {
	CRD CRD `json:"crd"`
	playground.SampleResult
}

// SampleOf returns a sample object for the CRD of a group. ok is false if the CRD lacks the
// version or cannot be decoded. The fields of the request besides the CRD apply.
func SampleOf(ctx context.Context, assist playground.Assist, group check.Group, request playground.SampleRequest) (s Sample, ok bool, err error) {
	request.CRD = group.CRD.Text
	response, err := assist(ctx, playground.AssistRequest{Sample: &request})
	if err != nil {
		return s, false, err
	}
	return Sample{Subject{Group: group}.crd(), *response.Sample}, response.Sample.Object != "", nil
}

// WriteText writes the object as a YAML document.
func (s Sample) WriteText(w io.Writer) error {
	_, err := fmt.Fprintf(w, "---\n%s\n", strings.TrimRight(s.Object, "\n"))
	return err
}
