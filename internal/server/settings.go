package server

import (
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/crdlab/crdlab/internal/httpapi"
)

// defaultAddress accepts connections from the local machine only.
const defaultAddress = "127.0.0.1:8080"

// Default rate limits per client and minute. A page without WebAssembly sends an
// evaluation at every pause in typing.
const (
	defaultEvaluateRate = 600
	defaultShareRate    = 60
	defaultReadRate     = 3000
)

// Default quotas of short links in bytes. The total suits the volume of 1 GiB in
// deploy/file. A client needs 16 days to fill it.
const (
	defaultShareQuota       = 512 << 20
	defaultShareClientQuota = 32 << 20
)

// defaultDrain lets busy clients learn that their connection will be closed.
const defaultDrain = time.Second

// Environment variables of settings without a flag. An operator token in a flag would
// be visible in process lists. The webhook settings are read by child processes, whose
// environment contains no other variables.
const (
	operatorTokenVariable   = "CRDLAB_OPERATOR_TOKEN"
	storeVariable           = "CRDLAB_STORE" // of the flag --store, whose value may contain a password
	webhooksVariable        = "CRDLAB_WEBHOOKS"
	webhookNetworksVariable = "CRDLAB_WEBHOOK_NETWORKS"
)

type settings struct {
	address string
	// metricsAddress is the listen address for metrics, or "" for no metrics.
	metricsAddress string
	// store is the address of the short-link store. If it is empty, the server
	// tries the default store.
	store         string
	shareLimit    int64
	shareLifetime time.Duration
	// shareQuota limits all short links, and shareClientQuota a client's links per day,
	// both in bytes.
	shareQuota, shareClientQuota int64
	publicURL                    string
	clients                      httpapi.Clients
	drain                        time.Duration
	operatorToken                string
	// programs is the directory of the programs of older releases.
	programs string
	// logFormat is logText, logJSON or "".
	logFormat string
}

// parse reads the settings. A flag overrides its environment variable, which
// overrides the default.
func parse(arguments []string, env func(string) string, output io.Writer) (settings, error) {
	env, err := withSecretFiles(env)
	if err != nil {
		return settings{}, err
	}
	s := settings{operatorToken: env(operatorTokenVariable)}
	flags := s.flags()
	flags.SetOutput(output)
	flags.VisitAll(func(f *pflag.Flag) { f.Usage += " (environment: " + variableOf(f) + ")" })
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
		return s, errors.New("the share limit must be positive")
	}
	if s.shareLifetime < 0 || s.shareQuota < 0 || s.shareClientQuota < 0 || s.drain < 0 || s.clients.Evaluations < 0 || s.clients.Shares < 0 || s.clients.Reads < 0 {
		return s, errors.New("durations, rates and quotas must not be negative")
	}
	s.publicURL = strings.TrimSuffix(s.publicURL, "/")
	return s, nil
}

// flags defines the flags. Their usage strings are also the table of settings in
// docs/self-hosting.md.
func (s *settings) flags() *pflag.FlagSet {
	flags := pflag.NewFlagSet("crdlab", pflag.ContinueOnError)
	flags.StringVar(&s.address, "addr", defaultAddress, "listen on `host:port`")
	flags.StringVar(&s.metricsAddress, "metrics-addr", "", "serve Prometheus metrics at /metrics on `host:port`; no metrics if empty")
	flags.StringVar(&s.store, "store", "", "store short links at this `address`: file:///path/to/folder, postgres://…, memory: or none; if empty, in your data directory")
	flags.Int64Var(&s.shareLimit, "share-limit", httpapi.ShareLimit, "maximum size of a shared scenario in `bytes` of JSON")
	flags.DurationVar(&s.shareLifetime, "share-lifetime", httpapi.ShareLifetime, "`duration` until a short link expires, counted from the last time it was created or opened; 0 means never")
	flags.Int64Var(&s.shareQuota, "share-quota", defaultShareQuota, "limit of all short links in `bytes`; 0 means no limit")
	flags.Int64Var(&s.shareClientQuota, "share-client-quota", defaultShareClientQuota, "limit of shared scenarios in `bytes` per client and day; 0 means no limit")
	flags.StringVar(&s.publicURL, "public-url", "", "`URL` of this server in short links; if empty, the host of the request")
	flags.IntVar(&s.clients.Evaluations, "evaluate-rate", defaultEvaluateRate, "limit of evaluations in `requests` per client and minute, also allowed in one burst; an evaluation counts once for each 50 ms that it takes; 0 means no limit, also for concurrent evaluations of one client")
	flags.IntVar(&s.clients.Shares, "share-rate", defaultShareRate, "limit of shared scenarios in `requests` per client and minute, also allowed in one burst; 0 means no limit")
	flags.IntVar(&s.clients.Reads, "read-rate", defaultReadRate, "limit of pages and links in `requests` per client and minute, also allowed in one burst; 0 means no limit")
	flags.Func("trusted-proxies", "comma-separated `networks` of reverse proxies, such as 10.0.0.0/8; the server trusts X-Forwarded-For and X-Forwarded-Proto only from these", s.setProxies)
	flags.DurationVar(&s.drain, "drain", defaultDrain, "`duration` for which a stopping server still accepts requests while it reports that it is not ready")
	flags.Func("log-format", "`format` of the log: text or json; if empty, text on a terminal, and otherwise json", s.setLogFormat)
	flags.StringVar(&s.programs, "programs", "", "`directory` of the verdict programs of older Kubernetes releases; if empty, the directory programs beside the program, or else the one in which crdlab releases add stores them")
	return flags
}

// Flags returns the flags of the server, which hold their defaults.
func Flags() *pflag.FlagSet { return new(settings).flags() }

// The values of the flag --log-format.
const (
	logText = "text"
	logJSON = "json"
)

func (s *settings) setLogFormat(value string) error {
	if value != logText && value != logJSON && value != "" {
		return fmt.Errorf("must be %s or %s", logText, logJSON)
	}
	s.logFormat = value
	return nil
}

func (s *settings) setProxies(value string) error {
	s.clients.TrustedProxies = nil
	for _, item := range splitList(value) {
		network, err := netip.ParsePrefix(item)
		if err != nil {
			return err
		}
		s.clients.TrustedProxies = append(s.clients.TrustedProxies, network)
	}
	return nil
}

// variableOf returns the environment variable of a flag: CRDLAB_SHARE_LIMIT for
// --share-limit.
func variableOf(f *pflag.Flag) string {
	return "CRDLAB_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
}

// setFromEnvironment sets flags to the values of their environment variables.
func setFromEnvironment(flags *pflag.FlagSet, env func(string) string) error {
	var errs []error
	flags.VisitAll(func(f *pflag.Flag) {
		if value := env(variableOf(f)); value != "" {
			if err := f.Value.Set(value); err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", variableOf(f), err))
			}
		}
	})
	return errors.Join(errs...)
}

// defaultStore returns the address of a folder in the user's data directory. It creates
// this directory if necessary.
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
	return "file://" + filepath.ToSlash(filepath.Join(directory, "crdlab")), nil
}
