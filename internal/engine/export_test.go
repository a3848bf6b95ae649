package engine

// SetImmediateRules sets the number of rules that Preliminary validates at once.
func (e *Engine) SetImmediateRules(count int) { e.immediateRules = count }
