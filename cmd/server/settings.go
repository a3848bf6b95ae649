package main

import (
	"flag"
	"fmt"
	"io"
)

// defaultAddress is reached from this machine only.
const defaultAddress = "127.0.0.1:8080"

type settings struct {
	address string
}

// parse reads the settings: a flag counts before its environment variable, and
// that before the default.
func parse(arguments []string, env func(string) string, output io.Writer) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("crdlab", flag.ContinueOnError)
	flags.SetOutput(output)
	address := env("CRDLAB_ADDR")
	if address == "" {
		address = defaultAddress
	}
	flags.StringVar(&s.address, "addr", address, "`host:port` to listen on (environment: CRDLAB_ADDR)")
	if err := flags.Parse(arguments); err != nil {
		return s, err
	}
	if flags.NArg() > 0 {
		return s, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	return s, nil
}
