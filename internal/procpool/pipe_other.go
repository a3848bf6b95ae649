//go:build !linux

package procpool

import "io"

func widen(io.Closer) {}
