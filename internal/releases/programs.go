// Package releases judges scenarios with the programs of older Kubernetes releases (see
// the directory releases), and passes their verdicts to the newest release's engine.
package releases

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/procpool"
)

// Programs holds the programs of older releases. Each runs in processes with the limits
// of package procpool, which start with the first scenarios for its release.
type Programs struct {
	pools map[string]*procpool.Pool // by release, such as "1.31"
}

// Known returns the releases for which there are programs, in ascending order.
func Known() []string {
	var all []string
	for minor := playground.OldestJudgedMinor; minor < playground.NewestMinor; minor++ {
		all = append(all, fmt.Sprintf("1.%d", minor))
	}
	return all
}

// fileName returns the name of the program of a release in its directory.
func fileName(release string) string {
	if runtime.GOOS == "windows" {
		return release + ".exe"
	}
	return release
}

// isExecutable reports whether a file may be executed. Windows has no such permission.
func isExecutable(info os.FileInfo) bool { return runtime.GOOS == "windows" || info.Mode()&0o111 != 0 }

// Open returns the programs in a directory, whose files have the names of their
// releases. A directory that does not exist has no programs.
func Open(dir string) *Programs {
	p := &Programs{pools: map[string]*procpool.Pool{}}
	for _, release := range Known() {
		file := filepath.Join(dir, fileName(release))
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && isExecutable(info) {
			p.pools[release] = procpool.New(func() *exec.Cmd {
				command := exec.Command(file)
				command.Env = []string{}
				return command
			}, 1)
		}
	}
	return p
}

// Releases returns the releases of the programs, in ascending order.
func (p *Programs) Releases() []string { return slices.Sorted(maps.Keys(p.pools)) }

// Missing returns the releases that need a program and lack it: all but the
// newest.
func (p *Programs) Missing(releases []string) []string {
	var missing []string
	for _, release := range releases {
		if release != newest && p.pools[release] == nil {
			missing = append(missing, release)
		}
	}
	return missing
}

// newest is the release whose libraries crdlab itself contains.
var newest = fmt.Sprintf("1.%d", playground.NewestMinor)

// Close ends the processes.
func (p *Programs) Close() {
	for _, pool := range p.pools {
		pool.Close()
	}
}

// Judge returns the judgment of a release on a verdict.Request, both as JSON. It is a
// [procpool.Call].
func (p *Programs) Judge(ctx context.Context, release string, request []byte) ([]byte, error) {
	pool := p.pools[release]
	if pool == nil {
		return nil, fmt.Errorf("there is no program of %q", release)
	}
	reply, err := pool.Render(ctx, playground.Request{Task: playground.TaskJudge, Body: request})
	if err != nil {
		return nil, fmt.Errorf("the program of %s: %w", release, err)
	}
	return reply, nil
}
