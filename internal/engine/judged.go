package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/judged"
	"github.com/crdlab/crdlab/internal/engine/release"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/verdict"
)

// JudgmentRequest returns a request for the judgments of older releases on a scenario.
// With a conversion document, the newest release's calls of the webhook are part of it, so
// Evaluate defines the errors.
func (e *Engine) JudgmentRequest(ctx context.Context, s playground.Scenario) (request verdict.Request, err error) {
	s.Kubernetes, s.Releases, s.Schemas = "", false, false
	request.Scenario = s
	if strings.TrimSpace(s.Conversion) == "" {
		return request, nil
	}
	report, err := e.Evaluate(ctx, s)
	for _, object := range report.Objects {
		request.Calls = append(request.Calls, object.Conversions...)
	}
	return request, err
}

// EvaluateJudged evaluates a scenario with the judgments of older releases, by the name
// of the release. If the release of the scenario gave a verdict, the report has that
// verdict with the explanations of the newest release, and lists the differences.
// Otherwise it is the report of Evaluate, which defines the errors.
func (e *Engine) EvaluateJudged(ctx context.Context, s playground.Scenario, judgments map[string]verdict.Judgment) (playground.Report, error) {
	minor, err := release.ParseMinor(s.Kubernetes)
	if err != nil {
		return playground.Report{}, err
	}
	newest := s
	newest.Kubernetes = ""
	var c *crd.CRD
	report, err := e.evaluate(ctx, newest, func(ctx context.Context, s playground.Scenario) *crd.CRD {
		c = e.EvaluateCRD(ctx, s)
		return c
	}, e.classifyChanges)
	if err != nil {
		return report, err
	}
	j := judgedReport{Engine: e, ctx: ctx, scenario: newest, crd: c, newest: report, judgments: judgments}
	if err := j.compare(); err != nil {
		return report, err
	}
	if minor != playground.NewestMinor {
		if report, err = j.report(s, minor); err != nil {
			return report, err
		}
	}
	if s.Releases {
		report.Releases = j.rows()
	}
	return report, nil
}

// A judgedReport combines the newest release's report with the judgments of older
// releases.
type judgedReport struct {
	*Engine
	ctx       context.Context
	scenario  playground.Scenario // for the newest release
	crd       *crd.CRD
	newest    playground.Report
	judgments map[string]verdict.Judgment
	// differences has the differences of each release that gave a verdict, by minor
	// version.
	differences map[int][]playground.Difference
}

// compare compares each verdict with the newest release's. It compares no verdict on a
// scenario that exceeds a limit of the playground.
func (j *judgedReport) compare() error {
	j.differences = map[int][]playground.Difference{}
	if verdict.IsLimited(j.newest) {
		return nil
	}
	exceedsStorage := judged.ExceedsStorage(j.newest)
	newest, err := judged.NewNewest(j.newest, j.scenario)
	if err != nil {
		return err
	}
	for name, judgment := range j.judgments {
		minor, err := release.ParseMinor(name)
		if err != nil {
			return fmt.Errorf("judgment: %w", err)
		}
		if judgment.Verdict == nil {
			continue
		}
		if exceedsStorage {
			j.differences[minor] = []playground.Difference{}
			continue
		}
		if j.differences[minor], err = newest.Differences(*judgment.Verdict); err != nil {
			return err
		}
	}
	for minor, differences := range j.differences {
		judged.SetSince(differences, minor, j.differences)
	}
	return nil
}

// report returns the report with the verdict of a release, or the report of Evaluate
// if there is no verdict.
func (j *judgedReport) report(s playground.Scenario, minor int) (report playground.Report, err error) {
	judgment := j.judgments[release.Name(minor)]
	differences, ok := j.differences[minor]
	if !ok {
		s.Releases = false
		report, err = j.Evaluate(j.ctx, s)
		report.Kubernetes.Unjudged = judgment.Unjudged
		return report, err
	}
	report = j.newest
	if len(differences) > 0 {
		if report, err = j.replace(*judgment.Verdict, differences); err != nil {
			return report, err
		}
		report.Differences = differences
	}
	report.Kubernetes = playground.Kubernetes{Library: Library, Emulated: release.Name(minor), JudgedBy: judgment.Library}
	return report, nil
}

// replace returns the newest release's report with a different verdict.
func (j *judgedReport) replace(v verdict.Verdict, differences []playground.Difference) (report playground.Report, err error) {
	report = j.newest
	if differences[0].Document == playground.DocumentCRD {
		crdReport := judged.ReplaceCRD(j.crd, v.CRD)
		if crdReport.Accepted {
			crdReport.Changes = report.CRD.Changes
			report.CRD = crdReport
		} else if report, err = j.evaluate(j.ctx, j.scenario, func(context.Context, playground.Scenario) *crd.CRD {
			return j.crd.Rejected(crdReport)
		}, j.classifyChanges); err != nil {
			return report, err
		}
	}
	now, err := ParseNow(j.scenario.Now)
	if err != nil {
		return report, err
	}
	scenario, err := SetDefaults(j.scenario)
	report.Objects = slices.Clone(report.Objects)
	judged.ReplaceObjects(&report, scenario, now, v, differences)
	return report, err
}

// rows returns a row for each release that may have its own libraries, and for the
// newest.
func (j *judgedReport) rows() []playground.Release {
	var rows []playground.Release
	for minor := playground.OldestJudgedMinor; minor < playground.NewestMinor; minor++ {
		name := release.Name(minor)
		judgment := j.judgments[name]
		differences, ok := j.differences[minor]
		if !ok {
			rows = append(rows, judged.NewUnjudgedRelease(name, judgment.Unjudged))
			continue
		}
		rows = append(rows, judged.NewRelease(name, judgment.Library, *judgment.Verdict, differences))
	}
	return append(rows, judged.NewRelease(release.Name(playground.NewestMinor), Library, verdict.Of(j.newest), []playground.Difference{}))
}
