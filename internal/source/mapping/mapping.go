package mapping

import (
	"iter"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

const MergeTag = "!!merge"

// maxMerges bounds how many merged mappings one lookup visits, since they may
// form cycles and bombs.
const maxMerges = 256

// Pairs yields the keys and values of a mapping in the order in which they
// count: the last of duplicate keys first, then those of merged mappings.
// Other nodes have none.
func Pairs(mapping *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(k, v *yaml.Node) bool) {
		w := pairWalker{yield: yield, left: maxMerges}
		w.mapping(mapping)
	}
}

// A pairWalker visits a mapping and what is merged into it. Its methods report
// whether to go on.
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

// wideMapping is how many keys a mapping has of which one is found by an index. To look
// for each of them in turn would take ever longer per key.
const wideMapping = 16

// An Index finds keys in mappings, in wideMapping ones without looking at each key.
// Its zero value is ready to use, also by several goroutines.
type Index struct {
	// entries are those of wideMapping mappings: a map[string]entry by *yaml.Node, once
	// one was looked for.
	entries sync.Map
}

// entry is a key of a mapping with its value.
type entry struct{ key, value *yaml.Node }

// Find is [Find] in a mapping that stays as it is.
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

// indexEntries are the entries that [Find] finds, by their names.
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

// JSONName is the name that a plain key gets in JSON if it is written
// differently, or empty: decoders of YAML 1.1 turn y, on or no into a Boolean
// and 0x10 into a number.
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

// maxAliases bounds how many aliases that stand for one another are followed.
const maxAliases = 32

// Follow is the node that an alias stands for.
func Follow(n *yaml.Node) *yaml.Node {
	for range maxAliases {
		if n == nil || n.Kind != yaml.AliasNode {
			return n
		}
		n = n.Alias
	}
	return nil
}

// Find is the key and the value of a name in a mapping. The last of duplicate
// keys counts, as in a decoder; merged mappings count less than own keys.
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
