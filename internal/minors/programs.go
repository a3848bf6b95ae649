// Package minors judges scenarios with the programs of older Kubernetes releases (see
// the directory minors), and passes their verdicts to the newest release's engine.
package minors

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/procpool"
)

// Programs holds the programs of older releases. Each runs in processes with the limits
// of package procpool, which start with the first scenarios for its release.
type Programs struct {
	pools map[string]*procpool.Pool // by release, such as "1.31"
}

// Open returns the programs in a directory, whose files have the names of their
// releases. A directory that does not exist has no programs.
func Open(dir string) *Programs {
	p := &Programs{pools: map[string]*procpool.Pool{}}
	for minor := playground.OldestJudgedMinor; minor < playground.NewestMinor; minor++ {
		release := fmt.Sprintf("1.%d", minor)
		file := filepath.Join(dir, release)
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
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
