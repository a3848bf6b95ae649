// Package attack contains a test that attacks a built server and measures
// whether the promises in docs/security.md hold. A well-behaved client types
// beside a hostile one, and both have an address of their own.
//
//	make attack
//
// The test needs Linux, because it reads the server's memory from /proc. As root
// it limits the server to the memory of a container, and it fills a disk.
package attack
