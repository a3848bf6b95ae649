// Package server is the program that serves the playground: the page, its assets, the
// evaluation API and short links.
package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/crdlab/crdlab/internal/assist"
	"github.com/crdlab/crdlab/internal/confine"
	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/gotypes"
	"github.com/crdlab/crdlab/internal/httpapi"
	"github.com/crdlab/crdlab/internal/metrics"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/procpool"
	"github.com/crdlab/crdlab/internal/releases"
	"github.com/crdlab/crdlab/internal/renderer"
	"github.com/crdlab/crdlab/internal/site"
	"github.com/crdlab/crdlab/web"
)

// A Program is the server with its subcommands. Its child processes are the same
// executable file, so a program that embeds the server must pass their arguments on.
type Program struct {
	// Version is the release or commit of the build.
	Version string
	// Serving is called with the URL of the server when it accepts connections; it may be
	// nil.
	Serving func(url string)
}

// Main runs the program with its command line, without the name of the program, and
// returns the exit status. Without a subcommand, it serves.
func (p Program) Main(arguments []string) int {
	var err error
	switch {
	case len(arguments) > 0 && arguments[0] == EvaluateCommand:
		err = evaluate(arguments[1:])
	case len(arguments) == 2 && arguments[0] == StaticCommand:
		err = WriteStatic(arguments[1], "")
	default:
		err = p.run(arguments)
	}
	if err != nil && !errors.Is(err, pflag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "crdlab:", err)
		return 1
	}
	return 0
}

// serverMemory is the memory in bytes from which the server, without its children,
// collects garbage more often.
const serverMemory = 448 << 20

// run wires the parts of the server and serves until a signal stops the process.
func (p Program) run(arguments []string) error {
	if err := confine.Hide(); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	settings, err := parse(arguments, os.Getenv, os.Stderr)
	if err != nil {
		return err
	}
	if _, err := webhooks(os.Getenv); err != nil {
		return err
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(serverMemory)
	}
	log := newLog(settings.logFormat)
	sharing, closeStore, err := openSharing(ctx, settings, os.Getenv, log)
	if err != nil {
		return err
	}
	defer closeStore()
	programs := releases.Open(cmp.Or(settings.programs, releases.Directory(p.Version)))
	defer programs.Close()
	child := func() *exec.Cmd { return newChild(programs.Releases()) }
	pool := procpool.New(child, httpapi.DefaultEvaluations())
	pool.LogTo(log)
	pool.AnswerCalls(programs.Judge)
	defer pool.Close()
	// The child of this pool checks the readiness, so that a busy pool is ready.
	reserved := procpool.New(child, 1)
	defer reserved.Close()
	counts := metrics.New(Build(p.Version))
	if sharing.Store != nil {
		sharing.Store = counts.Store(sharing.Store)
	}
	app, err := newApp(settings.address, settings.metricsAddress, appConfig{
		engine:   counts.Engine(pool.Render),
		reserved: reserved.Render,
		assets:   web.Dist(),
		sharing:  sharing,
		clients:  settings.clients,
		build:    Build(p.Version),
		releases: programs.Releases(),
		observe:  counts.Observe,
		metrics:  counts.Handler(),
		drain:    settings.drain,
		log:      log,
	})
	if err != nil {
		return err
	}
	counts.Waiting(app.handler.Waiting)
	if p.Serving != nil {
		p.Serving(app.url())
	}
	return app.serve(ctx)
}

// newLog returns a log on standard error in the format of the setting. The default is text
// for terminals, and JSON for programs.
func newLog(format string) *slog.Logger {
	var handler slog.Handler = slog.NewJSONHandler(os.Stderr, nil)
	if format == logText || format == "" && term.IsTerminal(int(os.Stderr.Fd())) {
		handler = slog.NewTextHandler(os.Stderr, nil)
	}
	return slog.New(httpapi.LogRequests(handler))
}

// StaticCommand is the subcommand that writes the page for static file hosts.
const StaticCommand = "static"

// WriteStatic writes the page for static file hosts into a directory. url is the public address of
// the site, or empty.
func WriteStatic(directory, url string) error {
	e := engine.New()
	return httpapi.WriteStatic(context.Background(), web.Dist(), newRenderer(e, e.Evaluate).Render, renderSite, directory, strings.TrimSuffix(url, "/"))
}

// renderSite renders the pages beside the playground.
func renderSite(settings httpapi.SiteSettings) (map[string][]byte, error) {
	return site.Files(site.Settings(settings))
}

// EvaluateCommand is the subcommand that runs this program as a child of the pool.
const EvaluateCommand = "evaluate"

// program returns the path of this program.
func program() string {
	path, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return path
}

// newChild returns the command that starts a child of the pool. Its arguments are the
// releases that the parent can judge.
func newChild(releases []string) *exec.Cmd {
	command := exec.Command(program(), append([]string{EvaluateCommand}, releases...)...)
	// Other variables may be secrets.
	command.Env = []string{}
	for _, name := range []string{webhooksVariable, webhookNetworksVariable} {
		if value, ok := os.LookupEnv(name); ok {
			command.Env = append(command.Env, name+"="+value)
		}
	}
	return command
}

// evaluate runs a child of the pool, whose parent can judge the given releases. It ignores
// signals, because terminals and supervisors signal all processes at once, and the pool
// decides when its children end.
func evaluate(names []string) error {
	signal.Ignore(os.Interrupt, syscall.SIGTERM)
	webhooks, err := webhooks(os.Getenv)
	if err != nil {
		return err
	}
	e := engine.NewWithWebhooks(webhooks)
	return procpool.Serve(os.Stdin, os.Stdout, len(webhooks.URLs) > 0, func(call procpool.Call) procpool.Render {
		return newRenderer(e, releases.NewEvaluator(e, names, call).Evaluate).Render
	})
}

func newRenderer(e *engine.Engine, evaluate playground.Evaluate) *renderer.Renderer {
	return renderer.New(renderer.Engine{Evaluate: evaluate, Assist: newAssist(e), Library: engine.Library})
}

// newAssist returns the function that responds to assist requests.
func newAssist(e *engine.Engine) playground.Assist {
	assistant := assist.New(e)
	return func(ctx context.Context, request playground.AssistRequest) (playground.AssistResponse, error) {
		// The modules of the engine do not have the libraries of controller-gen.
		if response, ok, err := gotypes.Respond(ctx, request); ok {
			return response, err
		}
		return assistant.Respond(ctx, request)
	}
}
