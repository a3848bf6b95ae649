package procpool

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	compatible "github.com/go-json-experiment/json/v1"

	"github.com/crdlab/crdlab/internal/playground"
)

// reportWriter encodes reports. It caches the JSON of the last CRD, which is most of a
// report and does not change while the user edits an object.
type reportWriter struct {
	last    playground.CRD
	lastCRD []byte // JSON of last; nil at first
	offset  int    // position of the CRD's placeholder in the JSON of a report
	options json.Options
}

// plain encodes like encoding/json without HTML escapes.
var plain = json.JoinOptions(compatible.DefaultOptionsV1(), jsontext.EscapeForHTML(false))

func newReportWriter() *reportWriter {
	r := &reportWriter{}
	r.options = json.JoinOptions(plain, json.WithMarshalers(json.MarshalToFunc(r.writeCRD)))
	return r
}

// write encodes a report and appends a line feed.
func (r *reportWriter) write(report playground.Report) ([]byte, error) {
	var rest bytes.Buffer
	if err := json.MarshalWrite(&rest, report, r.options); err != nil {
		return nil, fmt.Errorf("write the report: %w", err)
	}
	before, after := rest.Bytes()[:r.offset], rest.Bytes()[r.offset+len(placeholder):]
	return slices.Concat(before, r.lastCRD, after, []byte("\n")), nil
}

// placeholder marks the position of the CRD. Passing the cached JSON to the encoder
// would be slower, because the encoder validates every byte.
const placeholder = "null"

// writeCRD writes the placeholder and updates the cached JSON if the CRD changed. The
// comparison is fast for a cached CRD, because DeepEqual skips identical slices.
func (r *reportWriter) writeCRD(encoder *jsontext.Encoder, crd playground.CRD) error {
	if r.lastCRD == nil || !reflect.DeepEqual(r.last, crd) {
		encoded, err := json.Marshal(crd, plain)
		if err != nil {
			return err
		}
		r.last, r.lastCRD = crd, encoded
	}
	err := encoder.WriteToken(jsontext.Null)
	r.offset = int(encoder.OutputOffset()) - len(placeholder)
	return err
}
