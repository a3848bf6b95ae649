package server

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"golang.org/x/tools/txtar"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/procpool"
	"github.com/crdlab/crdlab/internal/share"
	"github.com/crdlab/crdlab/internal/share/storetest"
)

var record = flag.Bool("record", false, "record the responses of fixtures without one in "+compatDirectory)

// compatDirectory has one fixture for each format that later versions must read or answer. A release adds fixtures, and
// never changes another release's (docs/contributing.md).
const compatDirectory = "../../cmd/server/testdata/compat/"

// recordedHeaders are the headers that clients rely on.
var recordedHeaders = []string{"Access-Control-Allow-Origin", "Cache-Control", "Content-Type", "ETag", "Location", "Retry-After", "WWW-Authenticate"}

// TestCompatAPI sends the recorded requests and compares the responses: these
// may have further members and stages, but no other changes.
func TestCompatAPI(t *testing.T) {
	files, err := filepath.Glob(compatDirectory + "api/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	url := compatServer(t, "memory:")
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			fixture, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			parts := map[string][]byte{}
			for _, f := range fixture.Files {
				parts[f.Name] = f.Data
			}
			head, body := exchange(t, url, parts["request"], parts["body"])
			if *record && parts["response"] == nil {
				recordResponse(t, file, fixture, head, body)
				return
			}
			if head != string(parts["response"]) {
				t.Errorf("got\n%s\nwant\n%s", head, parts["response"])
			}
			for _, difference := range compareBodies(parts["response body"], body) {
				t.Error(difference)
			}
		})
	}
}

// recordedLink is compat/link.json.
type recordedLink struct {
	ID       string              `json:"id"`
	Scenario playground.Scenario `json:"scenario"`
}

// TestCompatFolder opens a recorded folder with a link.
func TestCompatFolder(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "links")
	if err := os.CopyFS(folder, os.DirFS(compatDirectory+"links")); err != nil {
		t.Fatal(err)
	}
	readLink(t, "file://"+filepath.ToSlash(folder))
}

// TestCompatPostgres restores a PostgreSQL dump with the same link.
func TestCompatPostgres(t *testing.T) {
	dump, err := os.ReadFile(compatDirectory + "links.sql")
	if err != nil {
		t.Fatal(err)
	}
	server := storetest.StartPostgres(t)
	connection, err := pgx.Connect(t.Context(), server.URL)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := connection.PgConn().Exec(t.Context(), string(dump)).ReadAll(); err != nil {
		t.Fatal(err)
	}
	if err := connection.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	readLink(t, server.URL)
}

// readLink reads the recorded link from the store at an address, and creates it again.
func readLink(t *testing.T, address string) {
	t.Helper()
	var link recordedLink
	readFixture(t, "link.json", &link)
	store, err := share.Open(t.Context(), address, share.Options{})
	if err != nil {
		t.Fatal(err)
	}
	value, expires, err := store.Get(t.Context(), link.ID)
	if err != nil || !expires.IsZero() {
		t.Errorf("the link expires at %v, %v", expires, err)
	}
	if got, err := share.Decode(value); err != nil || got != link.Scenario {
		t.Errorf("got %+v, %v, want %+v", got, err, link.Scenario)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	scenario, err := json.Marshal(link.Scenario)
	if err != nil {
		t.Fatal(err)
	}
	_, body := exchange(t, compatServer(t, address), []byte("POST /api/v1/share\nContent-Type: application/json"), scenario)
	var created struct{ ID string }
	if err := json.Unmarshal(body, &created); err != nil || created.ID != link.ID {
		t.Errorf("shared again: got %s, %v, want the id %s", body, err, link.ID)
	}
}

// TestCompatExamples looks for the examples that links may name.
func TestCompatExamples(t *testing.T) {
	recorded, err := os.ReadFile(compatDirectory + "examples.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, body := exchange(t, compatServer(t, "none"), []byte("GET /examples.json"), nil)
	var gallery []struct{ ID string }
	if err := json.Unmarshal(body, &gallery); err != nil {
		t.Fatal(err)
	}
	offered := map[string]bool{}
	for _, example := range gallery {
		offered[example.ID] = true
	}
	for id := range strings.FieldsSeq(string(recorded)) {
		if !offered[id] {
			t.Errorf("the example %s is missing", id)
		}
	}
}

func readFixture(t *testing.T, name string, into any) {
	t.Helper()
	data, err := os.ReadFile(compatDirectory + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

// compatServer serves with a store until the test ends, and returns its URL.
func compatServer(t *testing.T, store string) string {
	t.Helper()
	pool := procpool.New(testChild, 2)
	t.Cleanup(pool.Close)
	configuration := settings{store: store, publicURL: "https://crdlab.example.com", operatorToken: "secret"}
	sharing, closeStore, err := openSharing(t.Context(), configuration, os.Getenv, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(closeStore)
	app, stop := startConfig(t, appConfig{engine: pool.Render, sharing: sharing, build: Build("unknown")})
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	return app.url()
}

// exchange sends a recorded request: a line with the method and the path, and
// the headers. It returns the status and the recorded headers, and the body.
func exchange(t *testing.T, url string, request, body []byte) (head string, response []byte) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(string(request)), "\n")
	method, path, _ := strings.Cut(lines[0], " ")
	r, err := http.NewRequestWithContext(t.Context(), method, url+path, bytes.NewReader(bytes.TrimSuffix(body, []byte("\n"))))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[1:] {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Set(name, value)
	}
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	response, err = io.ReadAll(got.Body)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprintln(&b, got.StatusCode)
	for _, name := range recordedHeaders {
		if value := got.Header.Get(name); value != "" {
			fmt.Fprintf(&b, "%s: %s\n", name, value)
		}
	}
	return b.String(), response
}

// recordResponse writes a response into the file of a fixture.
func recordResponse(t *testing.T, file string, fixture *txtar.Archive, head string, body []byte) {
	t.Helper()
	var indented bytes.Buffer
	if json.Indent(&indented, body, "", " ") == nil {
		body = indented.Bytes()
	}
	fixture.Files = append(fixture.Files, txtar.File{Name: "response", Data: []byte(head)}, txtar.File{Name: "response body", Data: body})
	if err := os.WriteFile(file, txtar.Format(fixture), 0o644); err != nil {
		t.Fatal(err)
	}
}

// compareBodies returns the incompatible differences of two bodies.
func compareBodies(want, got []byte) []string {
	var wanted, found any
	if json.Unmarshal(want, &wanted) != nil {
		if !bytes.Equal(bytes.TrimSpace(want), bytes.TrimSpace(got)) {
			return []string{fmt.Sprintf("got %q, want %q", got, want)}
		}
		return nil
	}
	if err := json.Unmarshal(got, &found); err != nil {
		return []string{fmt.Sprintf("not JSON: %v: %s", err, got)}
	}
	return incompatible("", wanted, found)
}

// isVariable reports whether the value at a path differs between servers or is
// crdlab's advice to people: only its type is compared.
func isVariable(path string) bool {
	return slices.Contains([]string{".version", ".go", ".detail"}, path) || strings.HasPrefix(path, ".timing.") || advice.MatchString(path)
}

// advice matches the paths of sentences that crdlab writes for people. The messages
// of the API server are not among them.
var advice = regexp.MustCompile(`\.(because|hint|why|related\[\d+\]\.message)$`)

// incompatible lists the differences of two JSON values that break clients:
// members that are missing, and values that changed.
func incompatible(path string, want, got any) []string {
	switch want := want.(type) {
	case map[string]any:
		if got, ok := got.(map[string]any); ok {
			return incompatibleMembers(path, want, got)
		}
	case []any:
		if got, ok := got.([]any); ok {
			return incompatibleItems(path, want, got)
		}
	}
	if reflect.DeepEqual(want, got) || isVariable(path) && reflect.TypeOf(want) == reflect.TypeOf(got) {
		return nil
	}
	return []string{fmt.Sprintf("%s: got %v, want %v", path, got, want)}
}

func incompatibleMembers(path string, want, got map[string]any) []string {
	var differences []string
	for _, name := range slices.Sorted(maps.Keys(want)) {
		value, ok := got[name]
		if !ok {
			differences = append(differences, path+"."+name+" is missing")
			continue
		}
		differences = append(differences, incompatible(path+"."+name, want[name], value)...)
	}
	return differences
}

// incompatibleItems compares lists item by item. A later version may have further
// stages, which are left out, and further fixes.
func incompatibleItems(path string, want, got []any) []string {
	if strings.HasSuffix(path, ".stages") {
		got = slices.DeleteFunc(slices.Clone(got), func(stage any) bool { return !slices.ContainsFunc(want, sameName(stage)) })
	}
	if strings.HasSuffix(path, ".fixes") && len(got) > len(want) {
		got = got[:len(want)]
	}
	if len(want) != len(got) {
		return []string{fmt.Sprintf("%s: got %d items, want %d", path, len(got), len(want))}
	}
	var differences []string
	for i := range want {
		differences = append(differences, incompatible(fmt.Sprintf("%s[%d]", path, i), want[i], got[i])...)
	}
	return differences
}

func sameName(stage any) func(any) bool {
	name := func(value any) any { object, _ := value.(map[string]any); return object["name"] }
	return func(other any) bool { return name(other) == name(stage) }
}
