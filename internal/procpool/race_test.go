//go:build race

package procpool

const hasRaceDetector = true
