package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/crdlab/crdlab/internal/examples"
	"github.com/crdlab/crdlab/internal/procpool"
)

// codeBlock is a fenced code block of a Markdown file.
type codeBlock struct {
	language string
	code     string
	line     int
	// reason is the reason for a syntax check instead of an execution.
	reason string
	// isOutput reports that the block is the expected output of the previous block.
	isOutput bool
}

// Markers of code blocks, in the line before the fence. Shell blocks without a
// marker are executed; blocks that only call make have their targets checked.
var (
	syntaxMarker = regexp.MustCompile(`^<!-- syntax only: (.+) -->$`)
	outputMarker = "<!-- output -->"
)

// parseBlocks returns the code blocks of a Markdown file and their context.
func parseBlocks(source string) (blocks []codeBlock, prose string, err error) {
	var (
		text     strings.Builder
		open     *codeBlock
		previous string
	)
	for i, line := range strings.Split(source, "\n") {
		unindented := strings.TrimSpace(line)
		language, isFence := strings.CutPrefix(unindented, "```")
		switch {
		case isFence && open == nil:
			open = &codeBlock{language: language, line: i + 1, isOutput: previous == outputMarker}
			if marker := syntaxMarker.FindStringSubmatch(previous); marker != nil {
				open.reason = marker[1]
			}
		case isFence:
			blocks, open = append(blocks, *open), nil
		case open != nil:
			open.code += line + "\n"
		default:
			text.WriteString(line + "\n")
		}
		previous = unindented
	}
	if open != nil {
		return nil, "", fmt.Errorf("the code block in line %d has no end", open.line)
	}
	return blocks, text.String(), nil
}

// The addresses of the server in the documents, and the token of its operator.
const (
	exampleServer = "http://127.0.0.1:8080"
	publicServer  = "https://crdlab.example.com"
	exampleToken  = "secret"
)

// documentedExample is the example whose output the documents show.
const documentedExample = "crontab-validation"

// TestCodeBlocks executes the shell blocks of each document in order, in a directory
// that has the files crd.yaml, object.yaml and scenario.json of documentedExample. The
// variable id is the id of its short link. Other blocks are parsed.
func TestCodeBlocks(t *testing.T) {
	for _, program := range []string{"bash", "curl", "jq"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("the examples need %s", program)
		}
	}
	url := serveDocuments(t)
	for _, d := range readDocuments(t) {
		t.Run(d.name, func(t *testing.T) {
			shell := newShell(t, url)
			for i, b := range d.blocks {
				var want *codeBlock
				if i+1 < len(d.blocks) && d.blocks[i+1].isOutput {
					want = &d.blocks[i+1]
				}
				if err := shell.check(t.Context(), b, want); err != nil {
					t.Errorf("%s:%d: %v", d.name, b.line, err)
				}
			}
		})
	}
}

// serveDocuments serves with all endpoints until the test ends, and returns the URL.
func serveDocuments(t *testing.T) string {
	t.Helper()
	pool := procpool.New(testChild, 2)
	t.Cleanup(pool.Close)
	configuration := settings{store: "file:" + filepath.Join(t.TempDir(), "links"), publicURL: exampleServer, operatorToken: exampleToken}
	sharing, closeStore, err := openSharing(t.Context(), configuration, os.Getenv, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(closeStore)
	app, _ := startConfig(t, appConfig{engine: pool.Render, sharing: sharing, build: Build("unknown")})
	return app.url()
}

// shell executes the code blocks of a document.
type shell struct {
	directory   string
	url         string
	environment []string
}

func newShell(t *testing.T, url string) *shell {
	t.Helper()
	s := &shell{directory: t.TempDir(), url: url}
	i := slices.IndexFunc(examples.All(), func(e examples.Example) bool { return e.ID == documentedExample })
	example := examples.All()[i].Scenario
	scenario, err := json.Marshal(example)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"crd.yaml": example.CRD, "object.yaml": example.Object, "scenario.json": string(scenario),
		// Commands without a documented output must succeed.
		".curlrc": "fail\nshow-error\n",
	} {
		if err := os.WriteFile(filepath.Join(s.directory, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s.environment = append(os.Environ(), operatorTokenVariable+"="+exampleToken, "id="+shareExample(t, url, scenario))
	return s
}

// shareExample returns the id of a scenario's short link.
func shareExample(t *testing.T, url string, scenario []byte) string {
	t.Helper()
	response, err := http.Post(url+"/api/v1/share", "application/json", strings.NewReader(string(scenario)))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var link struct{ ID string }
	body, err := io.ReadAll(response.Body)
	if err := errors.Join(err, json.Unmarshal(body, &link)); err != nil {
		t.Fatalf("share: %v: %s", err, body)
	}
	return link.ID
}

// check executes or parses a block. want is the block with its output, or nil.
func (s *shell) check(ctx context.Context, b codeBlock, want *codeBlock) error {
	switch b.language {
	case "sh":
		switch {
		case b.reason != "":
			return s.run(ctx, b.code, nil, "-n")
		case callsOnlyMake(b.code):
			return nil // see TestMakeTargets
		}
		return s.run(ctx, b.code, want, "-euo", "pipefail")
	case "json":
		var value any
		return json.Unmarshal([]byte(b.code), &value)
	case "yaml":
		var value any
		return yaml.Unmarshal([]byte(b.code), &value)
	case "go":
		_, err := parser.ParseFile(token.NewFileSet(), "", "package documented\n"+b.code, 0)
		return err
	case "text", "html":
		return nil
	case "lua", "toml", "elisp": // the configuration of editors
		return nil
	}
	return fmt.Errorf("cannot check a block in the language %q", b.language)
}

func callsOnlyMake(code string) bool {
	for line := range strings.Lines(code) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "make ") {
			return false
		}
	}
	return true
}

// commandTimeout limits the commands of one block.
const commandTimeout = 30 * time.Second

// run executes a script with the address of the test server, and compares its output
// if want is not nil.
func (s *shell) run(ctx context.Context, script string, want *codeBlock, options ...string) error {
	ctx, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	command := exec.CommandContext(ctx, "bash", options...)
	command.Dir = s.directory
	command.Env = s.environment
	if want == nil {
		command.Env = append(command.Env, "CURL_HOME="+s.directory)
	}
	command.Stdin = strings.NewReader(strings.NewReplacer(exampleServer, s.url, publicServer, s.url).Replace(script))
	var problems strings.Builder
	command.Stderr = &problems
	output, err := command.Output()
	if err != nil {
		return fmt.Errorf("%w: %s%s", err, output, problems.String())
	}
	if want != nil && !want.matches(string(output)) {
		return fmt.Errorf("the output is\n%s\nwant\n%s", output, want.code)
	}
	return nil
}

// matches reports whether the block documents the output. JSON may have other
// whitespace.
func (b *codeBlock) matches(output string) bool {
	if b.language != "json" {
		return strings.TrimSpace(output) == strings.TrimSpace(b.code)
	}
	var got, want any
	if json.Unmarshal([]byte(output), &got) != nil || json.Unmarshal([]byte(b.code), &want) != nil {
		return false
	}
	return reflect.DeepEqual(got, want)
}
