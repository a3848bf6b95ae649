package server

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/procpool"
)

// thing returns a CRD with the given properties and rule in its schema.
func thing(properties, rule string) string {
	return `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: things, kind: Thing}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties: {` + properties + `}
        x-kubernetes-validations:
        - rule: ` + fmt.Sprintf("%q", rule) + "\n"
}

// ofThing returns an object of the CRD with the given fields.
func ofThing(fields string) string {
	return "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: a}\n" + fields + "\n"
}

// inflating has a rule that builds a string of quadratic length within CEL's cost limits.
var inflating = thing("s: {type: string, maxLength: 40000}", "!has(self.s) || self.s.replace('', self.s).size() >= 0")

func aliases(levels int) string {
	var text strings.Builder
	text.WriteString("a0: &a0 [x]\n")
	for i := range levels {
		fmt.Fprintf(&text, "a%d: &a%d [*a%d, *a%d]\n", i+1, i+1, i, i)
	}
	return text.String()
}

// TestHostileScenarios sends scenarios that try to exhaust the server. After each, the
// server must still evaluate a plain scenario.
func TestHostileScenarios(t *testing.T) {
	pool := procpool.New(testChild, 2)
	defer pool.Close()
	app, _ := startPool(t, pool)
	plain := playground.Scenario{CRD: thing("s: {type: string}", "true"), Object: ofThing("s: a")}
	for _, c := range []struct {
		name     string
		scenario playground.Scenario
		status   int
		answer   string
	}{
		{"rule that builds gigabytes", playground.Scenario{CRD: inflating, Object: ofThing("s: " + strings.Repeat("x", 39_000))}, 200, "CRD: the evaluation was stopped without a verdict: it took more than 1024 MiB of memory"},
		{"same rule with a small object", playground.Scenario{CRD: inflating, Object: ofThing("s: xxx")}, 200, "accepted"},
		{"aliases that double 30 times", playground.Scenario{CRD: plain.CRD, Object: aliases(30)}, 200, "object: the object provided is unrecognized (must be of type Thing): yaml: document contains excessive aliasing"},
		{"same aliases in the CRD", playground.Scenario{CRD: aliases(30)}, 200, "CRD: the object provided is unrecognized (must be of type CustomResourceDefinition): yaml: document contains excessive aliasing"},
		{"10,000 levels of flow sequences", playground.Scenario{CRD: plain.CRD, Object: ofThing("s: " + strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000))}, 200, "object: mappings and sequences are nested more than 200 levels deep"},
		{"10,000 levels of block sequences", playground.Scenario{CRD: plain.CRD, Object: ofThing(strings.Repeat("- ", 10_000))}, 200, "object: mappings and sequences are nested more than 200 levels deep"},
		{"object of 5 MB", playground.Scenario{CRD: plain.CRD, Object: strings.Repeat("x: y\n", 1_000_000)}, 200, "object: the input is longer than 3145728 bytes: 5000000"},
		{"10,000 documents", playground.Scenario{CRD: plain.CRD, Object: strings.Repeat("---\n"+ofThing("s: a"), 10_000)}, 200, "object: the input has more than 100 documents"},
		{"control characters", playground.Scenario{CRD: plain.CRD, Object: "\x00\x01\ufffd\u202e"}, 200, "object: the object provided is unrecognized (must be of type Thing): yaml: control characters are not allowed"},
		{"recursive merge key", playground.Scenario{CRD: plain.CRD, Object: "a: &a {<<: *a}"}, 200, "object: the object provided is unrecognized (must be of type Thing): yaml: anchor 'a' value contains itself"},
		{"pattern with exponential backtracking in other engines", playground.Scenario{CRD: thing("s: {type: string, pattern: '(a+)+$'}", "true"), Object: ofThing("s: " + strings.Repeat("a", 30_000) + "b")}, 200, "object: Thing.example.com \"a\" is invalid: s: Invalid value: \"aaa"},
		{"nested repetitions in a pattern", playground.Scenario{CRD: thing("s: {type: string, pattern: '((a{0,100}){0,100}){0,100}'}", "true")}, 200, "CRD: CustomResourceDefinition.apiextensions.k8s.io \"things.example.com\" is invalid: spec.validation.openAPIV3Schema.properties[s].pattern: Invalid value"},
		{"rule above the cost limit", playground.Scenario{CRD: thing("l: {type: array, items: {type: array, items: {type: string}}}", "self.l.all(a, self.l.all(b, self.l.all(c, c == b)))")}, 200, "CRD: CustomResourceDefinition.apiextensions.k8s.io \"things.example.com\" is invalid: [spec.validation.openAPIV3Schema: Forbidden: x-kubernetes-validations estimated rule cost total"},
		{"rule with 10,000 terms", playground.Scenario{CRD: thing("s: {type: string}", "true"+strings.Repeat(" && true", 10_000))}, 200, "accepted"},
		{"rule with 10,000 nested parentheses", playground.Scenario{CRD: thing("s: {type: string}", strings.Repeat("(", 10_000)+"true"+strings.Repeat(")", 10_000))}, 200, "CRD: a rule has more than 500 opening parentheses"},
		{"recursive schema", playground.Scenario{CRD: thing("s: {$ref: '#'}", "true")}, 200, "CRD: CustomResourceDefinition.apiextensions.k8s.io \"things.example.com\" is invalid: spec.validation.openAPIV3Schema.properties[s].$ref: Forbidden: $ref is not supported"},
		{"default of 1 MB", playground.Scenario{CRD: thing("s: {type: string, default: "+strings.Repeat("x", 1_000_000)+"}", "true"), Object: ofThing("")}, 200, "accepted"},
		{"number out of range", playground.Scenario{CRD: plain.CRD, Object: ofThing("s: 1e999999999")}, 200, "accepted"},
		{"invalid time", playground.Scenario{CRD: plain.CRD, Now: strings.Repeat("9", 1000)}, 400, "\"now\": must be an RFC 3339 time"},
		{"invalid operation", playground.Scenario{CRD: plain.CRD, Operation: "deletecollection"}, 400, "\"operation\": must be "},
		{"webhook in the local network", playground.Scenario{CRD: strings.Replace(plain.CRD, "  scope: Namespaced\n", "  scope: Namespaced\n  conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {url: 'https://169.254.169.254/'}}}\n", 1), Object: ofThing("s: a")}, 200, "accepted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, body := evaluateHostile(t, app.url(), c.scenario)
			if got := verdictOf(t, body); status != c.status || !strings.HasPrefix(got, c.answer) {
				t.Errorf("status %d: %.300s", status, got)
			}
			if status, body := evaluateHostile(t, app.url(), plain); status != http.StatusOK || verdictOf(t, body) != "accepted" {
				t.Errorf("the plain scenario has status %d: %.300s", status, body)
			}
		})
	}
}

// TestHostileExpressions evaluates expressions that try to exhaust the server. After
// each, the server must still evaluate a plain expression.
func TestHostileExpressions(t *testing.T) {
	pool := procpool.New(testChild, 2)
	defer pool.Close()
	long := playground.Scenario{CRD: thing("s: {type: string}", "true"), Object: ofThing("s: " + strings.Repeat("x", 39_000))}
	try := func(expression string) (*playground.TryResult, error) {
		request, err := json.Marshal(playground.AssistRequest{Try: &playground.TryRequest{Scenario: long, Trial: playground.Expression{Expression: expression}}})
		if err != nil {
			t.Fatal(err)
		}
		body, err := pool.Render(t.Context(), playground.Request{Task: playground.TaskAssist, Body: request})
		if err != nil {
			return nil, err
		}
		tried := &playground.TryResult{}
		return tried, json.Unmarshal(body, tried)
	}
	for _, c := range []struct {
		name, expression string
		// stopped is part of the error of a stopped evaluation. problem and failure
		// are fields of the response.
		stopped, problem, failure string
	}{
		{name: "gigabytes of memory", expression: "self.s.replace('', self.s).size()", stopped: "it took more than 1024 MiB of memory"},
		{name: "endless evaluation", expression: "self.s.split('').all(a, self.s.split('').all(b, self.s.split('').all(c, a == c)))", failure: "operation cancelled: actual cost limit exceeded"},
		{name: "10,000 parentheses", expression: strings.Repeat("(", 10_000), problem: "The expression is too long or has too many brackets for crdlab."},
		{name: "expression of 1 MB", expression: strings.Repeat("true || ", 125_000) + "true", problem: "The expression is too long or has too many brackets for crdlab."},
	} {
		t.Run(c.name, func(t *testing.T) {
			tried, err := try(c.expression)
			switch {
			case c.stopped != "":
				if err == nil || !strings.Contains(err.Error(), c.stopped) {
					t.Errorf("got %v, want %s", err, c.stopped)
				}
			case err != nil:
				t.Error(err)
			case tried.Problem != c.problem || tried.Failure != c.failure:
				t.Errorf("got the problem %q and the failure %q", tried.Problem, tried.Failure)
			}
			if tried, err := try("self.s.size()"); err != nil || tried.Value != "39000" {
				t.Errorf("the plain expression returns %+v, %v", tried, err)
			}
		})
	}
}

// TestHostileGo generates the CRD of types whose schema doubles with each type: the answer names one
// of them. After it, the server must still generate others.
func TestHostileGo(t *testing.T) {
	pool := procpool.New(testChild, 1)
	defer pool.Close()
	generate := func(doublings int) (string, error) {
		text := "// +groupName=a.example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\ntype A struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata\"`\n\tF T0 `json:\"f\"`\n}\n"
		for i := range doublings {
			text += fmt.Sprintf("type T%d struct {\n\tA T%[2]d `json:\"a\"`\n\tB T%[2]d `json:\"b\"`\n}\n", i, i+1)
		}
		request, err := json.Marshal(playground.AssistRequest{Generate: &playground.GenerateRequest{Text: text + fmt.Sprintf("type T%d string\n", doublings)}})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		body, err := pool.Render(ctx, playground.Request{Task: playground.TaskAssist, Body: request})
		return string(body), err
	}
	if body, err := generate(40); err != nil || !strings.Contains(body, "would have more than 100000 nodes") {
		t.Errorf("got %.300s, %v", body, err)
	}
	if body, err := generate(1); err != nil || !strings.Contains(body, "name: as.a.example.com") {
		t.Errorf("got %.300s, %v", body, err)
	}
}

// verdictOf returns the detail of a problem, the status message of a rejected CRD or
// object, or "accepted".
func verdictOf(t *testing.T, body string) string {
	t.Helper()
	var answer struct {
		playground.Report
		Detail string
	}
	if err := json.Unmarshal([]byte(body), &answer); err != nil {
		t.Fatal(err)
	}
	switch {
	case answer.Detail != "":
		return answer.Detail
	case !answer.CRD.Accepted:
		return "CRD: " + answer.CRD.Status.Message
	case len(answer.Objects) > 0 && !answer.Objects[0].Accepted:
		return "object: " + answer.Objects[0].Status.Message
	}
	return "accepted"
}

func evaluateHostile(t *testing.T, url string, scenario playground.Scenario) (int, string) {
	t.Helper()
	body, err := json.Marshal(scenario)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.Post(url+"/api/v1/evaluate", "application/json", strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(answer)
}

// TestHostileRequests sends malformed HTTP requests over raw connections. After all of
// them, the server must still evaluate a plain scenario.
func TestHostileRequests(t *testing.T) {
	pool := procpool.New(testChild, 2)
	defer pool.Close()
	app, _ := startPool(t, pool)
	const post = "POST /api/v1/evaluate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nConnection: close\r\n"
	deep := strings.Repeat(`{"a":`, 100_000)
	for _, c := range []struct{ name, sent, status, contains string }{
		{"TLS handshake", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", "400 Bad Request", ""},
		{"two values of Content-Length", post + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} ", "400 Bad Request", ""},
		{"negative Content-Length", post + "Content-Length: -2\r\n\r\n{}", "400 Bad Request", ""},
		{"unknown transfer coding", post + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", "501 Not Implemented", ""},
		{"header of 1 MiB", post + "X-A: " + strings.Repeat("a", 1<<20) + "\r\n\r\n", "431 Request Header Fields Too Large", ""},
		{"header without a name", post + ": a\r\n\r\n", "400 Bad Request", ""},
		{"invalid host", "GET /api HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n", "400 Bad Request", ""},
		{"path above the root", "GET /assets/../../../etc/passwd HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "404 Not Found", "There is nothing at this address."},
		{"path with a zero byte", "GET /s/%00 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "404 Not Found", ""},
		{"absolute URL of another host", "GET http://example.com/ HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n", "503 Service Unavailable", "The page has not been built"},
		{"CONNECT", "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\nConnection: close\r\n\r\n", "405 Method Not Allowed", "does not support the method CONNECT"},
		{"unknown method", "BREW / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "405 Method Not Allowed", "does not support the method BREW"},
		{"100,000 levels of JSON", post + fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(deep), deep), "400 Bad Request", "exceeded max depth"},
		{"compressed body", post + "Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\n\x1f\x8b\x08\x00", "400 Bad Request", "not valid JSON"},
		{"duplicate field", post + "Content-Length: 23\r\n\r\n" + `{"crd":"a", "crd":null}`, "200 OK", ""},
		{"incomplete large body", post + "Content-Length: 100000000\r\n\r\n" + strings.Repeat(" ", 7<<20), "413 Request Entity Too Large", "6 MiB"},
	} {
		t.Run(c.name, func(t *testing.T) {
			connection, err := net.Dial("tcp", strings.TrimPrefix(app.url(), "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer connection.Close()
			_ = connection.SetDeadline(time.Now().Add(time.Minute))
			go func() { _, _ = io.WriteString(connection, c.sent) }()
			answer := bufio.NewReader(connection)
			line, _ := answer.ReadString('\n')
			rest, _ := io.ReadAll(answer)
			if !strings.HasPrefix(line, "HTTP/1.1 "+c.status) || !strings.Contains(string(rest), c.contains) {
				t.Errorf("got %q\n%.600s", line, rest)
			}
		})
	}
	if status, body := evaluateHostile(t, app.url(), playground.Scenario{}); status != http.StatusOK {
		t.Errorf("the plain scenario has status %d: %s", status, body)
	}
}

// TestLargeReport evaluates a large object, which the report repeats for 41 versions.
// The report has a verdict, but not the objects.
func TestLargeReport(t *testing.T) {
	pool := procpool.New(testChild, 2)
	defer pool.Close()
	app, _ := startPool(t, pool)
	crd := thing("s: {type: string}", "true")
	for i := range 40 {
		crd += fmt.Sprintf("  - {name: v%d, served: true, storage: false, schema: {openAPIV3Schema: {type: object, properties: {s: {type: string}}}}}\n", i+2)
	}
	status, body := evaluateHostile(t, app.url(), playground.Scenario{CRD: crd, Object: ofThing("s: " + strings.Repeat("x", 500_000))})
	if status != http.StatusOK || len(body) > 16<<10 || verdictOf(t, body) != "accepted" || !strings.Contains(body, "the report is larger than 16 MiB") {
		t.Errorf("status %d, %d bytes: %.1000s", status, len(body), body)
	}
}
