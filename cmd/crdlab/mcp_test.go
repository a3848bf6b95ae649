package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/tools/txtar"

	"github.com/crdlab/crdlab/internal/mcp"
	"github.com/crdlab/crdlab/internal/releases"
)

// TestMCP runs the calls in internal/mcp/testdata. The comment of an archive says what it shows. Its
// file calls has a tool and its arguments in each line, where "⟦NAME⟧" is the content of a file, and the file want has the responses. The other files are below the root of the
// client, or if their names begin with outside below no root; "link NAME TARGET" adds a link.
func TestMCP(t *testing.T) {
	paths, err := filepath.Glob("../../internal/mcp/testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal(err, paths)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := answers(t, archive, "")
			if old := answers(t, archive, "2025-06-18"); old != got {
				t.Errorf("in an older version of the protocol:\n%s\nwant:\n%s", old, got)
			}
			for i, f := range archive.Files {
				if f.Name != "want" || string(f.Data) == got {
					continue
				}
				if !*update {
					t.Fatalf("got:\n%s\nwant:\n%s", got, f.Data)
				}
				archive.Files[i].Data = []byte(got)
				if err := os.WriteFile(path, txtar.Format(archive), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestMCPWithStandardStreams calls a tool of the program, whose flag names the root.
func TestMCPWithStandardStreams(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "object.yaml"), []byte("apiVersion: example.com/v1\nkind: CronTab\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	var messages bytes.Buffer
	status := make(chan int)
	go func() { status <- run([]string{"mcp", "--root", root}, in, out, &messages) }()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, &sdk.ClientOptions{Capabilities: &sdk.ClientCapabilities{}})
	session, err := client.Connect(t.Context(), &sdk.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "check", Arguments: map[string]any{"paths": []string{"object.yaml"}}})
	if err != nil {
		t.Fatal(err)
	}
	const want = "object.yaml:1: CronTab \"\" (example.com/v1) has no CRD here\n0 documents: 0 accepted, 0 rejected, 1 without a CRD (Kubernetes 1.37)\n"
	if got := result.Content[0].(*sdk.TextContent).Text; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	session.Close()
	if got := <-status; got != statusAccepted || messages.Len() > 0 {
		t.Errorf("exit status %d: %s", got, &messages)
	}
}

// answers returns the responses to the calls of an archive in a version of the protocol.
func answers(t *testing.T, archive *txtar.Archive, protocol string) string {
	t.Helper()
	directory, calls, contents := t.TempDir(), "", []string{}
	root := filepath.Join(directory, "workspace")
	for _, f := range archive.Files {
		file := filepath.Join(root, f.Name)
		if strings.HasPrefix(f.Name, "outside") {
			file = filepath.Join(directory, f.Name)
		}
		if f.Name == "calls" {
			calls = string(f.Data)
		}
		quoted, _ := json.Marshal(string(f.Data))
		contents = append(contents, `"⟦`+f.Name+`⟧"`, string(quoted))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	client.AddRoots(&sdk.Root{URI: "file://" + filepath.ToSlash(root)}) //nolint:staticcheck // as clients do
	ours, theirs := sdk.NewInMemoryTransports()
	server := mcp.New(mcp.Options{Version: version, Programs: releases.Open(t.TempDir()), Log: log.New(t.Output(), "", 0)})
	if _, err := server.Connect(t.Context(), ours, nil); err != nil {
		t.Fatal(err)
	}
	session, err := client.Connect(t.Context(), theirs, &sdk.ClientSessionOptions{ProtocolVersion: protocol})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	var out strings.Builder
	for line := range strings.Lines(calls) {
		name, arguments, _ := strings.Cut(strings.TrimSpace(line), " ")
		fmt.Fprintf(&out, "=== %s %s\n", name, arguments)
		arguments = strings.NewReplacer(append(contents, "DIRECTORY", directory)...).Replace(arguments)
		switch name {
		case "tools":
			tools, err := session.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			text, _ := json.MarshalIndent(tools.Tools, "", "  ")
			fmt.Fprintf(&out, "%s\n", text)
		case "link":
			link, target, _ := strings.Cut(arguments, " ")
			if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
				t.Fatal(err)
			}
		default:
			result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: json.RawMessage(arguments)})
			if err != nil {
				fmt.Fprintf(&out, "protocol error: %v\n", err)
				continue
			}
			if result.IsError {
				out.WriteString("error: ")
			}
			for _, content := range result.Content {
				fmt.Fprintln(&out, strings.TrimRight(content.(*sdk.TextContent).Text, "\n"))
			}
		}
	}
	return strings.ReplaceAll(out.String(), directory, "DIRECTORY")
}
