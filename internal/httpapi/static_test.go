package httpapi

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

func TestStaticSiteIsComplete(t *testing.T) {
	built := maps.Clone(builtPage)
	for name, content := range map[string]string{
		"assets/main-1.js": "script", "assets/main-1.js.gz": string(gzipped(t, "script")), "assets/main-1.js.br": "?",
		"assets/engine-1.wasm.gz": string(gzipped(t, "module")), "assets/engine-1.wasm.br": "?",
	} {
		built[name] = &fstest.MapFile{Data: []byte(content)}
	}
	directory := filepath.Join(t.TempDir(), "site")
	if err := WriteStatic(t.Context(), Config{Assets: built, Evaluate: echo}, directory); err != nil {
		t.Fatal(err)
	}
	site := os.DirFS(directory)
	if err := fstest.TestFS(site, "index.html", "examples.json", "notices.txt", "service-worker.js", "app.webmanifest", "assets/main-1.js", "assets/main-1.js.br",
		"assets/main-1.js.gz", "assets/engine-1.wasm", "assets/engine-1.wasm.gz", "assets/engine-1.wasm.br"); err != nil {
		t.Error(err)
	}
	if module, err := os.ReadFile(filepath.Join(directory, "assets", "engine-1.wasm")); string(module) != "module" {
		t.Errorf("the module is %q, %v", module, err)
	}
	page, err := os.ReadFile(filepath.Join(directory, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`src="assets/main-1.js"`, `"module":"assets/engine-1.wasm"`, `"packed":"assets/engine-1.wasm.gz"`, `"packed":"assets/engine-2.wasm.gz"`,
		`"examples":"examples.json"`, `"evaluate":""`, `"share":""`, `"home":""`, `"offline":"service-worker.js"`, `rel="manifest" href="app.webmanifest"`, `data-verdict="crd"`,
		`http-equiv="Content-Security-Policy"`, "connect-src &#39;self&#39; https:",
	} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	for _, reference := range []string{`src="/`, `href="/`, `":"/`, "frame-ancestors"} {
		if strings.Contains(string(page), reference) {
			t.Errorf("the page has %s, which works only at the root of a host", reference)
		}
	}
}

func TestStaticSiteRequiresBuiltPage(t *testing.T) {
	err := WriteStatic(t.Context(), Config{Assets: fstest.MapFS{}, Evaluate: echo}, t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "manifest.json") {
		t.Errorf("got %v", err)
	}
}
