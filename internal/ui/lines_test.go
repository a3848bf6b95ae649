package ui

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/crdlab/crdlab/internal/playground"
)

// caseChange is a change in the format of the cases in testdata/lines.
type caseChange struct {
	Stage string `json:"stage"`
	playground.Change
}

func TestObjectLines(t *testing.T) {
	forEachCase(t, "testdata/lines", func(t *testing.T, files caseFiles) {
		var raw []caseChange
		files.decode(t, "changes.json", &raw)
		var changes []stageChange
		for _, c := range raw {
			changes = append(changes, stageChange{stage: c.Stage, change: c.Change})
		}
		var schema []playground.SchemaPlace
		if len(files.get("schema.json")) > 0 {
			files.decode(t, "schema.json", &schema)
		}
		lines, err := objectLines(files.get("object.json"), changes, schema)
		if err != nil {
			t.Fatal(err)
		}
		files.compare(t, "want.txt", formatLines(lines))
	})
}

// formatLines formats each line with the symbol of its mark, its note and its
// schema node.
func formatLines(lines []line) string {
	signs := map[mark]string{markNone: " ", markAdded: "+", markRemoved: "-", markReplaced: "~", markQuiet: "."}
	var text strings.Builder
	for _, l := range lines {
		row := signs[l.mark] + " " + l.text
		if l.note != "" {
			row = fmt.Sprintf("%-40s # %s", row, l.note)
		}
		if l.schema != nil {
			row = fmt.Sprintf("%-40s @ %s", row, l.schema.Path)
		}
		fmt.Fprintln(&text, row)
	}
	return text.String()
}

// Without removed values, the lines equal kubectl's YAML, at any depth of the
// changes.
func TestObjectLinesAreYAML(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		value := map[string]any{"a": randomValue(random, 4), "b": randomValue(random, 4)}
		object, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		want, err := yaml.JSONToYAML(object)
		if err != nil {
			t.Fatal(err)
		}
		decoded, err := decodeJSON(object)
		if err != nil {
			t.Fatal(err)
		}
		changes := changesEverywhere(decoded)
		lines, err := objectLines(object, changes, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for _, l := range lines {
			fmt.Fprintln(&got, l.text)
		}
		if got.String() != string(want) {
			t.Fatalf("object %s\ngot\n%s\nwant\n%s", object, got.String(), want)
		}
	}
}

func randomValue(random *rand.Rand, depth int) any {
	scalars := []any{
		"", "true", "12", "a: b", "two\nlines\n", " lead", "#", "null", 1, 2.5, -3e30, true, nil, "ünï",
		strings.Repeat("word ", 30), "x" + strings.Repeat("y", 100), "- a", "it's", `"q"`, "\ttab", "2020-01-01",
		"name", "v1", "e1", "a-", "a.b/c_d", "y", "No", "nUll", "OFF", "yes", "~", strings.Repeat("y", 60), 1e15, -1, -120000000000000, 1e16, 1e19, 1e20, math.Copysign(0, -1),
	}
	kind := random.IntN(5)
	if depth == 0 || kind > 2 {
		return scalars[random.IntN(len(scalars))]
	}
	if kind == 0 {
		list := make([]any, random.IntN(4))
		for i := range list {
			list[i] = randomValue(random, depth-1)
		}
		return list
	}
	keys := []string{"a", "b1", "b2", "b10", "x-y", "on", "12", "1.5", "with space", "Z", "_", "k:", "multi\nline", "name", "app.example.com/name", "n", "True", "null", strings.Repeat("k", 130)}
	object := map[string]any{}
	for range random.IntN(5) {
		object[keys[random.IntN(len(keys))]] = randomValue(random, depth-1)
	}
	return object
}

// changesEverywhere returns a change for every value, so that no subtree is
// printed as a whole.
func changesEverywhere(value any, steps ...string) []stageChange {
	var all []stageChange
	switch v := value.(type) {
	case map[string]any:
		for key, child := range v {
			all = append(all, changesEverywhere(child, append(slices.Clip(steps), key)...)...)
		}
	case []any:
		for i, child := range v {
			all = append(all, changesEverywhere(child, append(slices.Clip(steps), strconv.Itoa(i))...)...)
		}
	}
	return append(all, stageChange{
		stage:  playground.StageDefault,
		change: playground.Change{Op: playground.ChangeAdd, Steps: steps},
	})
}

func TestKeyOrderMatchesYAML(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		a, b := randomKey(random), randomKey(random)
		if a == b {
			continue
		}
		text, err := yaml.Marshal(map[string]int{a: 1, b: 2})
		if err != nil {
			t.Fatal(err)
		}
		firstIsA := strings.HasSuffix(strings.SplitN(string(text), "\n", 2)[0], "1")
		if keyLess(a, b) != firstIsA {
			t.Fatalf("keyLess(%q, %q) = %v, YAML is\n%s", a, b, keyLess(a, b), text)
		}
	}
}

func randomKey(random *rand.Rand) string {
	const alphabet = "ab01290-_./"
	key := make([]byte, 1+random.IntN(6))
	for i := range key {
		key[i] = alphabet[random.IntN(len(alphabet))]
	}
	return string(key)
}
