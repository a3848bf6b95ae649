package finding

import (
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crdlab/crdlab/internal/source"
)

// maxSteps limits the work for one field. A malicious document can have a very
// large number of interpretations for it.
const maxSteps = 1_000

// Locate finds a field in the spelling of API server errors:
// spec.list[2].name, spec.map[key], metadata.annotations[a.b/c]. Keys may
// contain dots, an index may follow a dot or be in brackets, and the root is
// empty or <nil>. Among several interpretations, Locate prefers longer keys.
//
// If the field does not exist, the result is its nearest existing ancestor,
// possibly the root. ok is false if the document is empty or has an error.
func Locate(d *source.Document, field string) (l source.Location, ok bool) {
	root := d.Root()
	if root.Node() == nil {
		return root, false
	}
	if field == "<nil>" {
		field = ""
	}
	r := resolver{steps: maxSteps}
	r.descend(root, strings.TrimPrefix(field, "."))
	return r.best, true
}

// A resolver tries the interpretations of a field, likely ones first, and keeps
// the one with the shortest unresolved rest.
type resolver struct {
	best  source.Location
	found bool
	steps int
}

// descend resolves rest below l, and reports whether it exists completely.
func (r *resolver) descend(l source.Location, rest string) bool {
	if !r.found || len(rest) < len(r.best.Missing) {
		r.best, r.found = l, true
		r.best.Missing, r.best.Exact = rest, rest == ""
	}
	r.steps--
	if rest == "" || l.Node() == nil || r.steps < 0 {
		return rest == ""
	}
	if l.Node().Kind == yaml.SequenceNode {
		return r.item(l, rest)
	}
	return r.member(l, rest)
}

// item resolves a rest that begins with an index, such as [1] or 1, or with the keys of an
// item, such as [name="a"].
func (r *resolver) item(l source.Location, rest string) bool {
	if keys := itemKeys.FindString(rest); keys != "" {
		for i := range l.Node().Content {
			next, ok := l.At(i)
			if ok && hasKeys(next, keys) {
				return r.descend(next, strings.TrimPrefix(rest[len(keys):], "."))
			}
		}
		return false
	}
	digits, bracket := strings.CutPrefix(strings.TrimPrefix(rest, "."), "[")
	n := 0
	for n < len(digits) && digits[n] >= '0' && digits[n] <= '9' {
		n++
	}
	i, err := strconv.Atoi(digits[:n])
	after := digits[n:]
	if bracket {
		var closed bool
		after, closed = strings.CutPrefix(after, "]")
		if !closed {
			return false
		}
	}
	next, ok := l.At(i)
	return err == nil && ok && r.descend(next, strings.TrimPrefix(after, "."))
}

var (
	// itemKeys matches the keys of an item in the spelling of server-side apply.
	itemKeys = regexp.MustCompile(`^\[(?:` + itemKey.String() + `,?)+\]`)
	// itemKey captures a key and its value in JSON.
	itemKey = regexp.MustCompile(`([\w.-]+)=("(?:[^"\\]|\\.)*"|[\w.+-]+)`)
)

// hasKeys reports whether an item has the keys that a part of a field names.
func hasKeys(item source.Location, keys string) bool {
	for _, key := range itemKey.FindAllStringSubmatch(keys, -1) {
		want := key[2]
		if text, err := strconv.Unquote(want); err == nil {
			want = text
		}
		value, ok := item.At(key[1])
		if !ok || value.Node() == nil || value.Node().Value != want {
			return false
		}
	}
	return true
}

// member resolves a rest that begins with a key. It tries longer keys first.
func (r *resolver) member(l source.Location, rest string) bool {
	type reading struct {
		value source.Location
		after string
	}
	var readings []reading
	for k, v := range l.EntriesNamed(possibleKeys(rest)) {
		after, ok := cutKey(rest, k.Value)
		if name := source.JSONName(k); !ok && name != "" {
			after, ok = cutKey(rest, name)
		}
		if ok {
			readings = append(readings, reading{v, after})
		}
	}
	slices.SortStableFunc(readings, func(a, b reading) int { return len(a.after) - len(b.after) })
	for _, c := range readings {
		if r.descend(c.value, c.after) {
			return true
		}
	}
	return false
}

// possibleKeys yields the keys up to [source.MaxIndexedKey] that [cutKey] can remove
// from the start of a field.
func possibleKeys(field string) iter.Seq[string] {
	field = strings.TrimPrefix(field, ".")
	return func(yield func(string) bool) {
		for i := 0; i <= len(field) && i <= source.MaxIndexedKey+len(`[""`); i++ {
			switch {
			case i > 0 && (i == len(field) || field[i] == '.' || field[i] == '['):
				if !yield(field[:i]) {
					return
				}
			case i > 0 && i < len(field) && field[i] == ']' && field[0] == '[':
				if !yield(field[1:i]) || i > 2 && !yield(field[2:i-1]) {
					return
				}
			}
		}
	}
}

// cutKey removes a key (key, [key], ["key"] or ['key']) and the following dot
// from the start of a field.
func cutKey(field, key string) (after string, ok bool) {
	field = strings.TrimPrefix(field, ".")
	if inner, bracket := strings.CutPrefix(field, "["); bracket {
		if after, ok := cutBracketed(inner, key); ok {
			return after, true
		}
	}
	after, ok = strings.CutPrefix(field, key)
	if !ok || key == "" || after != "" && after[0] != '.' && after[0] != '[' {
		return "", false
	}
	return strings.TrimPrefix(after, "."), true
}

// cutBracketed removes a key, quoted or not, and the closing bracket.
func cutBracketed(field, key string) (after string, ok bool) {
	closing := "]"
	if after, ok = strings.CutPrefix(field, key); !ok && field != "" {
		if after, ok = strings.CutPrefix(field[1:], key); ok {
			closing = map[byte]string{'"': `"]`, '\'': "']"}[field[0]]
		}
	}
	if !ok || closing == "" {
		return "", false
	}
	if after, ok = strings.CutPrefix(after, closing); !ok {
		return "", false
	}
	return strings.TrimPrefix(after, "."), true
}
