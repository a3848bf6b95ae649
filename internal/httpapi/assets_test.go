package httpapi

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strconv"
	"testing"
	"testing/fstest"
)

func gzipped(t *testing.T, text string) []byte {
	t.Helper()
	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	if _, err := writer.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

func TestAssetContentCoding(t *testing.T) {
	server, _ := serve(t, Config{Assets: fstest.MapFS{
		"engine.json":                {Data: []byte("{}")},
		"assets/app-1.js":            {Data: []byte("plain")},
		"assets/app-1.js.br":         {Data: []byte("brotli")},
		"assets/app-1.js.gz":         {Data: []byte("gzip")},
		"assets/app-1.css":           {Data: []byte("styles")},
		"assets/engine-1.wasm.br":    {Data: []byte("brotli module")},
		"assets/engine-1.wasm.gz":    {Data: gzipped(t, "module")},
		"assets/fonts/text-1.woff2":  {Data: []byte("font")},
		"assets/fonts/text-1.secret": {Data: []byte("?")},
	}})
	const js, wasm = "text/javascript; charset=utf-8", "application/wasm"
	for _, c := range []struct{ path, accept, body, encoding, media, vary string }{
		{"app-1.js", "gzip, deflate, br, zstd", "brotli", "br", js, "Accept-Encoding"},
		{"app-1.js", "gzip;q=1.0, br;q=0.5", "brotli", "br", js, "Accept-Encoding"},
		{"app-1.js", "GZIP", "gzip", "gzip", js, "Accept-Encoding"},
		{"app-1.js", "br;q=0, gzip", "gzip", "gzip", js, "Accept-Encoding"},
		{"app-1.js", "br; q=0.000, *;q=0.1", "gzip", "gzip", js, "Accept-Encoding"},
		{"app-1.js", "*", "brotli", "br", js, "Accept-Encoding"},
		{"app-1.js", "identity", "plain", "", js, "Accept-Encoding"},
		{"app-1.js", "", "plain", "", js, "Accept-Encoding"},
		{"app-1.css", "br, gzip", "styles", "", "text/css; charset=utf-8", ""},
		{"engine-1.wasm", "gzip, br", "brotli module", "br", wasm, "Accept-Encoding"},
		{"engine-1.wasm", "", "module", "", wasm, "Accept-Encoding"},
		{"fonts/text-1.woff2", "br", "font", "", "font/woff2", ""},
		{"fonts/text-1.secret", "br", "?", "", "application/octet-stream", ""},
	} {
		t.Run(c.path+" "+c.accept, func(t *testing.T) {
			response, body := fetch(t, http.MethodGet, server.URL+"/assets/"+c.path, map[string]string{"Accept-Encoding": c.accept}, "")
			got := []string{body, response.Header.Get("Content-Encoding"), response.Header.Get("Content-Type"), response.Header.Get("Vary")}
			for i, want := range []string{c.body, c.encoding, c.media, c.vary} {
				if got[i] != want {
					t.Errorf("got %q, want %q", got[i], want)
				}
			}
			if got, want := response.Header.Get("Cache-Control"), "public, max-age=31536000, immutable"; got != want {
				t.Errorf("cache control %q, want %q", got, want)
			}
			if length := response.Header.Get("Content-Length"); length != strconv.Itoa(len(body)) {
				t.Errorf("content length %q of %d bytes", length, len(body))
			}
		})
	}
}

func TestAssetHead(t *testing.T) {
	server, _ := serve(t, Config{Assets: fstest.MapFS{"assets/a.js": {Data: []byte("12345")}}})
	response, body := fetch(t, http.MethodHead, server.URL+"/assets/a.js", nil, "")
	if response.StatusCode != http.StatusOK || response.ContentLength != 5 || body != "" {
		t.Errorf("status %d, length %d, body %q", response.StatusCode, response.ContentLength, body)
	}
}

func TestOnlyAssetsAreServed(t *testing.T) {
	server, _ := serve(t, Config{Assets: fstest.MapFS{"engine.json": {Data: []byte("{}")}, "assets/a.js": {Data: []byte("1")}}})
	for _, path := range []string{"/assets/engine.json", "/engine.json", "/assets/", "/assets/../engine.json", "/assets/a.js.br"} {
		if response, _ := fetch(t, http.MethodGet, server.URL+path, nil, ""); response.StatusCode != http.StatusNotFound {
			t.Errorf("%s: status %d", path, response.StatusCode)
		}
	}
}
