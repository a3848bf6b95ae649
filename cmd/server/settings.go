package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/crdlab/crdlab/internal/httpapi"
)

// defaultAddress is reached from this machine only.
const defaultAddress = "127.0.0.1:8080"

type settings struct {
	address string
	// store is the address of the store of short links; empty means the
	// default one, if that can be opened.
	store         string
	shareLimit    int64
	shareLifetime time.Duration
	publicURL     string
	// operatorToken comes from the environment only: arguments are seen by
	// everybody on the machine.
	operatorToken string
}

// parse reads the settings: a flag counts before its environment variable, and
// that before the default.
func parse(arguments []string, env func(string) string, output io.Writer) (settings, error) {
	s := settings{operatorToken: env("CRDLAB_OPERATOR_TOKEN")}
	flags := flag.NewFlagSet("crdlab", flag.ContinueOnError)
	flags.SetOutput(output)
	fallback := func(name, otherwise string) string {
		if value := env(name); value != "" {
			return value
		}
		return otherwise
	}
	limit, errLimit := strconv.ParseInt(fallback("CRDLAB_SHARE_LIMIT", strconv.Itoa(httpapi.ShareLimit)), 10, 64)
	lifetime, errLifetime := time.ParseDuration(fallback("CRDLAB_SHARE_LIFETIME", "0s"))
	if err := errors.Join(errLimit, errLifetime); err != nil {
		return s, fmt.Errorf("CRDLAB_SHARE_LIMIT or CRDLAB_SHARE_LIFETIME: %w", err)
	}
	flags.StringVar(&s.address, "addr", fallback("CRDLAB_ADDR", defaultAddress), "`host:port` to listen on (environment: CRDLAB_ADDR)")
	flags.StringVar(&s.store, "store", env("CRDLAB_STORE"), "where short links are kept: bbolt:///path/to/file, postgres://…, memory: or none (environment: CRDLAB_STORE; default: a file in your data directory)")
	flags.Int64Var(&s.shareLimit, "share-limit", limit, "`bytes` of JSON that a shared scenario may have (environment: CRDLAB_SHARE_LIMIT)")
	flags.DurationVar(&s.shareLifetime, "share-lifetime", lifetime, "how long a short link leads somewhere, 0 for ever (environment: CRDLAB_SHARE_LIFETIME)")
	flags.StringVar(&s.publicURL, "public-url", env("CRDLAB_PUBLIC_URL"), "`URL` that short links begin with, by default what the client called the server (environment: CRDLAB_PUBLIC_URL)")
	if err := flags.Parse(arguments); err != nil {
		return s, err
	}
	if flags.NArg() > 0 {
		return s, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if s.shareLimit <= 0 || s.shareLifetime < 0 {
		return s, errors.New("the limit of shared scenarios has to be positive, and their lifetime not negative")
	}
	s.publicURL = strings.TrimSuffix(s.publicURL, "/")
	return s, nil
}

// defaultStore is the address of a file in the user's data directory, which is
// made if need be.
func defaultStore(env func(string) string) (string, error) {
	directory := env("XDG_DATA_HOME")
	if directory == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		directory = filepath.Join(home, ".local", "share")
	}
	directory = filepath.Join(directory, "crdlab")
	if err := os.MkdirAll(directory, 0o700); err != nil {
		return "", err
	}
	return "bbolt://" + filepath.ToSlash(filepath.Join(directory, "crdlab.db")), nil
}
