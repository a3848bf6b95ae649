package httpapi

import (
	"bytes"
	"flag"
	"fmt"
	"mime"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/crdlab/crdlab/internal/playground"
)

// conformingRouter fails the test on each response whose status, media type or JSON
// does not match the OpenAPI document.
type conformingRouter struct {
	chi.Router
	t *testing.T
}

func (d conformingRouter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	routing := chi.NewRouteContext()
	route := "none"
	if d.Match(routing, method, r.URL.EscapedPath()) {
		route = method + " " + routing.RoutePattern()
	}
	var body bytes.Buffer
	recorder := middleware.NewWrapResponseWriter(w, r.ProtoMajor)
	recorder.Tee(&body)
	d.Router.ServeHTTP(recorder, r)
	if r.Method == http.MethodHead || recorder.Status() == 0 {
		body.Reset()
	}
	if err := checkResponse(route, recorder.Status(), recorder.Header(), body.Bytes()); err != nil && r.Context().Err() == nil {
		d.t.Errorf("%s, status %d: %v", route, recorder.Status(), err)
	}
}

func checkResponse(route string, status int, header http.Header, body []byte) error {
	media, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	at, declared := "#/components/schemas/Problem", problemType
	if route != "none" {
		i := slices.IndexFunc(operations, func(o operation) bool { return o.route == route })
		if i < 0 {
			return fmt.Errorf("the OpenAPI document lacks the route")
		}
		var err error
		if at, declared, err = operations[i].find(status, media); err != nil {
			return err
		}
	}
	if declared != "*/*" && media != declared {
		return fmt.Errorf("the media type is %q, want %q", media, declared)
	}
	if len(body) == 0 || header.Get("Content-Encoding") != "" || !strings.HasSuffix(media, "json") || declared == "*/*" {
		return nil
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return err
	}
	schema, err := schemaAt(at)
	if err != nil {
		return err
	}
	if media == problemType {
		recordSeen(fmt.Sprint(value.(map[string]any)["code"]))
	}
	return schema.Validate(value)
}

// find returns the JSON pointer of a response's schema in the OpenAPI document and
// its declared media type.
func (o operation) find(status int, media string) (at, declared string, err error) {
	method, pattern, _ := strings.Cut(o.route, " ")
	for _, a := range o.answers {
		if a.status == status && media != problemType {
			recordSeen(o.id + " " + strconv.Itoa(status))
			pointer := strings.NewReplacer("~", "~0", "/", "~1")
			at = fmt.Sprintf("#/paths/%s/%s/responses/%d/content/%s/schema",
				pointer.Replace(pathOf(pattern)), strings.ToLower(method), status, pointer.Replace(a.media))
			return at, a.media, nil
		}
	}
	for _, k := range o.problems {
		if statuses[k] == status {
			return "#/components/schemas/Problem", problemType, nil
		}
	}
	return "", "", fmt.Errorf("the OpenAPI document lacks the status")
}

var (
	documentLock sync.Mutex
	document     *jsonschema.Compiler
	// seen holds the problem codes and the responses (operation id and status)
	// that occurred in tests.
	seen = map[string]bool{}
)

func schemaAt(pointer string) (*jsonschema.Schema, error) {
	documentLock.Lock()
	defer documentLock.Unlock()
	if document == nil {
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(description))
		if err != nil {
			return nil, err
		}
		document = jsonschema.NewCompiler()
		document.AssertFormat()
		if err := document.AddResource("openapi.json", value); err != nil {
			return nil, err
		}
	}
	return document.Compile("openapi.json" + pointer)
}

func recordSeen(name string) {
	documentLock.Lock()
	defer documentLock.Unlock()
	seen[name] = true
}

// TestMain fails if a documented response or problem occurred in no test.
func TestMain(m *testing.M) {
	code := m.Run()
	if code == 0 && flag.Lookup("test.run").Value.String() == "" && flag.Lookup("test.fuzz").Value.String() == "" {
		for _, missing := range missingResponses() {
			fmt.Println("documented response that occurs in no test:", missing)
			code = 1
		}
	}
	os.Exit(code)
}

func missingResponses() (missing []string) {
	for k := range statuses {
		if !seen[string(k)] {
			missing = append(missing, string(k))
		}
	}
	for _, o := range operations {
		for _, a := range o.answers {
			if name := o.id + " " + strconv.Itoa(a.status); !seen[name] {
				missing = append(missing, name)
			}
		}
	}
	slices.Sort(missing)
	return missing
}

// withoutNilSlices replaces nil slices by empty ones, as in the engine's reports.
func withoutNilSlices(report playground.Report) playground.Report {
	replaceNilSlices(reflect.ValueOf(&report).Elem())
	return report
}

func replaceNilSlices(value reflect.Value) {
	switch value.Kind() {
	case reflect.Struct:
		for _, field := range value.Fields() {
			replaceNilSlices(field)
		}
	case reflect.Slice:
		if value.IsNil() {
			value.Set(reflect.MakeSlice(value.Type(), 0, 0))
		}
		for i := range value.Len() {
			replaceNilSlices(value.Index(i))
		}
	}
}
