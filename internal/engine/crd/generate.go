package crd

import "crypto/sha256"

// FirstResourceVersion stands for the revision of etcd at which an object was
// created.
const FirstResourceVersion = "1"

// GenerateName appends five characters to base, as the API server's random
// ones are: at most 63 characters in all, from an alphabet without vowels.
func GenerateName(base string) string {
	const alphabet, most, length = "bcdfghjklmnpqrstvwxz2456789", 63, 5
	if len(base) > most-length {
		base = base[:most-length]
	}
	sum := sha256.Sum256([]byte(base))
	suffix := make([]byte, length)
	for i := range suffix {
		suffix[i] = alphabet[int(sum[i])%len(alphabet)]
	}
	return base + string(suffix)
}
