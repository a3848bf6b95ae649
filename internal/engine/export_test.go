package engine

// ValidateFewRules sets how many rules Preliminary has validated, too.
func (e *Engine) ValidateFewRules(count int) { e.fewRules = count }
