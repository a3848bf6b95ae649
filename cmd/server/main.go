// Command server serves the playground: the page, its assets and the
// evaluation API.
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
	case len(os.Args) == 2 && os.Args[1] == evaluateArgument:
		err = evaluate()
	case len(os.Args) == 3 && os.Args[1] == staticArgument:
		err = writeStatic(os.Args[2])
	default:
		err = run(os.Args[1:])
	}
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "crdlab:", err)
		os.Exit(1)
	}
}

// run serves until the process is told to stop.
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
	counts := metrics.New(builtFrom())
	if sharing.Store != nil {
		sharing.Store = counts.Store(sharing.Store)
	}
	app, err := newApp(settings.address, settings.metricsAddress, parts{
		evaluate: counts.Evaluate(pool.Evaluate),
		asJSON:   counts.EvaluateJSON(pool.EvaluateJSON),
		help:     pool.Help,
		assets:   web.Dist(),
		sharing:  sharing,
		clients:  settings.clients,
		build:    builtFrom(),
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

// staticArgument makes this program write the page into a directory, for hosts
// that only send files.
const staticArgument = "static"

func writeStatic(directory string) error {
	return httpapi.WriteStatic(context.Background(), httpapi.Config{
		Evaluate: whole.New().Evaluate,
		Assets:   web.Dist(),
	}, directory)
}

// evaluateArgument makes this program evaluate what it reads, for the pool.
const evaluateArgument = "evaluate"

// child is this program as a process of the pool.
func child() *exec.Cmd {
	program, err := os.Executable()
	if err != nil {
		program = os.Args[0]
	}
	command := exec.Command(program, evaluateArgument)
	command.Stderr = os.Stderr
	return command
}

// evaluate is the life of a process of the pool. Terminals and supervisors tell
// all processes at once to stop; this one goes on until the pool lets it end.
func evaluate() error {
	signal.Ignore(os.Interrupt, syscall.SIGTERM)
	webhooks, err := webhooks(os.Getenv)
	if err != nil {
		return err
	}
	engine := whole.NewWithWebhooks(webhooks)
	return procpool.Serve(os.Stdin, os.Stdout, procpool.Engine{Evaluate: engine.Evaluate, Help: assist.New(engine).Answer})
}
