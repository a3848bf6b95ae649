package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/crdlab/crdlab/internal/httpapi"
)

// defaultAddress is reached from this machine only.
const defaultAddress = "127.0.0.1:8080"

// What one client may ask for by default, at once and in a minute. The page asks
// the server at each pause in typing if it cannot evaluate by itself.
const (
	defaultEvaluateRate = 600
	defaultShareRate    = 60
)

// defaultDrain is long enough for whoever is asking at the moment to be told
// that the connection ends.
const defaultDrain = time.Second

type settings struct {
	address string
	// metricsAddress is where metrics are served; nowhere if it is empty.
	metricsAddress string
	// store is the address of the store of short links; empty means the
	// default one, if that can be opened.
	store         string
	shareLimit    int64
	shareLifetime time.Duration
	publicURL     string
	clients       httpapi.Clients
	drain         time.Duration
	// operatorToken comes from the environment only: arguments are seen by
	// everybody on the machine.
	operatorToken string
}

// parse reads the settings: a flag counts before its environment variable, and
// that before the default.
func parse(arguments []string, env func(string) string, output io.Writer) (settings, error) {
	s := settings{operatorToken: env("CRDLAB_OPERATOR_TOKEN")}
	flags := s.flags()
	flags.SetOutput(output)
	if err := setFromEnvironment(flags, env); err != nil {
		return s, err
	}
	if err := flags.Parse(arguments); err != nil {
		return s, err
	}
	if flags.NArg() > 0 {
		return s, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if s.shareLimit <= 0 {
		return s, errors.New("the limit of shared scenarios has to be positive")
	}
	if s.shareLifetime < 0 || s.drain < 0 || s.clients.Evaluations < 0 || s.clients.Shares < 0 {
		return s, errors.New("no time and no rate may be negative")
	}
	s.publicURL = strings.TrimSuffix(s.publicURL, "/")
	return s, nil
}

func (s *settings) flags() *flag.FlagSet {
	flags := flag.NewFlagSet("crdlab", flag.ContinueOnError)
	flags.StringVar(&s.address, "addr", defaultAddress, "`host:port` to listen on (environment: CRDLAB_ADDR)")
	flags.StringVar(&s.metricsAddress, "metrics-addr", "", "`host:port` to serve Prometheus metrics on, at /metrics; none if empty (environment: CRDLAB_METRICS_ADDR)")
	flags.StringVar(&s.store, "store", "", "where short links are kept: bbolt:///path/to/file, postgres://…, memory: or none (environment: CRDLAB_STORE; default: a file in your data directory)")
	flags.Int64Var(&s.shareLimit, "share-limit", httpapi.ShareLimit, "`bytes` of JSON that a shared scenario may have (environment: CRDLAB_SHARE_LIMIT)")
	flags.DurationVar(&s.shareLifetime, "share-lifetime", 0, "how long a short link leads somewhere, 0 for ever (environment: CRDLAB_SHARE_LIFETIME)")
	flags.StringVar(&s.publicURL, "public-url", "", "`URL` that short links begin with, by default what the client called the server (environment: CRDLAB_PUBLIC_URL)")
	flags.IntVar(&s.clients.Evaluations, "evaluate-rate", defaultEvaluateRate, "how many `scenarios` one client may have evaluated at once, and in each minute; 0 for any number (environment: CRDLAB_EVALUATE_RATE)")
	flags.IntVar(&s.clients.Shares, "share-rate", defaultShareRate, "the same for sharing `scenarios` (environment: CRDLAB_SHARE_RATE)")
	flags.Func("trusted-proxies", "`networks` of reverse proxies whose X-Forwarded-For and X-Forwarded-Proto are believed, separated by commas, such as 10.0.0.0/8 (environment: CRDLAB_TRUSTED_PROXIES)", s.setProxies)
	flags.DurationVar(&s.drain, "drain", defaultDrain, "how long to go on answering, no longer ready, when told to stop (environment: CRDLAB_DRAIN)")
	return flags
}

func (s *settings) setProxies(text string) error {
	s.clients.TrustedProxies = nil
	for _, text := range list(text) {
		network, err := netip.ParsePrefix(text)
		if err != nil {
			return err
		}
		s.clients.TrustedProxies = append(s.clients.TrustedProxies, network)
	}
	return nil
}

// setFromEnvironment gives each flag the value of its environment variable.
func setFromEnvironment(flags *flag.FlagSet, env func(string) string) error {
	var errs []error
	flags.VisitAll(func(f *flag.Flag) {
		name := "CRDLAB_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		if value := env(name); value != "" {
			if err := f.Value.Set(value); err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", name, err))
			}
		}
	})
	return errors.Join(errs...)
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
