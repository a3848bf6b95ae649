package httpapi

import "time"

// pace is the least speed at which a client must send or receive. A deadline at this
// pace moves with the bytes that were transferred, so that large documents have enough
// time, and a stalled connection ends soon.
type pace struct {
	// grace is the time that a client has in addition.
	grace time.Duration
	// bytesPerSecond is the average speed after the grace period.
	bytesPerSecond int64
}

// deadline returns the time until which the next bytes must be transferred.
func (p pace) deadline(start time.Time, transferred int64) time.Time {
	return start.Add(p.grace + time.Duration(transferred)*time.Second/time.Duration(p.bytesPerSecond))
}
