package engine

// ValidateFewRules sets how many rules Preliminary has validated, too.
func (e *Engine) SetImmediateRules(count int) { e.immediateRules = count }
