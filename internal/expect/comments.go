// Package expect tests CRDs with expectations in the comments of manifests.
package expect

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/source"
	"github.com/crdlab/crdlab/internal/source/yamltext"
)

// A want is an expected finding.
type want struct {
	// line is the line of the finding, and written the line of the comment, from 0.
	line, written int
	pattern       *regexp.Regexp
	// met holds the releases with such a finding.
	met map[string]bool
}

// A stored expects the value of a field of the stored object.
type stored struct {
	line  int
	value string
}

// expectations holds the expectations in the comments of a file.
type expectations struct {
	wants  []*want
	stored []stored
	// operations holds the operation of the document that contains the line.
	operations map[int]string
	problems   []Failure
}

// The comments that are expectations.
var (
	// anyComment matches what each of the others needs, anywhere in a file.
	anyComment       = regexp.MustCompile(`#\s*(?:want|stored|crdlab)`)
	wantComment      = regexp.MustCompile(`^want(?:@([+-]\d+))?\s+(.*)$`)
	storedComment    = regexp.MustCompile(`^stored:\s*(.*)$`)
	operationComment = regexp.MustCompile(`^crdlab:\s*(.*)$`)
)

// parse returns the expectations of a file.
func parse(file *manifest.File) expectations {
	e := expectations{operations: map[int]string{}}
	if isJSON(file) {
		e.addSidecar(file)
		return e
	}
	if !anyComment.MatchString(file.Text) {
		return e // finding the comments takes as long as parsing the file
	}
	for _, c := range commentsOf(file) {
		text := strings.TrimSpace(c.text)
		if m := wantComment.FindStringSubmatch(text); m != nil {
			offset, _ := strconv.Atoi(m[1])
			e.addWants(file, c.line, offset, m[2])
		} else if m := storedComment.FindStringSubmatch(text); m != nil {
			e.stored = append(e.stored, stored{c.line, m[1]})
		} else if m := operationComment.FindStringSubmatch(text); m != nil {
			e.operations[c.line] = m[1]
		}
	}
	return e
}

// sidecarSuffix is the suffix of the file with the expectations of a JSON file, which has
// no comments. Each line has the number of a line, counted from 1, and the patterns.
const sidecarSuffix = ".want"

func isJSON(file *manifest.File) bool {
	return file.Beside != nil && strings.EqualFold(filepath.Ext(file.Path), ".json")
}

// addSidecar adds the expectations of a JSON file.
func (e *expectations) addSidecar(file *manifest.File) {
	sidecar, err := file.Beside(sidecarSuffix)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		e.problems = append(e.problems, Failure{Path: file.Path, Line: 1, Message: err.Error()})
	}
	for text := range strings.Lines(sidecar) {
		number, patterns, _ := strings.Cut(strings.TrimSpace(text), " ")
		line, err := strconv.Atoi(number)
		switch {
		case number == "" || number[0] == '#':
		case err != nil:
			e.problems = append(e.problems, Failure{Path: file.Path, Line: 1, Message: fmt.Sprintf("%s: %q does not begin with the number of a line", file.Path+sidecarSuffix, strings.TrimSpace(text))})
		default:
			e.addWants(file, line-1, 0, strings.TrimSpace(patterns))
		}
	}
}

// addWants adds the quoted patterns of a comment.
func (e *expectations) addWants(file *manifest.File, line, offset int, quoted string) {
	for rest := quoted; rest != ""; {
		literal, err := strconv.QuotedPrefix(rest)
		pattern := (*regexp.Regexp)(nil)
		if err == nil {
			var unquoted string
			if unquoted, err = strconv.Unquote(literal); err == nil {
				pattern, err = regexp.Compile(unquoted)
			}
		}
		if err != nil {
			e.problems = append(e.problems, Failure{Path: file.Path, Line: line + 1, Message: fmt.Sprintf("# want needs quoted regular expressions: %s: %v", rest, err)})
			return
		}
		e.wants = append(e.wants, &want{line: line + offset, written: line, pattern: pattern, met: map[string]bool{}})
		rest = strings.TrimSpace(rest[len(literal):])
	}
}

// A comment is the comment of a line, without its number sign. start is the column of the
// sign in bytes.
type comment struct {
	line, start int
	text        string
}

// commentsOf returns the comments of a file.
func commentsOf(file *manifest.File) []comment {
	var comments []comment
	scalars := scalarsOf(file)
	offset := 0
	for line, text := range strings.Split(file.Text, "\n") {
		if start := scalars.comment(offset, text); start >= 0 {
			comments = append(comments, comment{line, start, text[start+1:]})
		}
		offset += len(text) + 1
	}
	return comments
}

// An extent is a part of a file that holds the value of a scalar.
type extent struct{ start, end int }

type extents []extent

// comment returns the column of the number sign that begins the comment of a line at an
// offset, or -1.
func (e extents) comment(offset int, line string) int {
	for i := range len(line) {
		isSign := line[i] == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t')
		if isSign && !e.contain(offset+i) {
			return i
		}
	}
	return -1
}

func (e extents) contain(offset int) bool {
	for _, s := range e {
		if s.start <= offset && offset < s.end {
			return true
		}
	}
	return false
}

// cover reports whether one scalar contains all offsets from start to end.
func (e extents) cover(start, end int) bool {
	for _, s := range e {
		if s.start <= start && end <= s.end && start < end {
			return true
		}
	}
	return false
}

// scalarsOf returns the extents of the scalars of a file in which a number sign begins no
// comment. The first line of a block scalar may have a comment.
func scalarsOf(file *manifest.File) extents {
	var all extents
	for _, chunk := range yamltext.Split(file.Text) {
		parsed, _ := source.Parse(file.Text[chunk.Start:chunk.End], source.DefaultLimits)
		for _, d := range parsed.Documents {
			if d.Err == nil && !d.Empty() {
				all = addScalars(all, d, chunk.Start, d.Root().Node())
			}
		}
	}
	return all
}

func addScalars(all extents, d *source.Document, offset int, n *yaml.Node) extents {
	if n.Kind == yaml.ScalarNode {
		start, end := d.Layout().Extent(n)
		if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
			if newline := strings.IndexByte(d.Layout().Text[start:], '\n'); newline >= 0 {
				start += newline + 1
			}
			end = max(end, start)
			if newline := strings.IndexByte(d.Layout().Text[end:], '\n'); newline > 0 && end > start && d.Layout().Text[end-1] != '\n' {
				end += newline // the rest of the last line
			}
		}
		return append(all, extent{offset + start, offset + end})
	}
	for _, child := range n.Content {
		all = addScalars(all, d, offset, child)
	}
	return all
}
