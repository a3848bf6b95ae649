package lsp

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/sourcegraph/jsonrpc2"
	protocol "github.com/tliron/glsp/protocol_3_16"
	"sigs.k8s.io/yaml"

	"github.com/crdlab/crdlab/internal/expect"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

// The commands of the server. The arguments of most are the address of a file and a
// line.
const (
	commandStored  = "crdlab.storedObject"
	commandPage    = "crdlab.openPlayground"
	commandServer  = "crdlab.serverCommand"
	commandTest    = "crdlab.test"
	commandMutate  = "crdlab.mutate"
	commandRelease = "crdlab.release"
	// The argument is the address of a Go file.
	commandConventions = "crdlab.conventions"
)

// commands maps the commands to their functions.
var commands = map[string]func(snapshot, context.Context, commandArguments) (any, error){
	commandStored:      snapshot.storedObject,
	commandPage:        snapshot.openPage,
	commandServer:      snapshot.serverCommand,
	commandTest:        snapshot.test,
	commandMutate:      snapshot.mutate,
	commandRelease:     snapshot.setRelease,
	commandConventions: snapshot.requestConventions,
}

// commandArguments are the arguments of a command: an address or a name, and a line.
type commandArguments struct {
	text string
	line int
}

func commandNames() []string {
	return slices.Sorted(maps.Keys(commands))
}

func (s snapshot) executeCommand(ctx context.Context, p protocol.ExecuteCommandParams) (any, error) {
	run := commands[p.Command]
	if run == nil {
		return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: "crdlab does not know the command " + p.Command}
	}
	var arguments commandArguments
	if len(p.Arguments) > 0 {
		arguments.text, _ = p.Arguments[0].(string)
	}
	if len(p.Arguments) > 1 {
		line, _ := p.Arguments[1].(float64)
		arguments.line = int(line)
	}
	return run(s, ctx, arguments)
}

// A storedObject is the result of the command crdlab.storedObject.
type storedObject struct {
	// Text is the object as the API server stores it, as YAML; empty if it rejects the object.
	Text string `json:"text"`
	// Output is the output of kubectl.
	Output string `json:"output"`
}

// storedObject returns the object in a line as the API server stores it.
func (s snapshot) storedObject(ctx context.Context, a commandArguments) (any, error) {
	t, err := s.chosen(ctx, a)
	if err != nil {
		return nil, err
	}
	scenario := t.scenario(s.settings.Release)
	scenario.CRDStored = t.document == t.crd
	report, err := s.evaluate(ctx, scenario)
	if err != nil {
		return nil, err
	}
	stored, output := report.CRD.Stored, report.CRD.Output
	if t.document != t.crd && len(report.Objects) > 0 {
		stored, output = report.Objects[0].Stored, report.Objects[0].Output
	}
	result := storedObject{Output: output}
	if len(stored) > 0 && string(stored) != "null" {
		text, err := yaml.JSONToYAML(stored)
		if err != nil {
			return nil, fmt.Errorf("write the stored object: %w", err)
		}
		result.Text = string(text)
	}
	return result, nil
}

// openPage opens the document in a line with its CRD in the page, and returns the address.
func (s snapshot) openPage(ctx context.Context, a commandArguments) (any, error) {
	t, err := s.chosen(ctx, a)
	if err != nil {
		return nil, err
	}
	address, err := s.page.address(s.settings.PageURL, t.scenario(s.settings.Release))
	if err != nil {
		return nil, &jsonrpc2.Error{Code: codeRequestFailed, Message: err.Error()}
	}
	if s.client.shows {
		shown := protocol.ShowDocumentParams{URI: address, External: new(true)}
		_ = s.conn.Call(ctx, string(protocol.ServerWindowShowDocument), shown, nil)
	}
	return address, nil
}

// chosen returns the document in a line.
func (s snapshot) chosen(ctx context.Context, a commandArguments) (target, error) {
	f, ok := s.files[a.text]
	if !ok {
		return target{}, errNotOpen
	}
	t, ok := s.targetAt(ctx, f, a.line)
	if !ok {
		return t, &jsonrpc2.Error{Code: codeRequestFailed, Message: "there is no CRD, and no object with a known CRD, in this line"}
	}
	return t, nil
}

var errNotOpen = &jsonrpc2.Error{Code: codeRequestFailed, Message: "the file is not open"}

// A testResult is the result of the commands crdlab.test and crdlab.mutate.
type testResult struct {
	// Summary states the result in a sentence.
	Summary  string    `json:"summary"`
	Failures []failure `json:"failures"`
}

// A failure is an expectation that is not met, an unexpected finding, or a change that no test notices. Lines are
// counted from 1.
type failure struct {
	Line    int    `json:"line"`
	Message string `json:"message"`
}

// test compares the findings in a file with the expectations in its comments.
func (s snapshot) test(ctx context.Context, a commandArguments) (any, error) {
	f, ok := s.files[a.text]
	if !ok {
		return nil, errNotOpen
	}
	r, err := expect.Run(ctx, s.input(ctx, f), s.checkOpen())
	if err != nil {
		return nil, err
	}
	result := testResult{Failures: []failure{}}
	documents := 0
	var lines []string
	for _, file := range r.Files {
		if file.Path != f.path {
			continue
		}
		documents = file.Documents
		for _, found := range file.Failures {
			result.Failures = append(result.Failures, failure{found.Line, found.Message})
			lines = append(lines, fmt.Sprintf("line %d: %s", found.Line, found.Message))
		}
	}
	result.Summary = fmt.Sprintf("documents: %d, failures: %d", documents, len(lines))
	kind := protocol.MessageTypeInfo
	if len(lines) > 0 {
		kind = protocol.MessageTypeWarning
	}
	message := strings.Join(append([]string{"crdlab: " + result.Summary}, lines...), "\n")
	s.notify(ctx, string(protocol.ServerWindowShowMessage), protocol.ShowMessageParams{Type: kind, Message: message})
	return result, nil
}

// setRelease sets the release that judges, until the settings change.
func (s snapshot) setRelease(ctx context.Context, a commandArguments) (any, error) {
	if _, err := s.evaluate(ctx, playground.Scenario{Kubernetes: a.text}); err != nil {
		return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: err.Error()}
	}
	s.access.Lock()
	s.Server.settings.Release = a.text
	s.access.Unlock()
	s.diagnoseAll(ctx)
	return nil, nil
}

// serverCommand returns the program and the arguments that start an API server with the files of the
// document in a line and of its CRD. They need no shell, which would interpret the names of files.
func (s snapshot) serverCommand(ctx context.Context, a commandArguments) (any, error) {
	t, err := s.chosen(ctx, a)
	if err != nil {
		return nil, err
	}
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	line := []string{program, "apiserver", "--keep-going", "--explain"}
	if name := s.checkOptions().Releases[0]; name != newest {
		line = []string{program, "apiserver", "--keep-going", "--kubernetes", name}
	}
	for _, d := range []*manifest.Document{t.crd, t.document} {
		if _, err := os.Stat(d.File.Path); err != nil && d.Origin == nil {
			return nil, &jsonrpc2.Error{Code: codeRequestFailed, Message: fmt.Sprintf("%s is not a file", d.File.Path)}
		}
		if !slices.Contains(line, d.File.Path) {
			line = append(line, d.File.Path)
		}
	}
	return line, nil
}

// codeLenses offers the commands above the documents to which they apply.
func (s snapshot) codeLenses(ctx context.Context, f *file, _ struct{}) ([]protocol.CodeLens, error) {
	all := []protocol.CodeLens{}
	add := func(line int, title, command string, arguments ...any) {
		at := protocol.Position{Line: uint32(line)} //nolint:gosec // lines are not negative
		all = append(all, protocol.CodeLens{Range: protocol.Range{Start: at, End: at}, Command: &protocol.Command{
			Title: title, Command: command, Arguments: append([]any{f.uri}, arguments...),
		}})
	}
	if strings.Contains(f.text, "# want") {
		add(0, "Run tests", commandTest)
	}
	for _, t := range s.targets(ctx, f) {
		if t.crd == nil || t.document.Origin != nil {
			continue
		}
		what := "Stored object"
		if t.document == t.crd {
			what = "Stored CRD"
			tests := "Find changes that no test notices"
			if m := f.mutations.Load(); m != nil {
				tests = fmt.Sprintf("%d of %d changes noticed by tests", m.Noticed, m.Noticed+len(m.Missed))
			}
			add(t.document.Line, tests, commandMutate, t.document.Line)
		}
		add(t.document.Line, what, commandStored, t.document.Line)
		add(t.document.Line, "Open in the playground", commandPage, t.document.Line)
	}
	return all, nil
}
