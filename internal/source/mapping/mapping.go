package mapping

import (
	"iter"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

// MergeTag is the tag of merge keys (<<).
const MergeTag = "!!merge"

// maxMerges limits the merged mappings that one lookup visits. Merge keys can
// form cycles and grow exponentially.
const maxMerges = 256

// Pairs yields the keys and values of a mapping in order of precedence: later
// duplicates first, then merged mappings. It yields nothing for other nodes.
func Pairs(mapping *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
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
		key := Follow(n.Content[i])
		switch {
		case key == nil || key.Kind != yaml.ScalarNode:
		case key.Tag == MergeTag:
			merges = true
		case !w.yield(key, n.Content[i+1]):
			return false
		}
	}
	return !merges || w.merges(n)
}

func (w *pairWalker) merges(n *yaml.Node) bool {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Tag != MergeTag {
			continue
		}
		merged := []*yaml.Node{n.Content[i+1]}
		if list := Follow(merged[0]); list != nil && list.Kind == yaml.SequenceNode {
			merged = list.Content
		}
		for _, each := range merged {
			w.left--
			if w.left >= 0 && !w.mapping(Follow(each)) {
				return false
			}
		}
	}
	return true
}

// wideMapping is the largest number of keys that [Index] searches linearly. To
// look up all n keys of a mapping linearly needs time proportional to n².
const wideMapping = 16

// An Index looks up keys in mappings, and caches the keys of wide mappings. Its
// zero value is ready for use by several goroutines.
type Index struct {
	// entries caches a map[string]entry for each wide mapping (*yaml.Node),
	// from the first lookup on.
	entries sync.Map
}

// An entry is a key of a mapping with its value.
type entry struct{ key, value *yaml.Node }

// Find does the same as [Find] for a mapping that does not change.
func (x *Index) Find(mapping *yaml.Node, name string) (key, value *yaml.Node) {
	if mapping == nil || len(mapping.Content) <= 2*wideMapping {
		return Find(mapping, name)
	}
	known, ok := x.entries.Load(mapping)
	if !ok {
		known, _ = x.entries.LoadOrStore(mapping, indexEntries(mapping))
	}
	found := known.(map[string]entry)[name]
	return found.key, found.value
}

// indexEntries maps each name to the entry that [Find] returns.
func indexEntries(mapping *yaml.Node) map[string]entry {
	entries := make(map[string]entry, len(mapping.Content)/2)
	add := func(name string, found entry) {
		if _, ok := entries[name]; !ok {
			entries[name] = found
		}
	}
	for k, v := range Pairs(mapping) {
		add(k.Value, entry{k, v})
	}
	for k, v := range Pairs(mapping) {
		if name := JSONName(k); name != "" {
			add(name, entry{k, v})
		}
	}
	return entries
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

// Follow returns the node that an alias refers to, or the node itself. It
// returns nil if the chain of aliases is too long.
func Follow(n *yaml.Node) *yaml.Node {
	for range maxAliases {
		if n == nil || n.Kind != yaml.AliasNode {
			return n
		}
		n = n.Alias
	}
	return nil
}

// Find returns the key and the value of a name in a mapping. The last of
// several duplicate keys wins, as in a decoder, and own keys take precedence
// over merged mappings.
func Find(mapping *yaml.Node, name string) (key, value *yaml.Node) {
	for k, v := range Pairs(mapping) {
		if k.Value == name {
			return k, v
		}
	}
	for k, v := range Pairs(mapping) {
		if name != "" && JSONName(k) == name {
			return k, v
		}
	}
	return nil, nil
}
