package releases

import (
	"compress/gzip"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// checksumsFile is the name of the list of checksums in a release of crdlab, in the format
// of sha256sum.
const checksumsFile = "checksums.txt"

// built holds the checksums of the programs that were released with this version of crdlab.
// The file is absent in other builds.
//
//go:embed all:built
var built embed.FS

// Directory returns the directory of the programs unless the user names another: the
// directory programs beside this program, as in the image, or else the one in the user's cache
// for this version of crdlab. It is empty if there is no cache.
func Directory(version string) string {
	if program, err := os.Executable(); err == nil {
		beside := filepath.Join(filepath.Dir(program), "programs")
		if info, err := os.Stat(beside); err == nil && info.IsDir() {
			return beside
		}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(cache, "crdlab", "releases", version)
}

// An Archive has the compressed programs of older releases.
type Archive struct {
	// From is a directory, or an address that begins with http:// or https://.
	From   string
	client *http.Client
	// checksums is the content of the checksumsFile that this program contains. If it is
	// empty, the archive's own counts.
	checksums string
}

// NewArchive returns the archive at a directory or an address. The client downloads from
// addresses.
func NewArchive(client *http.Client, from string) Archive {
	checksums, err := built.ReadFile("built/" + checksumsFile)
	if err != nil {
		checksums = nil
	}
	return Archive{from, client, string(checksums)}
}

// ArchiveName returns the name of the file with the program of a release for this platform.
func ArchiveName(release string) string {
	return fmt.Sprintf("crdlab-kubernetes-%s_%s_%s.gz", release, runtime.GOOS, runtime.GOARCH)
}

// Install stores the program of a release in a directory, once its checksum is right. If it
// fails, the directory has no part of the program. The errors name the file.
func (a Archive) Install(ctx context.Context, release, directory string) error {
	name := ArchiveName(release)
	want, err := a.checksum(ctx, name)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(directory, 0o755); err != nil {
		return err
	}
	compressed, err := os.CreateTemp(directory, ".download-*")
	if err != nil {
		return err
	}
	defer remove(compressed)
	got, err := a.copy(ctx, name, compressed)
	if err != nil {
		return fmt.Errorf("%s: %w", a.path(name), err)
	}
	if got != want {
		return fmt.Errorf("%s: the checksum is %s, and must be %s", a.path(name), got, want)
	}
	if _, err := compressed.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return decompress(compressed, filepath.Join(directory, fileName(release)))
}

// checksum returns the checksum that a file must have.
func (a Archive) checksum(ctx context.Context, name string) (string, error) {
	checksums := a.checksums
	if checksums == "" {
		var list strings.Builder
		if _, err := a.copy(ctx, checksumsFile, &list); err != nil {
			return "", fmt.Errorf("%s: %w", a.path(checksumsFile), err)
		}
		checksums = list.String()
	}
	for line := range strings.Lines(checksums) {
		if fields := strings.Fields(line); len(fields) == 2 && fields[1] == name {
			return fields[0], nil
		}
	}
	return "", fmt.Errorf("there is no %s in this version of crdlab", name)
}

// copy copies a file of the archive and returns its checksum.
func (a Archive) copy(ctx context.Context, name string, to io.Writer) (checksum string, err error) {
	file, err := a.open(ctx, name)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	hash := sha256.New()
	_, err = io.Copy(io.MultiWriter(to, hash), file)
	return hex.EncodeToString(hash.Sum(nil)), err
}

// isRemote reports whether the archive has an address.
func (a Archive) isRemote() bool {
	return strings.HasPrefix(a.From, "http://") || strings.HasPrefix(a.From, "https://")
}

// path returns the address or the path of a file.
func (a Archive) path(name string) string {
	if address, err := url.JoinPath(a.From, name); a.isRemote() && err == nil {
		return address
	}
	return filepath.Join(a.From, name)
}

func (a Archive) open(ctx context.Context, name string) (io.ReadCloser, error) {
	if !a.isRemote() {
		file, err := os.Open(a.path(name))
		if pathError, ok := errors.AsType[*fs.PathError](err); ok { // Install names the file.
			return nil, pathError.Err
		}
		return file, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, a.path(name), http.NoBody)
	if err != nil {
		return nil, err
	}
	response, err := a.client.Do(request)
	if withAddress, ok := errors.AsType[*url.Error](err); ok {
		return nil, withAddress.Err
	} else if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, errors.Join(errors.New("the server responds "+response.Status), response.Body.Close())
	}
	return response.Body, nil
}

// decompress writes a program at a path. An interrupt leaves no part of it there.
func decompress(compressed io.Reader, path string) error {
	reader, err := gzip.NewReader(compressed)
	if err != nil {
		return err
	}
	program, err := os.CreateTemp(filepath.Dir(path), ".program-*")
	if err != nil {
		return err
	}
	defer remove(program)
	if _, err := io.Copy(program, reader); err != nil { //nolint:gosec // the checksum is right
		return err
	}
	if err := errors.Join(program.Chmod(0o755), program.Sync(), program.Close()); err != nil {
		return err
	}
	return os.Rename(program.Name(), path)
}

// remove removes a temporary file, which may have been renamed.
func remove(file *os.File) {
	_ = file.Close()
	_ = os.Remove(file.Name())
}

// Remove removes the program of a release from a directory. It reports whether there was one.
func Remove(directory, release string) (bool, error) {
	err := os.Remove(filepath.Join(directory, fileName(release)))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}
