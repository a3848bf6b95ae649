package ui

import (
	"strconv"
	"strings"
)

// formatCost formats CEL cost units in at most seven characters, such as "9.1
// M".
func formatCost(cost uint64) string {
	units := []struct {
		size uint64
		name string
	}{{1e18, "E"}, {1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}}
	for _, unit := range units {
		if cost >= unit.size && cost >= 10_000 {
			number := strconv.FormatFloat(float64(cost)/float64(unit.size), 'f', decimals(cost/unit.size), 64)
			return strings.TrimSuffix(number, ".0") + " " + unit.name
		}
	}
	return strconv.FormatUint(cost, 10)
}

func decimals(whole uint64) int {
	if whole < 100 {
		return 1
	}
	return 0
}

// percent returns the ratio of part to whole as a percentage from 0 to 100.
func percent(part, whole uint64) float64 {
	if whole == 0 {
		return 0
	}
	return min(100, 100*float64(part)/float64(whole))
}

// count formats a number with its noun: "1 error", "2 errors".
func count(n int, name string) string {
	return formatInt(n) + " " + pluralize(n, name)
}

func formatInt(n int) string { return strconv.Itoa(n) }

func pluralize(n int, name string) string {
	if n == 1 {
		return name
	}
	return name + "s"
}
