package main

import (
	"bufio"
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

// thing is a CRD whose schema has the properties and the rule.
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

// ofThing is an object with the fields.
func ofThing(fields string) string {
	return "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: a}\n" + fields + "\n"
}

// inflating builds a string as long as the square of the object's, within CEL's
// cost limits.
var inflating = thing("s: {type: string, maxLength: 40000}", "!has(self.s) || self.s.replace('', self.s).size() >= 0")

func aliases(levels int) string {
	var text strings.Builder
	text.WriteString("a0: &a0 [x]\n")
	for i := range levels {
		fmt.Fprintf(&text, "a%d: &a%d [*a%d, *a%d]\n", i+1, i+1, i, i)
	}
	return text.String()
}

// TestHostileScenarios has what was tried to hurt the server by what it evaluates,
// and the answer to each. A plain scenario goes through after each.
func TestHostileScenarios(t *testing.T) {
	pool := procpool.New(testChild)
	defer pool.Close()
	app, _ := startPool(t, pool)
	plain := playground.Scenario{CRD: thing("s: {type: string}", "true"), Object: ofThing("s: a")}
	for _, c := range []struct {
		name     string
		scenario playground.Scenario
		status   int
		answer   string
	}{
		{"a rule that builds gigabytes", playground.Scenario{CRD: inflating, Object: ofThing("s: " + strings.Repeat("x", 39_000))}, 200, "CRD: the evaluation was ended, so that there is no verdict: it took more than 1024 MiB of memory"},
		{"the same with little", playground.Scenario{CRD: inflating, Object: ofThing("s: xxx")}, 200, "accepted"},
		{"aliases that double thirty times", playground.Scenario{CRD: plain.CRD, Object: aliases(30)}, 200, "object: the object provided is unrecognized (must be of type Thing): yaml: document contains excessive aliasing"},
		{"the same in the CRD", playground.Scenario{CRD: aliases(30)}, 200, "CRD: the object provided is unrecognized (must be of type CustomResourceDefinition): yaml: document contains excessive aliasing"},
		{"ten thousand levels of lists", playground.Scenario{CRD: plain.CRD, Object: ofThing("s: " + strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000))}, 200, "object: mappings and sequences are nested more than 200 levels deep"},
		{"ten thousand levels of blocks", playground.Scenario{CRD: plain.CRD, Object: ofThing(strings.Repeat("- ", 10_000))}, 200, "object: mappings and sequences are nested more than 200 levels deep"},
		{"a text of five megabytes", playground.Scenario{CRD: plain.CRD, Object: strings.Repeat("x: y\n", 1_000_000)}, 200, "object: the text is longer than 1572864 bytes: 5000000"},
		{"ten thousand documents", playground.Scenario{CRD: plain.CRD, Object: strings.Repeat("---\n"+ofThing("s: a"), 10_000)}, 200, "object: the text has more than 100 documents"},
		{"bytes that are no text", playground.Scenario{CRD: plain.CRD, Object: "\x00\x01\ufffd\u202e"}, 200, "object: the object provided is unrecognized (must be of type Thing): yaml: control characters are not allowed"},
		{"a merge key that refers to itself", playground.Scenario{CRD: plain.CRD, Object: "a: &a {<<: *a}"}, 200, "object: the object provided is unrecognized (must be of type Thing): yaml: anchor 'a' value contains itself"},
		{"a pattern that explodes elsewhere", playground.Scenario{CRD: thing("s: {type: string, pattern: '(a+)+$'}", "true"), Object: ofThing("s: " + strings.Repeat("a", 30_000) + "b")}, 200, "object: Thing.example.com \"a\" is invalid: s: Invalid value: \"aaa"},
		{"a pattern that repeats repeats", playground.Scenario{CRD: thing("s: {type: string, pattern: '((a{0,100}){0,100}){0,100}'}", "true")}, 200, "CRD: CustomResourceDefinition.apiextensions.k8s.io \"things.example.com\" is invalid: spec.validation.openAPIV3Schema.properties[s].pattern: Invalid value"},
		{"a rule over its cost", playground.Scenario{CRD: thing("l: {type: array, items: {type: array, items: {type: string}}}", "self.l.all(a, self.l.all(b, self.l.all(c, c == b)))")}, 200, "CRD: CustomResourceDefinition.apiextensions.k8s.io \"things.example.com\" is invalid: [spec.validation.openAPIV3Schema: Forbidden: x-kubernetes-validations estimated rule cost total"},
		{"a rule of ten thousand terms", playground.Scenario{CRD: thing("s: {type: string}", "true"+strings.Repeat(" && true", 10_000))}, 200, "accepted"},
		{"a rule nested ten thousand deep", playground.Scenario{CRD: thing("s: {type: string}", strings.Repeat("(", 10_000)+"true"+strings.Repeat(")", 10_000))}, 200, "CRD: a rule has more than 500 opening parentheses"},
		{"a schema that refers to itself", playground.Scenario{CRD: thing("s: {$ref: '#'}", "true")}, 200, "CRD: CustomResourceDefinition.apiextensions.k8s.io \"things.example.com\" is invalid: spec.validation.openAPIV3Schema.properties[s].$ref: Forbidden: $ref is not supported"},
		{"a default of a megabyte", playground.Scenario{CRD: thing("s: {type: string, default: "+strings.Repeat("x", 1_000_000)+"}", "true"), Object: ofThing("")}, 200, "accepted"},
		{"a number that no machine has", playground.Scenario{CRD: plain.CRD, Object: ofThing("s: 1e999999999")}, 200, "accepted"},
		{"an instant that is none", playground.Scenario{CRD: plain.CRD, Now: strings.Repeat("9", 1000)}, 400, "\"now\": must be an RFC 3339 time"},
		{"an operation that is none", playground.Scenario{CRD: plain.CRD, Operation: "deletecollection"}, 400, "\"operation\": must be "},
		{"a webhook inside the network", playground.Scenario{CRD: strings.Replace(plain.CRD, "  scope: Namespaced\n", "  scope: Namespaced\n  conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {url: 'https://169.254.169.254/'}}}\n", 1), Object: ofThing("s: a")}, 200, "accepted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, body := evaluateHostile(t, app.url(), c.scenario)
			if got := answerIn(t, body); status != c.status || !strings.HasPrefix(got, c.answer) {
				t.Errorf("status %d: %.300s", status, got)
			}
			if status, body := evaluateHostile(t, app.url(), plain); status != http.StatusOK || answerIn(t, body) != "accepted" {
				t.Errorf("a neighbour is answered %d: %.300s", status, body)
			}
		})
	}
}

// TestHostileTrials tries expressions that were made to hurt. A plain one is
// answered after each.
func TestHostileTrials(t *testing.T) {
	pool := procpool.New(testChild)
	defer pool.Close()
	long := playground.Scenario{CRD: thing("s: {type: string}", "true"), Object: ofThing("s: " + strings.Repeat("x", 39_000))}
	try := func(expression string) (*playground.Tried, error) {
		help, err := pool.Help(t.Context(), playground.Question{Try: &playground.TryRequest{Scenario: long, Trial: playground.Trial{Expression: expression}}})
		return help.Tried, err
	}
	for _, c := range []struct {
		name, expression string
		// ends is what the error says that ends it, or else problem and failure
		// are what the answer says.
		ends, problem, failure string
	}{
		{name: "one that builds gigabytes", expression: "self.s.replace('', self.s).size()", ends: "it took more than 1024 MiB of memory"},
		{name: "one that never ends", expression: "self.s.split('').all(a, self.s.split('').all(b, self.s.split('').all(c, a == c)))", failure: "operation cancelled: actual cost limit exceeded"},
		{name: "ten thousand brackets", expression: strings.Repeat("(", 10_000), problem: "The expression is longer than the playground tries, or has too many brackets."},
		{name: "a megabyte", expression: strings.Repeat("true || ", 125_000) + "true", problem: "The expression is longer than the playground tries, or has too many brackets."},
	} {
		t.Run(c.name, func(t *testing.T) {
			tried, err := try(c.expression)
			switch {
			case c.ends != "":
				if err == nil || !strings.Contains(err.Error(), c.ends) {
					t.Errorf("got %v, want an end because %s", err, c.ends)
				}
			case err != nil:
				t.Error(err)
			case tried.Problem != c.problem || tried.Failure != c.failure:
				t.Errorf("got the problem %q and the failure %q", tried.Problem, tried.Failure)
			}
			if tried, err := try("self.s.size()"); err != nil || tried.Value != "39000" {
				t.Errorf("a neighbour is answered %+v, %v", tried, err)
			}
		})
	}
}

// answerIn is what an answer says: a problem's detail, or the status of the CRD or
// of the object if it was refused.
func answerIn(t *testing.T, body string) string {
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

// TestHostileRequests has what was tried to hurt the server by how it is asked,
// written to the connection as it is, and how each answer begins.
func TestHostileRequests(t *testing.T) {
	pool := procpool.New(testChild)
	defer pool.Close()
	app, _ := startPool(t, pool)
	const post = "POST /api/v1/evaluate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nConnection: close\r\n"
	deep := strings.Repeat(`{"a":`, 100_000)
	for _, c := range []struct{ name, sent, status, contains string }{
		{"no HTTP", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", "400 Bad Request", ""},
		{"two lengths", post + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} ", "400 Bad Request", ""},
		{"a length that is none", post + "Content-Length: -2\r\n\r\n{}", "400 Bad Request", ""},
		{"a coding that is none", post + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", "501 Not Implemented", ""},
		{"a header of a mebibyte", post + "X-A: " + strings.Repeat("a", 1<<20) + "\r\n\r\n", "431 Request Header Fields Too Large", ""},
		{"a header without a name", post + ": a\r\n\r\n", "400 Bad Request", ""},
		{"a host that is none", "GET /api HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n", "400 Bad Request", ""},
		{"a path out of the root", "GET /assets/../../../etc/passwd HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "404 Not Found", "There is nothing at this address."},
		{"a path with a zero byte", "GET /s/%00 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "404 Not Found", ""},
		{"another server's address", "GET http://example.com/ HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n", "503 Service Unavailable", "The page has not been built"},
		{"a tunnel", "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\nConnection: close\r\n\r\n", "405 Method Not Allowed", "does not support the method CONNECT"},
		{"a method that is none", "BREW / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "405 Method Not Allowed", "does not support the method BREW"},
		{"JSON a hundred thousand deep", post + fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(deep), deep), "400 Bad Request", "exceeded max depth"},
		{"a body that is packed", post + "Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\n\x1f\x8b\x08\x00", "400 Bad Request", "not valid JSON"},
		{"the same field twice", post + "Content-Length: 23\r\n\r\n" + `{"crd":"a", "crd":null}`, "200 OK", ""},
		{"a body that never ends", post + "Content-Length: 100000000\r\n\r\n" + strings.Repeat(" ", 7<<20), "413 Request Entity Too Large", "6 MiB"},
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
				t.Errorf("answered %q\n%.600s", line, rest)
			}
		})
	}
	if status, body := evaluateHostile(t, app.url(), playground.Scenario{}); status != http.StatusOK {
		t.Errorf("after all, a plain request is answered %d: %s", status, body)
	}
}
