// Command crdlab judges CustomResourceDefinitions and objects as a Kubernetes API server
// does. Without a subcommand, it serves the playground, except on a terminal.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/crdlab/crdlab/internal/server"
)

// version is the release or commit of this build. The linker sets it.
var version = "unknown"

func main() {
	// "go install" sets no version by the linker.
	if info, ok := debug.ReadBuildInfo(); ok && version == "unknown" && released.MatchString(info.Main.Version) {
		version = info.Main.Version
	}
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run runs the program with its command line and returns the exit status.
func run(arguments []string, in io.Reader, out, errors io.Writer) int {
	name := nameOf(os.Args[0])
	if standIn := standIns[name]; standIn != nil {
		return standIn.run(arguments, out, errors)
	}
	// kubectl runs the program kubectl-crdlab for "kubectl crdlab".
	plugin := name == "kubectl-crdlab"
	if plugin && len(arguments) == 0 {
		arguments = []string{"help"}
	}
	if len(arguments) == 0 && isInteractive(in, out) {
		fmt.Fprint(out, overview)
		return statusAccepted
	}
	if isServer(arguments) {
		return server.Program{Version: version}.Main(arguments)
	}
	root := newRoot()
	if plugin {
		root.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl crdlab"}
	}
	root.SetArgs(arguments)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errors)
	ctx, stop := notifyContext()
	defer stop()
	err := root.ExecuteContext(ctx)
	if ctx.Err() != nil && statusOf(err) >= statusUsage { // The input or the work is incomplete.
		return statusInterrupted
	}
	if message := messageOf(err); message != "" {
		fmt.Fprintln(errors, "crdlab:", message)
	}
	return statusOf(err)
}

// notifyContext returns a context that ends when the user or the system ends the program.
func notifyContext() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
}

// helpFlags lists the flags that print the help of the program.
var helpFlags = []string{"-h", "--help"}

// isServer reports whether a command line without the name of a command serves. The children of
// the server are commands that users never enter.
func isServer(arguments []string) bool {
	if len(arguments) == 0 {
		return true
	}
	switch first := arguments[0]; first {
	case server.EvaluateCommand:
		return true
	default:
		return strings.HasPrefix(first, "-") && first != "--version" && !slices.Contains(helpFlags, first)
	}
}

// overview is the output of the program without arguments.
const overview = `crdlab check PATH...    judge CRDs and objects as a Kubernetes API server does
crdlab open [PATH...]   open the playground in a browser, with the files
crdlab test PATH...     test CRDs and their rules with expectations in comments
crdlab explain PATH...  print what kubectl explain prints; also sample, diff, cost and more
crdlab help             list all commands; "crdlab serve" serves the playground
`

const description = `crdlab judges CustomResourceDefinitions and objects as a Kubernetes API server does,
with the API server's own code and messages.

"crdlab serve" serves the playground, and "crdlab serve --help" lists its flags. They need
no command: "crdlab --addr :8080". Without any argument, crdlab serves unless it runs on a
terminal.

The exit status is 0 if everything is accepted, 1 for findings, 2 for a wrong command
line, unusable input or input without a CRD, and 3 for an error of crdlab.`

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:     "crdlab",
		Short:   "Judges CRDs and objects as a Kubernetes API server does",
		Long:    description,
		Version: version,
		// main prints errors, and no usage after them.
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetVersionTemplate("crdlab {{.Version}}\n")
	root.AddCommand(
		newAPIServer(), newCheck(), newCRDTest(), newDiff(), newEnvtest(), newEval(), newGenerate(), newInit(), newLink(), newLinks(),
		newLSP(), newMan(), newMCP(), newOpen(), newPlan(), newReleases(), newSample(), newServe(), newStatic(), newTest(), newUpgradeCheck(), newVersion(),
	)
	root.AddCommand(newPrinters()...)
	explainArguments(root)
	return root
}

// explainArguments lets a wrong number of arguments print the usage of the command, in place
// of cobra's count.
func explainArguments(command *cobra.Command) {
	if check := command.Args; check != nil {
		command.Args = func(command *cobra.Command, arguments []string) error {
			if check(command, arguments) != nil {
				return usageError("wrong number of arguments: use %s", command.UseLine())
			}
			return nil
		}
	}
	for _, child := range command.Commands() {
		explainArguments(child)
	}
}

// Exit statuses.
const (
	statusAccepted = 0
	statusFindings = 1
	statusUsage    = 2
	statusFailed   = 3
	// statusInterrupted is the status of programs that an interrupt ends, as in shells.
	statusInterrupted = 130
)

// An exitError ends the program with a status. Without an error, it prints nothing.
type exitError struct {
	status int
	err    error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit status %d", e.status)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// usageError returns the error of a wrong command line.
func usageError(format string, arguments ...any) error {
	return &exitError{statusUsage, fmt.Errorf(format, arguments...)}
}

// commandFunc runs a command and returns the exit status. An error without a status is an
// error of crdlab.
type commandFunc func(command *cobra.Command, arguments []string) (status int, err error)

// runE returns the function that cobra calls. Its errors have an exit status, in contrast to
// the errors of cobra, which are about the command line.
func runE(run commandFunc) func(*cobra.Command, []string) error {
	return func(command *cobra.Command, arguments []string) error {
		status, err := run(command, arguments)
		switch withStatus := (*exitError)(nil); {
		case errors.As(err, &withStatus):
			return withStatus
		case err != nil:
			return &exitError{statusFailed, err}
		case status != statusAccepted:
			return &exitError{status: status}
		}
		return nil
	}
}

func statusOf(err error) int {
	if err == nil {
		return statusAccepted
	}
	if withStatus := (*exitError)(nil); errors.As(err, &withStatus) {
		return withStatus.status
	}
	return statusUsage
}

// messageOf returns the message of an error, or "" if there is nothing to print.
func messageOf(err error) string {
	if withStatus := (*exitError)(nil); err == nil || errors.As(err, &withStatus) && withStatus.err == nil {
		return ""
	}
	return err.Error()
}
