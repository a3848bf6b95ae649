package main

import (
	"time"
	// Rules may name time zones, as in getHours('Europe/Berlin'). The program can open no
	// files, and browsers have none.
	_ "time/tzdata"
)

// In rules, the time zone 'Local' is the one of the API server's container, which is UTC.
func init() { time.Local = time.UTC }
