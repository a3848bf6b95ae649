package server

import (
	"io"
	"os"
	"path/filepath"
	"testing"
)

func TestSecretsFromFiles(t *testing.T) {
	directory := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(directory, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	token, store := write("token", "secret\n"), write("store", "postgres://user:secret@host/database\n")
	for _, c := range []struct {
		name         string
		environment  map[string]string
		token, store string
		isError      bool
	}{
		{name: "no secrets"},
		{name: "variables", environment: map[string]string{"CRDLAB_OPERATOR_TOKEN": "a", "CRDLAB_STORE": "memory:"}, token: "a", store: "memory:"},
		{name: "files", environment: map[string]string{"CRDLAB_OPERATOR_TOKEN_FILE": token, "CRDLAB_STORE_FILE": store}, token: "secret", store: "postgres://user:secret@host/database"},
		{name: "both", environment: map[string]string{"CRDLAB_OPERATOR_TOKEN": "a", "CRDLAB_OPERATOR_TOKEN_FILE": token}, isError: true},
		{name: "no such file", environment: map[string]string{"CRDLAB_STORE_FILE": filepath.Join(directory, "nothing")}, isError: true},
		{name: "other settings", environment: map[string]string{"CRDLAB_ADDR_FILE": token}},
	} {
		s, err := parse(nil, func(name string) string { return c.environment[name] }, io.Discard)
		if (err != nil) != c.isError {
			t.Errorf("%s: %v", c.name, err)
		}
		if err == nil && (s.operatorToken != c.token || s.store != c.store) {
			t.Errorf("%s: the token is %q, the store %q", c.name, s.operatorToken, s.store)
		}
	}
}
