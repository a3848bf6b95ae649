package celrule

import "math"

// MultiplyCosts returns the product of two costs, or the largest uint64 on overflow.
func MultiplyCosts(a, b uint64) uint64 {
	if a != 0 && math.MaxUint64/a < b {
		return math.MaxUint64
	}
	return a * b
}

// AddCosts returns the sum of two costs, or the largest uint64 on overflow.
func AddCosts(a, b uint64) uint64 {
	if math.MaxUint64-a < b {
		return math.MaxUint64
	}
	return a + b
}
