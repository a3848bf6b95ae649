package ui

import (
	"fmt"
	"strconv"
	"strings"
)

// FormatCost formats CEL cost units, and other large numbers: "943,727", "9.1
// million".
func FormatCost(cost uint64) string {
	if cost < 1e6 {
		return groupDigits(cost)
	}
	if cost >= 1e15 {
		return ">1,000 trillion"
	}
	size, name := uint64(1e6), "million"
	switch {
	case cost >= 1e12:
		size, name = 1e12, "trillion"
	case cost >= 1e9:
		size, name = 1e9, "billion"
	}
	number := strconv.FormatFloat(float64(cost)/float64(size), 'f', decimals(cost/size), 64)
	return strings.TrimSuffix(number, ".0") + " " + name
}

// formatFactor formats the ratio of a cost to its limit: "12×", ">1,000×".
func formatFactor(cost, limit uint64) string {
	if factor := cost / limit; factor <= 1000 {
		return groupDigits(factor) + "×"
	}
	return ">1,000×"
}

// groupDigits formats a number below a million with a comma between thousands.
func groupDigits(n uint64) string {
	if n < 1000 {
		return strconv.FormatUint(n, 10)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
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
