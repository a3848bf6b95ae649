package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/spf13/cobra"
	genericapiserver "k8s.io/apiserver/pkg/server"
	restclient "k8s.io/client-go/rest"

	"github.com/crdlab/crdlab/internal/apiserver"
	"github.com/crdlab/crdlab/internal/controlplane"
	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/engine/release"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/memetcd"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/share"
)

// apiserverFlags holds the flags of the command apiserver.
type apiserverFlags struct {
	address, kubeconfig string
	release             string
	data                string
	keepGoing           bool
	validate            string
	remoteWebhooks      bool
	explain             bool
	pageURL             string
}

func newAPIServer() *cobra.Command {
	var flags apiserverFlags
	command := &cobra.Command{
		Use:   "apiserver [PATH...] [-- COMMAND...]",
		Short: "Serve the API of a cluster for custom resources",
		Long: `Start an API server for kubectl, controllers and tests, and create the CRDs and objects at the
paths. It is the API server's own code for CustomResourceDefinitions, custom resources, admission
policies and webhooks. The objects are in memory, and gone when the server ends. With --data, they
are in files, too: a server with the same directory continues with them, and applies the documents.

With a COMMAND, the command runs with KUBECONFIG set, and the server ends with it and with its
exit status. Otherwise the server runs until it is interrupted.

The server also has the Namespaces, ConfigMaps, Deployments, roles and other kinds of a cluster,
but runs no pods and none of the controllers of a cluster. For example, a deleted namespace
stays in the phase Terminating.

For an older Kubernetes release, the server is the kube-apiserver of that release with etcd. The first
start downloads both, as setup-envtest does. This server calls webhooks on other machines, too.

` + inputHelp + ` A
PATH can also be a link to the page that contains the documents.`,
		Example: `  crdlab apiserver config/crd
  crdlab apiserver config/crd -- kubectl apply -f config/samples
  crdlab apiserver config/crd -- go test ./...
  crdlab apiserver --explain --data ./cluster
  crdlab apiserver --kubernetes 1.34 config/crd`,
		Args: cobra.ArbitraryArgs,
		RunE: runE(func(command *cobra.Command, arguments []string) (int, error) {
			paths, program := arguments, []string(nil)
			if dash := command.ArgsLenAtDash(); dash >= 0 {
				if paths, program = arguments[:dash], arguments[dash:]; len(program) == 0 {
					return 0, usageError("there is no command after --: use %s", command.UseLine())
				}
			}
			return runAPIServer(command, flags, paths, program)
		}),
	}
	command.Flags().StringVar(&flags.address, "address", "127.0.0.1:0", "`address` to listen on; with port 0, a free port")
	command.Flags().StringVar(&flags.kubeconfig, "kubeconfig", "", "`file` to write the kubeconfig to; if empty, one in the directory of --data or a temporary file")
	addRelease(command, &flags.release)
	command.Flags().StringVar(&flags.data, "data", "", "`directory` to keep the objects in; if empty, they are in memory")
	command.Flags().BoolVar(&flags.keepGoing, "keep-going", false, "serve even if the server refuses documents at the paths")
	addChoice(command, &flags.validate, "validate", "", "`mode` of field validation for the documents, as in kubectl", "strict", "warn", "ignore")
	command.Flags().BoolVar(&flags.remoteWebhooks, "remote-webhooks", false, "call webhooks on other machines, too")
	command.Flags().BoolVar(&flags.explain, "explain", false, "print why the server refuses or alters custom resources and CRDs")
	command.Flags().StringVar(&flags.pageURL, "page-url", os.Getenv(pageVariable), "`URL` of the page, for links of --explain (environment: "+pageVariable+")")
	return command
}

func runAPIServer(command *cobra.Command, flags apiserverFlags, paths, program []string) (status int, err error) {
	if len(program) > 0 {
		if _, err := exec.LookPath(program[0]); err != nil {
			return 0, usageError("the command %s cannot be run: %w", program[0], errors.Unwrap(err))
		}
	}
	in, err := readCluster(command, flags.release, paths)
	if err != nil {
		return 0, err
	}
	if len(in.Problems) > 0 && !flags.keepGoing {
		return statusUsage, nil
	}
	server, err := startServer(command, flags)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, server.stop()) }()
	refused, err := createDocuments(command, server.config, flags, in)
	if err != nil {
		return 0, err
	}
	if refused > 0 && !flags.keepGoing {
		return statusFindings, nil
	}
	// A program that waits for the file finds everything there.
	kubeconfig, remove, err := writeKubeconfig(server.config, flags)
	if err != nil {
		return 0, err
	}
	defer remove()
	if len(program) > 0 {
		return runWithKubeconfig(command, program, kubeconfig)
	}
	end := " and removes its data"
	if flags.data != "" {
		end = ""
	}
	fmt.Fprintf(command.OutOrStdout(), readyText, server.config.Host, kubeconfig, end)
	select {
	case <-command.Context().Done():
		return statusAccepted, nil
	case err := <-server.ended:
		return 0, err
	}
}

// readCluster returns the documents at paths. A link to the page stands for the documents that it
// contains. If they are an update, only the existing ones are in the cluster.
func readCluster(command *cobra.Command, kubernetes string, paths []string) (*manifest.Input, error) {
	var links []playground.Scenario
	var others []string
	for _, path := range paths {
		scenario, ok, err := share.FromLink(path)
		switch {
		case err != nil:
			return nil, usageError("%w", err)
		case ok:
			links = append(links, scenario)
		default:
			others = append(others, path)
		}
	}
	in := readManifests(command, others)
	for i, s := range links {
		crd, object := s.CRD, s.Object
		if s.OldCRD != "" || s.OldObject != "" {
			crd, object = cmp.Or(s.OldCRD, s.CRD), s.OldObject
			notify(command, "the link contains an update: the server starts with the existing documents; apply the new ones with kubectl")
		}
		if wanted := cmp.Or(s.Kubernetes, release.Name(playground.NewestMinor)); wanted != kubernetes {
			notify(command, "the link selects Kubernetes %s, but this server is Kubernetes %s; use --kubernetes %s", wanted, kubernetes, wanted)
		}
		link := fmt.Sprintf("link %d: ", i+1)
		in.Add(link+"crd.yaml", crd)
		in.Add(link+"object.yaml", object)
		in.Add(link+"admission.yaml", s.Admission)
	}
	in.Documents = slices.DeleteFunc(in.Documents, func(d *manifest.Document) bool { return d.Kind.Kind == "AdmissionReview" })
	return in, nil
}

// A running server is one of this program, or of another release.
type running struct {
	config *restclient.Config
	// ended receives the error that ends the server.
	ended <-chan error
	stop  func() error
}

// startServer starts the server that the flags describe, and returns when it is ready.
func startServer(command *cobra.Command, flags apiserverFlags) (running, error) {
	host, _, err := net.SplitHostPort(flags.address)
	if err != nil {
		return running{}, usageError("--address: %w", err)
	}
	if address := net.ParseIP(host); host == "" || address.IsUnspecified() {
		host = "localhost"
	}
	listener, err := (&net.ListenConfig{}).Listen(command.Context(), "tcp", flags.address)
	if err != nil {
		return running{}, usageError("--address: %w", err)
	}
	if flags.release != release.Name(playground.NewestMinor) {
		return startRelease(command, flags, listener)
	}
	server, err := newServer(command, flags, listener, host)
	if err != nil {
		return running{}, err
	}
	// The server ends with the process: nothing is worth the time of an orderly end.
	ended := make(chan error, 1)
	go func() { ended <- server.Run(context.WithoutCancel(command.Context())) }()
	select {
	case <-server.Ready():
		collectOften()
		return running{server.Config, ended, func() error { return nil }}, nil
	case err := <-ended:
		return running{}, err
	}
}

// startRelease starts the server of another release at the address of a listener, which it closes.
func startRelease(command *cobra.Command, flags apiserverFlags, listener net.Listener) (running, error) {
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		return running{}, err
	}
	for _, name := range []string{"data", "explain"} {
		if command.Flags().Changed(name) {
			return running{}, usageError("--%s is not possible with the server of Kubernetes %s", name, flags.release)
		}
	}
	programs, err := releasePrograms(command, flags.release)
	if err != nil {
		return running{}, err
	}
	server, err := controlplane.Start(command.Context(), programs, address)
	if err != nil {
		return running{}, usageError("the programs in %s do not start: %w", programs, err)
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Wait() }()
	return running{server.Config, ended, server.Stop}, nil
}

// addRelease adds the flag for the release of a server.
func addRelease(command *cobra.Command, name *string) {
	command.Flags().StringVarP(name, "kubernetes", "k", release.Name(playground.NewestMinor), "Kubernetes `release` of the server")
	completeFlag(command, "kubernetes", completeKubernetes)
}

// releasePrograms returns the directory with kube-apiserver and etcd of another release.
func releasePrograms(command *cobra.Command, name string) (directory string, err error) {
	if err := validateRelease(name); err != nil {
		return "", err
	}
	source, err := controlplane.NewSource(func(patch string) {
		notify(command, "downloading kube-apiserver and etcd of Kubernetes %s", patch)
	})
	if err != nil {
		return "", usageError("there is no directory for the programs: %w", err)
	}
	if directory, err = source.Programs(command.Context(), name); err != nil {
		return "", usageError("kube-apiserver and etcd of Kubernetes %s: %w", name, err)
	}
	return directory, nil
}

// newServer returns the server of this program.
func newServer(command *cobra.Command, flags apiserverFlags, listener net.Listener, host string) (*apiserver.Server, error) {
	collectSeldom()
	var err error
	options := apiserver.Options{Serving: &genericapiserver.SecureServingInfo{Listener: listener}, Host: host, Release: engine.Library, RemoteWebhooks: flags.remoteWebhooks}
	if flags.data != "" {
		if err := os.MkdirAll(flags.data, 0o700); err != nil {
			return nil, usageError("--data: %w", err)
		}
		if options.Data, err = memetcd.Open(filepath.Join(flags.data, "objects.db")); err != nil {
			return nil, usageError("--data: %w", err)
		}
	}
	if flags.explain {
		e := &explainer{out: command.ErrOrStderr(), engine: engine.New()}
		if flags.pageURL != "" {
			if e.page, err = pageAddress(flags.pageURL); err != nil {
				return nil, err
			}
		}
		options.Explain = e.explain
	}
	return apiserver.New(options)
}

// readyText has the address of the server, the path of its kubeconfig, and what Ctrl+C does to the data.
const readyText = `The API server is ready at %s. In another terminal:

  export KUBECONFIG=%s
  kubectl get crds

Ctrl+C ends the server%s.
`

// createDocuments creates the documents of an input, CRDs first. It prints the warnings of the server and a
// line for each document that it refuses, and returns their number.
func createDocuments(command *cobra.Command, config *restclient.Config, flags apiserverFlags, in *manifest.Input) (refused int, err error) {
	config = restclient.CopyConfig(config)
	config.WarningHandler = restclient.NewWarningWriter(command.ErrOrStderr(), restclient.WarningWriterOptions{})
	creator, err := apiserver.NewCreator(config, apiserver.CreatorOptions{Applies: flags.data != "", FieldValidation: string(fieldValidations[flags.validate])})
	if err != nil {
		return 0, err
	}
	documents := slices.Clone(in.Documents)
	slices.SortStableFunc(documents, func(a, b *manifest.Document) int { return creationOrder(a) - creationOrder(b) })
	for _, d := range documents {
		err := creator.Create(command.Context(), d.Text)
		if interrupt := command.Context().Err(); interrupt != nil {
			return refused, interrupt
		}
		if err != nil {
			notify(command, "%s:%d: %s %q: %v", d.File.Path, d.Line+1, d.Kind.Kind, d.Name, err)
			refused++
		}
	}
	if refused > 0 {
		notify(command, "the server refused %d of %d documents; crdlab check explains them", refused, len(documents))
	}
	return refused, nil
}

// creationOrder sorts what other documents need before them.
func creationOrder(d *manifest.Document) int {
	switch {
	case d.Kind.Kind == "Namespace" && d.Kind.Group == "":
		return 0
	case d.IsCRD:
		return 1
	}
	return 2
}

// writeKubeconfig writes a kubeconfig that only its owner can read. It returns the path, and a
// function that removes the file.
func writeKubeconfig(config *restclient.Config, flags apiserverFlags) (path string, remove func(), err error) {
	data, err := apiserver.Kubeconfig(config)
	if err != nil {
		return "", nil, err
	}
	path, directory := flags.kubeconfig, ""
	switch {
	case path != "":
	case flags.data != "": // A server that was killed has left its file.
		path = filepath.Join(flags.data, "kubeconfig")
		_ = os.Remove(path)
	default:
		if directory, err = os.MkdirTemp("", "crdlab-apiserver-"); err != nil {
			return "", nil, err
		}
		path = filepath.Join(directory, "kubeconfig")
	}
	if path, err = filepath.Abs(path); err != nil {
		return "", nil, err
	}
	// An existing file may have the user's other clusters.
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", nil, usageError("--kubeconfig: %w", err)
	}
	_, err = file.Write(data)
	if err := errors.Join(err, file.Close()); err != nil {
		return "", nil, usageError("--kubeconfig: %w", err)
	}
	return path, func() {
		_ = os.Remove(path)
		if directory != "" {
			_ = os.Remove(directory)
		}
	}, nil
}

// runWithKubeconfig runs a command and returns its exit status.
func runWithKubeconfig(command *cobra.Command, program []string, kubeconfig string) (int, error) {
	child := exec.CommandContext(command.Context(), program[0], program[1:]...)
	child.Cancel = func() error { return child.Process.Signal(syscall.SIGTERM) }
	child.Env = append(child.Environ(), "KUBECONFIG="+kubeconfig)
	child.Stdin, child.Stdout, child.Stderr = command.InOrStdin(), command.OutOrStdout(), command.ErrOrStderr()
	err := child.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() > 0 {
		return exit.ExitCode(), nil
	}
	return statusAccepted, err
}
