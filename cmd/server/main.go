// Command server serves the playground: the page, its assets, the evaluation API and
// short links.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"github.com/crdlab/crdlab/internal/assist"
	"github.com/crdlab/crdlab/internal/engine/whole"
	"github.com/crdlab/crdlab/internal/httpapi"
	"github.com/crdlab/crdlab/internal/metrics"
	"github.com/crdlab/crdlab/internal/procpool"
	"github.com/crdlab/crdlab/web"
)

func main() {
	var err error
	switch {
	case len(os.Args) == 2 && os.Args[1] == evaluateCommand:
		err = evaluate()
	case len(os.Args) == 3 && os.Args[1] == staticCommand:
		err = writeStatic(os.Args[2])
	default:
		err = run(os.Args[1:])
	}
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "crdlab:", err)
		os.Exit(1)
	}
}

// run wires the parts of the server and serves until a signal stops the process.
func run(arguments []string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	settings, err := parse(arguments, os.Getenv, os.Stderr)
	if err != nil {
		return err
	}
	if _, err := webhooks(os.Getenv); err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	sharing, closeStore, err := openSharing(ctx, settings, os.Getenv, log)
	if err != nil {
		return err
	}
	defer closeStore()
	pool := procpool.New(child)
	defer pool.Close()
	counts := metrics.New(buildInfo())
	if sharing.Store != nil {
		sharing.Store = counts.Store(sharing.Store)
	}
	app, err := newApp(settings.address, settings.metricsAddress, appConfig{
		evaluate: counts.Evaluate(pool.Evaluate),
		asJSON:   counts.EvaluateJSON(pool.EvaluateJSON),
		help:     pool.Help,
		assets:   web.Dist(),
		sharing:  sharing,
		clients:  settings.clients,
		build:    buildInfo(),
		observe:  counts.Observe,
		metrics:  counts.Handler(),
		drain:    settings.drain,
		log:      log,
	})
	if err != nil {
		return err
	}
	return app.serve(ctx)
}

// staticCommand is the subcommand that writes the page for static file hosts.
const staticCommand = "static"

func writeStatic(directory string) error {
	return httpapi.WriteStatic(context.Background(), httpapi.Config{
		Evaluate: whole.New().Evaluate,
		Assets:   web.Dist(),
	}, directory)
}

// evaluateCommand is the subcommand that runs this program as a child of the pool.
const evaluateCommand = "evaluate"

// child returns the command that starts a child of the pool.
func child() *exec.Cmd {
	program, err := os.Executable()
	if err != nil {
		program = os.Args[0]
	}
	command := exec.Command(program, evaluateCommand)
	command.Stderr = os.Stderr
	return command
}

// evaluate runs a child of the pool. It ignores signals, because terminals and
// supervisors signal all processes at once, and the pool decides when its children end.
func evaluate() error {
	signal.Ignore(os.Interrupt, syscall.SIGTERM)
	webhooks, err := webhooks(os.Getenv)
	if err != nil {
		return err
	}
	engine := whole.NewWithWebhooks(webhooks)
	return procpool.Serve(os.Stdin, os.Stdout, procpool.Engine{Evaluate: engine.Evaluate, Help: assist.New(engine).Answer})
}
