//go:build js && wasm

// Command worker serves the playground as a Cloudflare Worker: the page, and short
// links stored in Workers KV. The page evaluates scenarios. Assets are served by
// Cloudflare and entry.mjs.
package main

import (
	"embed"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"runtime"
	"strconv"
	"time"

	"github.com/syumai/workers"
	"github.com/syumai/workers/cloudflare"

	"github.com/crdlab/crdlab/internal/httpapi"
	"github.com/crdlab/crdlab/internal/share"
)

// built contains the manifests with the asset names, but no assets.
//
//go:embed all:built
var built embed.FS

// version is the release or commit of this build. The linker sets it.
var version = "unknown"

// storeBinding is the binding of the KV namespace in wrangler.jsonc.
const storeBinding = "SHARES"

func main() {
	server, err := newServer()
	if err != nil {
		fmt.Fprintln(os.Stderr, "crdlab:", err)
		os.Exit(1)
	}
	workers.Serve(server)
}

func newServer() (*httpapi.Server, error) {
	names, err := fs.Sub(built, "built")
	if err != nil {
		return nil, err
	}
	sharing, err := openSharing()
	if err != nil {
		return nil, err
	}
	return httpapi.New(httpapi.Config{
		Assets:  names,
		Log:     slog.New(httpapi.LogRequests(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))),
		Sharing: sharing,
		Build:   httpapi.Build{Version: version, Go: runtime.Version()},
	})
}

// openSharing opens the store and reads the Worker's variables, which have the same
// names as the server's environment variables.
func openSharing() (sharing httpapi.Sharing, err error) {
	sharing.OperatorToken = variable("CRDLAB_OPERATOR_TOKEN")
	sharing.PublicURL = variable("CRDLAB_PUBLIC_URL")
	if limit := variable("CRDLAB_SHARE_LIMIT"); limit != "" {
		if sharing.Limit, err = strconv.ParseInt(limit, 10, 64); err != nil {
			return sharing, fmt.Errorf("CRDLAB_SHARE_LIMIT: %w", err)
		}
	}
	sharing.Lifetime = httpapi.ShareLifetime
	if lifetime := variable("CRDLAB_SHARE_LIFETIME"); lifetime != "" {
		if sharing.Lifetime, err = time.ParseDuration(lifetime); err != nil {
			return sharing, fmt.Errorf("CRDLAB_SHARE_LIFETIME: %w", err)
		}
	}
	sharing.Store, err = share.OpenKV(storeBinding)
	return sharing, err
}

// variable returns a variable or secret of the Worker, or "".
func variable(name string) string {
	value := cloudflare.GetBinding(name)
	if value.IsUndefined() || value.IsNull() {
		return ""
	}
	return value.String()
}
