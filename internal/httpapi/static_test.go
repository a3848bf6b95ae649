package httpapi

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
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
	if err := WriteStatic(t.Context(), built, local(echo), noPages, directory, ""); err != nil {
		t.Fatal(err)
	}
	site := os.DirFS(directory)
	if err := fstest.TestFS(site, "index.html", "examples.json", "notices.txt", "service-worker.js", "app.webmanifest", "_headers", "assets/main-1.js", "assets/main-1.js.br",
		"assets/main-1.js.gz", "assets/engine-1.wasm.gz"); err != nil {
		t.Error(err)
	}
	page, err := os.ReadFile(filepath.Join(directory, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`src="assets/main-1.js"`, `"module":"assets/engine-1.wasm.gz","packed":"assets/engine-1.wasm.gz"`,
		`"examples":"examples.json"`, `"evaluate":""`, `"share":""`, `"home":""`, `"offline":"service-worker.js"`, `rel="manifest" href="app.webmanifest"`, `data-verdict="crd"`,
		`http-equiv="Content-Security-Policy"`, "connect-src &#39;self&#39;; ", "require-trusted-types-for &#39;script&#39;; trusted-types crdlab",
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

// TestStaticSiteHasPackedModules checks that the site has modules as gzip files only.
func TestStaticSiteHasPackedModules(t *testing.T) {
	built := maps.Clone(builtPage)
	built["engine.json"] = &fstest.MapFile{Data: []byte(`{"module": "assets/engine-1.wasm",
		"programs": {"1.31": {"module": "assets/engine-3.wasm", "size": 100, "download": 10}},
		"goTypes": {"module": "assets/gotypes-4.wasm", "size": 200, "download": 20}}`)}
	built["assets/gotypes-4.wasm.gz"] = &fstest.MapFile{Data: []byte("1234")}
	built["assets/engine-1.wasm.gz"] = &fstest.MapFile{Data: gzipped(t, "module")}
	built["assets/engine-1.wasm.br"] = &fstest.MapFile{Data: []byte("?")}
	built["assets/engine-3.wasm.gz"] = &fstest.MapFile{Data: gzipped(t, "module")}
	built["assets/engine-3.wasm.br"] = &fstest.MapFile{Data: []byte("?")}
	directory := t.TempDir()
	if err := WriteStatic(t.Context(), built, local(echo), noPages, directory, ""); err != nil {
		t.Fatal(err)
	}
	files, err := fs.Glob(os.DirFS(directory), "assets/engine-*")
	if err != nil || !slices.Equal(files, []string{"assets/engine-1.wasm.gz", "assets/engine-3.wasm.gz"}) {
		t.Errorf("got %v, %v", files, err)
	}
	page, err := os.ReadFile(filepath.Join(directory, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf(`"programs":{"1.31":{"module":"assets/engine-3.wasm.gz","packed":"assets/engine-3.wasm.gz","size":100,"download":%d}},"goTypes":{"module":"assets/gotypes-4.wasm.gz","packed":"assets/gotypes-4.wasm.gz","size":200,"download":4}`, len(built["assets/engine-3.wasm.gz"].Data))
	if !strings.Contains(string(page), want) {
		t.Errorf("the page lacks %s", want)
	}
}

func TestStaticSiteHasHeaderRules(t *testing.T) {
	const other = "  Cross-Origin-Embedder-Policy: require-corp\n  Cross-Origin-Opener-Policy: same-origin\n" +
		"  Cross-Origin-Resource-Policy: same-origin\n  Referrer-Policy: no-referrer\n  X-Content-Type-Options: nosniff\n"
	const policy = "  Content-Security-Policy: "
	want := "/*\n" + other + "/\n" + policy + pagePolicy + "\n/index.html\n" + policy + pagePolicy +
		"\n/errors/*\n" + policy + sitePolicy + "\n/docs/*\n" + policy + sitePolicy + "\n/learn/*\n" + policy + sitePolicy + "\n/schema/*\n" + policy + pagePolicy +
		"\n/embed.html\n  ! Cross-Origin-Resource-Policy\n  Cross-Origin-Resource-Policy: cross-origin\n" + policy + framedPolicy +
		"\n/crd-lab.js\n  ! Cross-Origin-Resource-Policy\n  Access-Control-Allow-Origin: *\n  Cross-Origin-Resource-Policy: cross-origin\n" + policy + assetPolicy +
		"\n/service-worker.js\n" + policy + assetPolicy +
		"\n/assets/*\n" + policy + assetPolicy + "\n/assets/fetcher-*\n  ! Content-Security-Policy\n" + policy + fetcherPolicy + "\n"
	if got := string(headerRules()); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestStaticSiteRequiresBuiltPage(t *testing.T) {
	err := WriteStatic(t.Context(), fstest.MapFS{}, local(echo), noPages, t.TempDir(), "")
	if err == nil || !strings.Contains(err.Error(), "manifest.json") {
		t.Errorf("got %v", err)
	}
}
