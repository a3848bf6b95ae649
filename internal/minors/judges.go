package minors

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/crdlab/crdlab/internal/verdict"
)

// Judges are the releases that [Programs] can judge, as seen from a child process, which
// cannot start programs.
type Judges struct {
	releases []string
	judge    func(ctx context.Context, release string, request []byte) ([]byte, error)
}

// NewJudges returns the judges of the releases, in ascending order. judge has the
// contract of [Programs.Judge].
func NewJudges(releases []string, judge func(ctx context.Context, release string, request []byte) ([]byte, error)) *Judges {
	return &Judges{releases, judge}
}

// has reports whether the release can be judged.
func (j *Judges) has(release string) bool { return slices.Contains(j.releases, release) }

// after returns the releases after the given one.
func (j *Judges) after(release string) []string {
	return j.releases[slices.Index(j.releases, release)+1:]
}

// ask returns the judgment of a release. The errors are those of [Programs.Judge].
func (j *Judges) ask(ctx context.Context, release string, request verdict.Request) (judgment verdict.Judgment, err error) {
	body, err := json.Marshal(request)
	if err != nil {
		return judgment, fmt.Errorf("encode the request to the program of %s: %w", release, err)
	}
	reply, err := j.judge(ctx, release, body)
	if err != nil {
		return judgment, err
	}
	if judgment, err = verdict.DecodeJudgment(reply); err != nil {
		return judgment, fmt.Errorf("release %s: %w", release, err)
	}
	return judgment, nil
}

// Judges returns the judges in the process that starts the programs.
func (p *Programs) Judges() *Judges { return NewJudges(p.Releases(), p.Judge) }
