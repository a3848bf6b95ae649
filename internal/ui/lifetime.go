package ui

// LifetimeSentence states how long a short link works. The lifetime is in seconds.
func LifetimeSentence(lifetime int64) string {
	if lifetime <= 0 {
		return "Short links work until the operator of this server deletes them."
	}
	return "A short link works for " + lifetimeWords(lifetime) + " after it was last opened."
}

// lifetimeWords returns a number of seconds in the largest unit that divides it.
func lifetimeWords(lifetime int64) string {
	for _, unit := range []struct {
		seconds int64
		name    string
	}{{24 * 60 * 60, "day"}, {60 * 60, "hour"}, {60, "minute"}} {
		if n := lifetime / unit.seconds; n > 0 && lifetime%unit.seconds == 0 {
			return count(int(n), unit.name)
		}
	}
	return count(int(lifetime), "second")
}
