package source

import (
	"iter"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

// mergeTag is the tag of merge keys (<<).
const mergeTag = "!!merge"

// maxMerges limits the merged mappings that one lookup visits. Merge keys can
// form cycles and grow exponentially.
const maxMerges = 256

// pairs yields the keys and values of a mapping in order of precedence: later
// duplicates first, then merged mappings. It yields nothing for other nodes.
func pairs(mapping *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(k, v *yaml.Node) bool) {
		w := pairWalker{yield: yield, left: maxMerges}
		w.mapping(mapping)
	}
}

// A pairWalker visits a mapping and its merged mappings. Its methods report
// whether to continue.
type pairWalker struct {
	yield func(k, v *yaml.Node) bool
	left  int
}

func (w *pairWalker) mapping(n *yaml.Node) bool {
	if n == nil || n.Kind != yaml.MappingNode {
		return true
	}
	merges := false
	for i := len(n.Content) - 2; i >= 0; i -= 2 {
		key := follow(n.Content[i])
		switch {
		case key == nil || key.Kind != yaml.ScalarNode:
		case key.Tag == mergeTag:
			merges = true
		case !w.yield(key, n.Content[i+1]):
			return false
		}
	}
	return !merges || w.merges(n)
}

func (w *pairWalker) merges(n *yaml.Node) bool {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Tag != mergeTag {
			continue
		}
		merged := []*yaml.Node{n.Content[i+1]}
		if list := follow(merged[0]); list != nil && list.Kind == yaml.SequenceNode {
			merged = list.Content
		}
		for _, each := range merged {
			w.left--
			if w.left >= 0 && !w.mapping(follow(each)) {
				return false
			}
		}
	}
	return true
}

// wideMapping is the largest number of keys that [keyIndex] searches linearly. To
// look up all n keys of a mapping linearly needs time proportional to n².
const wideMapping = 16

// MaxIndexedKey is the length of the longest key by which [keyIndex] finds entries. The
// number of longer keys in a document is limited by its size.
const MaxIndexedKey = 256

// A keyIndex looks up keys in mappings, and caches the keys of wide mappings. Its
// zero value is ready for use by several goroutines.
type keyIndex struct {
	// wide caches a *wide for each wide mapping (*yaml.Node), from the first lookup on.
	wide sync.Map
}

// An entry is a key of a mapping with its value.
type entry struct{ key, value *yaml.Node }

// wide holds the entries of a wide mapping.
type wide struct {
	// found maps each name to the entry that [findEntry] returns.
	found map[string]entry
	// named maps each name up to MaxIndexedKey to all of its entries, in the order of
	// [pairs]. long lists the entries with longer names.
	named map[string][]entry
	long  []entry
}

// find does the same as [findEntry] for a mapping that does not change.
func (x *keyIndex) find(mapping *yaml.Node, name string) (key, value *yaml.Node) {
	if !isWide(mapping) {
		return findEntry(mapping, name)
	}
	found := x.of(mapping).found[name]
	return found.key, found.value
}

// named yields the entries of a mapping whose names can be among names, in the
// order of names and then of [pairs]. It may yield other entries, too: all entries of
// a mapping with few keys, and in the end all entries with a name longer than
// [MaxIndexedKey]. The mapping must not change.
func (x *keyIndex) named(mapping *yaml.Node, names iter.Seq[string]) iter.Seq2[*yaml.Node, *yaml.Node] {
	if !isWide(mapping) {
		return pairs(mapping)
	}
	return func(yield func(k, v *yaml.Node) bool) {
		entries := x.of(mapping)
		for name := range names {
			for _, e := range entries.named[name] {
				if !yield(e.key, e.value) {
					return
				}
			}
		}
		for _, e := range entries.long {
			if !yield(e.key, e.value) {
				return
			}
		}
	}
}

func isWide(mapping *yaml.Node) bool {
	return mapping != nil && len(mapping.Content) > 2*wideMapping
}

func (x *keyIndex) of(mapping *yaml.Node) *wide {
	known, ok := x.wide.Load(mapping)
	if !ok {
		known, _ = x.wide.LoadOrStore(mapping, newWide(mapping))
	}
	return known.(*wide)
}

func newWide(mapping *yaml.Node) *wide {
	w := &wide{found: make(map[string]entry, len(mapping.Content)/2), named: make(map[string][]entry, len(mapping.Content)/2)}
	for k, v := range pairs(mapping) {
		e := entry{k, v}
		if len(k.Value) > MaxIndexedKey {
			w.long = append(w.long, e)
		} else {
			w.named[k.Value] = append(w.named[k.Value], e)
		}
		w.setFound(k.Value, e)
	}
	for k, v := range pairs(mapping) {
		if name := JSONName(k); name != "" {
			w.named[name] = append(w.named[name], entry{k, v})
			w.setFound(name, entry{k, v})
		}
	}
	return w
}

// setFound sets the entry that findEntry returns for a name, unless it is known.
func (w *wide) setFound(name string, e entry) {
	if _, known := w.found[name]; !known {
		w.found[name] = e
	}
}

// JSONName returns the name of a plain key in JSON if it differs from the YAML
// spelling, otherwise an empty string. YAML 1.1 decoders convert y, on or no to
// a boolean and 0x10 to a number.
func JSONName(key *yaml.Node) string {
	if key.Style != 0 || key.Tag == "!!str" && len(key.Value) > len("yes") {
		return ""
	}
	switch strings.ToLower(key.Value) {
	case "y", "yes", "on", "true":
		return "true"
	case "n", "no", "off", "false":
		return "false"
	}
	if key.Tag != "!!int" {
		return ""
	}
	n, err := strconv.ParseInt(strings.ReplaceAll(key.Value, "_", ""), 0, 64)
	if err != nil {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// maxAliases limits the length of a chain of aliases.
const maxAliases = 32

// follow returns the node that an alias refers to, or the node itself. It
// returns nil if the chain of aliases is too long.
func follow(n *yaml.Node) *yaml.Node {
	for range maxAliases {
		if n == nil || n.Kind != yaml.AliasNode {
			return n
		}
		n = n.Alias
	}
	return nil
}

// findEntry returns the key and the value of a name in a mapping. The last of
// several duplicate keys wins, as in a decoder, and own keys take precedence
// over merged mappings.
func findEntry(mapping *yaml.Node, name string) (key, value *yaml.Node) {
	for k, v := range pairs(mapping) {
		if k.Value == name {
			return k, v
		}
	}
	for k, v := range pairs(mapping) {
		if name != "" && JSONName(k) == name {
			return k, v
		}
	}
	return nil, nil
}
