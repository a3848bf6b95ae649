// Package livewebhook runs conversion webhooks that fail in many ways. A case is a
// txtar file with
//   - webhook.json, the behaviour of the webhook, see [Case];
//   - want.json, the wanted outcome in crdlab.
package livewebhook

import (
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/crdlab/crdlab/internal/playground"
)

const (
	webhookFile = "webhook.json"
	wantFile    = "want.json"
)

// A Case describes a webhook.
type Case struct {
	// Name is the file name without extension.
	Name string `json:"-"`
	// Want is the wanted outcome; empty if the file has no want.json yet.
	Want []byte `json:"-"`

	// CrdlabDecides is the reason why crdlab deviates from an API server, or empty.
	CrdlabDecides string `json:"crdlabDecides"`
	// Listener is "TLS" by default, "plain" for HTTP without TLS, "closed" for a port
	// on which nothing listens, or "silent" for connections that end without a response.
	Listener string `json:"listener"`
	// Host is in the URL of the webhook. The default is 127.0.0.1, for which the
	// webhook has a certificate.
	Host string `json:"host"`
	// Untrusted leaves the authority of the certificate out of the CRD.
	Untrusted bool `json:"untrusted"`
	// Private leaves the webhook's address out of the networks that crdlab permits.
	Private bool `json:"private"`
	// Forbidden leaves the webhook's URL out of the webhooks that crdlab permits.
	Forbidden bool `json:"forbidden"`

	// Status, Header and Body are the response. The body ${converted} is a correct
	// review; in others, ${uid} is the UID of the request.
	Status int               `json:"status"`
	Header map[string]string `json:"header"`
	Body   string            `json:"body"`

	file    string
	archive *txtar.Archive
}

// Read reads the cases in dir, ordered by name.
func Read(dir string) ([]Case, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no cases in %s", dir)
	}
	all := make([]Case, len(files))
	for i, file := range files {
		if all[i], err = readFile(file); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	return all, nil
}

func readFile(file string) (Case, error) {
	c := Case{
		Name:     strings.TrimSuffix(filepath.Base(file), ".txtar"),
		Listener: "TLS", Host: "127.0.0.1", Status: http.StatusOK, Body: "${converted}",
		file: file,
	}
	var err error
	if c.archive, err = txtar.ParseFile(file); err != nil {
		return c, err
	}
	for _, f := range c.archive.Files {
		switch f.Name {
		case wantFile:
			c.Want = f.Data
		case webhookFile:
			decoder := json.NewDecoder(strings.NewReader(string(f.Data)))
			decoder.DisallowUnknownFields()
			if err := decoder.Decode(&c); err != nil {
				return c, fmt.Errorf("%s: %w", webhookFile, err)
			}
		default:
			return c, fmt.Errorf("unknown file %s", f.Name)
		}
	}
	return c, nil
}

// Write replaces the wanted outcome in the case's file.
func (c Case) Write(want []byte) error {
	files := slices.DeleteFunc(slices.Clone(c.archive.Files), func(f txtar.File) bool { return f.Name == wantFile })
	archive := txtar.Archive{Comment: c.archive.Comment, Files: append(files, txtar.File{Name: wantFile, Data: want})}
	return os.WriteFile(c.file, txtar.Format(&archive), 0o644)
}

// A Webhook is a running webhook.
type Webhook struct {
	// URL is the address in the CRD.
	URL string
	// Scenario creates an object whose storage needs the webhook.
	Scenario playground.Scenario

	port   string
	server *httptest.Server // nil without a listener
}

// Start starts the webhook. Stop ends it.
func (c Case) Start() (*Webhook, error) {
	w := &Webhook{}
	address, err := c.listen(w)
	if err != nil {
		return nil, err
	}
	if _, w.port, err = net.SplitHostPort(address); err != nil {
		return nil, err
	}
	w.URL = "https://" + net.JoinHostPort(c.Host, w.port) + "/convert"
	caBundle := ""
	if !c.Untrusted && w.server != nil && w.server.Certificate() != nil {
		certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: w.server.Certificate().Raw})
		caBundle = base64.StdEncoding.EncodeToString(certificate)
	}
	w.Scenario = playground.Scenario{
		CRD:    strings.NewReplacer("${url}", w.URL, "${caBundle}", caBundle).Replace(crd),
		Object: "apiVersion: example.com/v2\nkind: Thing\nmetadata: {name: a}\nsize: 1\n",
		Now:    "2026-01-02T03:04:05Z",
	}
	return w, nil
}

// listen starts the server of w, and returns its address.
func (c Case) listen(w *Webhook) (address string, err error) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(c.respond))
	server.Config.ErrorLog = quiet
	switch c.Listener {
	case "TLS", "silent":
		server.StartTLS()
	case "plain":
		server.Start()
	case "closed":
		return server.Listener.Addr().String(), server.Listener.Close()
	default:
		return "", fmt.Errorf("unknown listener %q", c.Listener)
	}
	w.server = server
	return server.Listener.Addr().String(), nil
}

// Stop ends the webhook.
func (w *Webhook) Stop() {
	if w.server != nil {
		w.server.Close()
	}
}

func (c Case) respond(response http.ResponseWriter, request *http.Request) {
	if c.Listener == "silent" {
		panic(http.ErrAbortHandler)
	}
	body, err := c.body(request)
	if err != nil {
		http.Error(response, err.Error(), http.StatusBadRequest)
		return
	}
	response.Header().Set("Content-Type", "application/json")
	for name, value := range c.Header {
		response.Header().Set(name, value)
	}
	response.WriteHeader(c.Status)
	_, _ = io.WriteString(response, body)
}

// body returns the body of the response to a ConversionReview.
func (c Case) body(request *http.Request) (string, error) {
	var review struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		Request    struct {
			UID               string           `json:"uid"`
			DesiredAPIVersion string           `json:"desiredAPIVersion"`
			Objects           []map[string]any `json:"objects"`
		} `json:"request"`
	}
	if err := json.NewDecoder(request.Body).Decode(&review); err != nil {
		return "", err
	}
	if timeout := request.URL.Query().Get("timeout"); timeout != "30s" {
		return "", errors.New("the API server allows a conversion webhook 30s, but the request says " + timeout)
	}
	for _, object := range review.Request.Objects {
		object["apiVersion"] = review.Request.DesiredAPIVersion
	}
	converted, err := json.Marshal(map[string]any{
		"apiVersion": review.APIVersion,
		"kind":       review.Kind,
		"response":   map[string]any{"uid": review.Request.UID, "result": map[string]any{"status": "Success"}, "convertedObjects": review.Request.Objects},
	})
	return strings.NewReplacer("${converted}", string(converted), "${uid}", review.Request.UID).Replace(c.Body), err
}

// resolution matches the resolver's error, which depends on the machine.
var resolution = regexp.MustCompile(`(lookup [a-z.]+)[^"\\]*`)

// Normal replaces the parts of a JSON document that differ in each run.
func (w *Webhook) Normal(document []byte) []byte {
	document = resolution.ReplaceAll(document, []byte("${1}: <error>"))
	return []byte(strings.ReplaceAll(string(document), ":"+w.port, ":<port>"))
}
