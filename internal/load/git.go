package load

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path"
	"strconv"
	"strings"

	"github.com/crdlab/crdlab/internal/manifest"
)

// ErrNotInRevision is the error of a path that a git revision does not have.
var ErrNotInRevision = errors.New("no such file or directory in this revision")

// A revision is a file or a directory in a revision of a git repository.
type revision struct {
	reader Reader
	name   string
	// path is relative to the root of the repository; empty means all files.
	path string
}

// parseRevision returns the revision that an argument names: REVISION:PATH or REVISION. As
// for git, PATH is relative to the root of the repository, unless it begins with a dot.
func (r Reader) parseRevision(ctx context.Context, argument string) (v revision, err error) {
	name, file, _ := strings.Cut(argument, ":")
	if _, err := r.git(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}"); err != nil {
		if failure := (*exec.ExitError)(nil); errors.As(err, &failure) && failure.ExitCode() == 1 {
			return v, errors.New("no such file, directory or git revision")
		}
		return v, fmt.Errorf("no such file or directory, and no revision: %w", err)
	}
	if strings.HasPrefix(file, ".") {
		prefix, err := r.git(ctx, "rev-parse", "--show-prefix")
		if err != nil {
			return v, err
		}
		file = path.Join(strings.TrimSpace(string(prefix)), file)
	}
	return revision{r, name, strings.Trim(path.Clean("/"+file), "/")}, nil
}

// load adds the files of the revision. It reports whether the path is a file.
func (v revision) load(ctx context.Context, in *manifest.Input) (explicit bool) {
	display := v.name + ":" + v.path
	blobs, err := v.list(ctx)
	if err == nil && len(blobs) == 0 {
		err = ErrNotInRevision
	}
	if err != nil {
		in.Fail(display, err)
		return true
	}
	explicit = len(blobs) == 1 && blobs[0].path == v.path
	if !explicit {
		blobs = selectManifests(blobs)
	}
	if err := v.readBlobs(ctx, in, blobs); err != nil {
		in.Fail(display, err)
	}
	return explicit
}

// A blob is a file of a revision.
type blob struct{ hash, path string }

// list returns the files of the revision below its path.
func (v revision) list(ctx context.Context) ([]blob, error) {
	arguments := []string{"ls-tree", "-r", "-z", "--full-tree", v.name}
	if v.path != "" {
		arguments = append(arguments, "--", v.path)
	}
	output, err := v.reader.git(ctx, arguments...)
	if err != nil {
		return nil, err
	}
	var blobs []blob
	for entry := range strings.SplitSeq(strings.TrimSuffix(string(output), "\x00"), "\x00") {
		meta, file, ok := strings.Cut(entry, "\t")
		if fields := strings.Fields(meta); ok && len(fields) == 3 && fields[1] == "blob" {
			blobs = append(blobs, blob{fields[2], file})
		}
	}
	return blobs, nil
}

// selectManifests returns the files that would be read in a directory.
func selectManifests(blobs []blob) []blob {
	var selected []blob
	for _, b := range blobs {
		ignored := false
		for directory := range strings.SplitSeq(path.Dir(b.path), "/") {
			ignored = ignored || directory != "." && IsIgnored(directory)
		}
		if !ignored && IsManifestName(b.path) {
			selected = append(selected, b)
		}
	}
	return selected
}

// readBlobs adds files, which one process of git prints.
func (v revision) readBlobs(ctx context.Context, in *manifest.Input, blobs []blob) error {
	var names bytes.Buffer
	for _, b := range blobs {
		names.WriteString(b.hash + "\n")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	command := v.reader.command(ctx, "cat-file", "--batch")
	command.Stdin = &names
	pipe, err := command.StdoutPipe()
	if err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return err
	}
	output := bufio.NewReader(pipe)
	for _, b := range blobs {
		size, err := readHeader(output)
		if err != nil {
			return fmt.Errorf("git cat-file: %w", err)
		}
		content := io.LimitReader(output, size)
		in.Load(&manifest.File{Path: v.name + ":" + b.path}, func() (string, error) { return readLimited(content) })
		// The rest of a file that was too large, and the line break.
		if _, err := io.Copy(io.Discard, content); err != nil {
			return err
		}
		if _, err := output.Discard(1); err != nil {
			return err
		}
	}
	return command.Wait()
}

// readHeader returns the size in the line "HASH TYPE SIZE".
func readHeader(output *bufio.Reader) (int64, error) {
	line, err := output.ReadString('\n')
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(line)
	if len(fields) != 3 {
		return 0, errors.New(strings.TrimSpace(line))
	}
	return strconv.ParseInt(fields[2], 10, 64)
}

func (r Reader) command(ctx context.Context, arguments ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, "git", arguments...)
	command.Dir = r.Directory
	return command
}

// git returns the output of git. Its error has the first line of git's message.
func (r Reader) git(ctx context.Context, arguments ...string) ([]byte, error) {
	command := r.command(ctx, arguments...)
	output, err := command.Output()
	if failure := (*exec.ExitError)(nil); errors.As(err, &failure) && len(failure.Stderr) > 0 {
		line, _, _ := strings.Cut(string(failure.Stderr), "\n")
		err = fmt.Errorf("git: %s", strings.TrimPrefix(line, "fatal: "))
	}
	return output, err
}
