package renderer

import (
	"fmt"
	"io"
	"reflect"

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

// write encodes a report and appends a line feed. It fails with errTooLarge before it
// occupies much more memory than MaxResult.
func (r *reportWriter) write(output io.Writer, report playground.Report) error {
	var rest limitedBuffer
	if err := json.MarshalWrite(&rest, report, r.options); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	for _, part := range [][]byte{rest.Bytes()[:r.offset], r.lastCRD, rest.Bytes()[r.offset+len(placeholder):], []byte("\n")} {
		if _, err := output.Write(part); err != nil {
			return fmt.Errorf("write the report: %w", err)
		}
	}
	return nil
}

// placeholder marks the position of the CRD. Passing the cached JSON to the encoder
// would be slower, because the encoder validates every byte.
const placeholder = "null"

// writeCRD writes the placeholder and updates the cached JSON if the CRD changed. The
// comparison is fast for a cached CRD, because DeepEqual skips identical slices.
func (r *reportWriter) writeCRD(encoder *jsontext.Encoder, crd playground.CRD) error {
	if r.lastCRD == nil || !reflect.DeepEqual(r.last, crd) {
		var encoded limitedBuffer
		if err := json.MarshalWrite(&encoded, crd, plain); err != nil {
			return err
		}
		r.last, r.lastCRD = crd, encoded.Bytes()
	}
	err := encoder.WriteToken(jsontext.Null)
	r.offset = int(encoder.OutputOffset()) - len(placeholder)
	return err
}
