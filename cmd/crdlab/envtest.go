package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/crdlab/crdlab/internal/apiserver"
	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/engine/release"
	"github.com/crdlab/crdlab/internal/playground"
)

// A standIn runs in the place of another program until ctx ends.
type standIn func(ctx context.Context, arguments []string, out, errors io.Writer) error

// standIns has what this program runs if it has the name of another, which tests with envtest start.
var standIns = map[string]standIn{
	"etcd":           runEtcd,
	"kube-apiserver": runKubeAPIServer,
}

// nameOf returns the name of a program without its directory and extension.
func nameOf(program string) string { return strings.TrimSuffix(filepath.Base(program), ".exe") }

func newEnvtest() *cobra.Command {
	var kubernetes string
	command := &cobra.Command{
		Use:   "envtest",
		Short: "Run tests with envtest on crdlab",
		Long: `Print a directory with the programs that envtest of controller-runtime starts: kube-apiserver and
etcd. Both are crdlab, and the server is that of "crdlab apiserver". The tests need no change.

The directory is in your cache. It also has a link to kubectl if your PATH has one.

The server authenticates the users that tests add, and roles decide what they may do. It runs the
default admission plugins of kube-apiserver, except ServiceAccount, ResourceQuota, those for
volumes and some for new features. With AttachControlPlaneOutput, the server names the flags and
admission plugins that have no effect.

For an older Kubernetes release, the programs are those that the Kubernetes project builds for envtest.
They are where setup-envtest keeps them, or else downloaded.`,
		Example: `  KUBEBUILDER_ASSETS=$(crdlab envtest) go test ./...
  KUBEBUILDER_ASSETS=$(crdlab envtest --kubernetes 1.34) go test ./...`,
		Args: cobra.NoArgs,
		RunE: runE(func(command *cobra.Command, _ []string) (int, error) {
			find := linkStandIns
			if kubernetes != release.Name(playground.NewestMinor) {
				find = func() (string, error) { return releasePrograms(command, kubernetes) }
			}
			directory, err := find()
			if err != nil {
				return 0, err
			}
			fmt.Fprintln(command.OutOrStdout(), directory)
			return statusAccepted, nil
		}),
	}
	addRelease(command, &kubernetes)
	return command
}

// linkStandIns returns the directory with links to this program under the names of [standIns], and
// to kubectl.
func linkStandIns() (directory string, err error) {
	program, err := os.Executable()
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", usageError("there is no directory for the programs: %w", err)
	}
	directory = filepath.Join(cache, "crdlab", "envtest", version)
	if err := os.MkdirAll(directory, 0o755); err != nil {
		return "", usageError("there is no directory for the programs: %w", err)
	}
	targets := map[string]string{}
	for name := range standIns {
		targets[name+filepath.Ext(program)] = program
	}
	if kubectl, err := exec.LookPath("kubectl"); err == nil {
		if targets[filepath.Base(kubectl)], err = filepath.Abs(kubectl); err != nil {
			return "", err
		}
	}
	for name, target := range targets {
		if err := setLink(target, filepath.Join(directory, name)); err != nil {
			return "", usageError("the programs cannot be linked: %w", err)
		}
	}
	return directory, nil
}

// setLink makes path a link to target. Another process may do the same at the same time.
func setLink(target, path string) error {
	if existing, err := os.Readlink(path); err == nil && existing == target {
		return nil
	}
	temporary, err := os.MkdirTemp(filepath.Dir(path), ".link-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temporary) }()
	fresh := filepath.Join(temporary, filepath.Base(path))
	if err := os.Symlink(target, fresh); err != nil {
		return err
	}
	return os.Rename(fresh, path)
}

// run runs the program and returns its exit status.
func (s standIn) run(arguments []string, out, errout io.Writer) int {
	ctx, stop := notifyContext()
	defer stop()
	if err := s(ctx, arguments, out, errout); err != nil && !errors.Is(err, pflag.ErrHelp) {
		fmt.Fprintln(errout, "crdlab:", err)
		return statusFailed
	}
	return statusAccepted
}

// runKubeAPIServer serves with the flags of kube-apiserver until ctx ends.
func runKubeAPIServer(ctx context.Context, arguments []string, out, errors io.Writer) error {
	collectSeldom()
	options, notes, err := apiserver.FromFlags(arguments, out)
	if err != nil {
		return err
	}
	for _, note := range notes {
		fmt.Fprintln(errors, "crdlab:", note)
	}
	options.Release = engine.Library
	server, err := apiserver.New(options)
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Run(context.WithoutCancel(ctx)) }()
	select {
	case <-server.Ready():
		collectOften()
		fmt.Fprintf(errors, "crdlab: the API server is ready at %s\n", server.Config.Host)
	case err := <-ended:
		return err
	}
	select {
	case <-ctx.Done(): // The objects are in memory: nothing is worth the time of an orderly end.
		return nil
	case err := <-ended:
		return err
	}
}

// runEtcd answers whether it is healthy until ctx ends. The data is in the process of kube-apiserver.
func runEtcd(ctx context.Context, arguments []string, out, _ io.Writer) error {
	flags := pflag.NewFlagSet("etcd", pflag.ContinueOnError)
	flags.ParseErrorsAllowlist.UnknownFlags = true
	flags.SetOutput(out)
	addresses := flags.StringSlice("listen-client-urls", []string{"http://localhost:2379"}, "Addresses that answer /health.")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	http.HandleFunc("/health", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"health":"true","reason":""}`) })
	ended := make(chan error, len(*addresses))
	for _, address := range *addresses {
		at, err := url.Parse(address)
		if err != nil {
			return err
		}
		listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", at.Host)
		if err != nil {
			return err
		}
		server := http.Server{ReadHeaderTimeout: 10 * time.Second}
		go func() { ended <- server.Serve(listener) }()
	}
	select {
	case <-ctx.Done():
		return nil
	case err := <-ended:
		return err
	}
}
