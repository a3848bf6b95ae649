package check

import (
	"context"
	"sync"

	"github.com/crdlab/crdlab/internal/playground"
)

// A Memory remembers reports, so that the next check of a changed input only evaluates what changed. The
// zero value is ready. It is safe for concurrent use.
type Memory struct {
	access sync.Mutex
	known  map[playground.Scenario]playground.Report
	needed map[playground.Scenario]bool
}

// Remembering returns a function that evaluates each scenario once.
func (m *Memory) Remembering(evaluate playground.Evaluate) playground.Evaluate {
	return func(ctx context.Context, s playground.Scenario) (playground.Report, error) {
		if report, isKnown := m.recall(s); isKnown {
			return report, nil
		}
		report, err := evaluate(ctx, s)
		if err == nil {
			m.add(s, report)
		}
		return report, err
	}
}

func (m *Memory) recall(s playground.Scenario) (report playground.Report, isKnown bool) {
	m.access.Lock()
	defer m.access.Unlock()
	if report, isKnown = m.known[s]; isKnown {
		m.needed[s] = true
	}
	return report, isKnown
}

func (m *Memory) add(s playground.Scenario, report playground.Report) {
	m.access.Lock()
	defer m.access.Unlock()
	if m.known == nil {
		m.known, m.needed = map[playground.Scenario]playground.Report{}, map[playground.Scenario]bool{}
	}
	m.known[s], m.needed[s] = report, true
}

// ForgetOthers forgets the reports that nothing needed since the last call.
func (m *Memory) ForgetOthers() {
	m.access.Lock()
	defer m.access.Unlock()
	for s := range m.known {
		if !m.needed[s] {
			delete(m.known, s)
		}
	}
	clear(m.needed)
}
