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

// reports writes reports. It keeps what it has written of the last CRD: that is
// most of a report, and the same as long as an object is edited.
type reports struct {
	last    playground.CRD
	written []byte // last as JSON; nil at first
	place   int    // of the CRD in the report that was written last
	options json.Options
}

// plain is how encoding/json writes, but for the escapes for HTML.
var plain = json.JoinOptions(compatible.DefaultOptionsV1(), jsontext.EscapeForHTML(false))

func newReports() *reports {
	r := &reports{}
	r.options = json.JoinOptions(plain, json.WithMarshalers(json.MarshalToFunc(r.writeCRD)))
	return r
}

// write is a report as JSON, with a line break behind it.
func (r *reports) write(report playground.Report) ([]byte, error) {
	var rest bytes.Buffer
	if err := json.MarshalWrite(&rest, report, r.options); err != nil {
		return nil, fmt.Errorf("write the report: %w", err)
	}
	before, behind := rest.Bytes()[:r.place], rest.Bytes()[r.place+len(placeholder):]
	return slices.Concat(before, r.written, behind, []byte("\n")), nil
}

// placeholder is written in the place of the CRD. The library would look at each
// byte of what it is given to write.
const placeholder = "null"

// writeCRD compares first. That takes no time for what the engine has kept: such
// slices begin at the same address.
func (r *reports) writeCRD(encoder *jsontext.Encoder, crd playground.CRD) error {
	if r.written == nil || !reflect.DeepEqual(r.last, crd) {
		written, err := json.Marshal(crd, plain)
		if err != nil {
			return err
		}
		r.last, r.written = crd, written
	}
	err := encoder.WriteToken(jsontext.Null)
	r.place = int(encoder.OutputOffset()) - len(placeholder)
	return err
}
