package httpapi

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/share"
)

// TestEngineLearnsTheClient sends each kind of request. Without its client, a request
// would use the caches of other clients, and could end their child processes.
func TestEngineLearnsTheClient(t *testing.T) {
	var (
		mu      sync.Mutex
		clients = map[playground.Task][]string{}
	)
	engine := localAssist(func(context.Context, playground.AssistRequest) (playground.AssistResponse, error) {
		return playground.AssistResponse{Format: &playground.FormatResult{}}, nil
	})
	server := newServer(t, Config{
		Assets: builtPage, Sharing: Sharing{Store: share.NewMemory()},
		Engine: func(ctx context.Context, request playground.Request) ([]byte, error) {
			mu.Lock()
			clients[request.Task] = append(clients[request.Task], request.Client)
			mu.Unlock()
			if request.Task == playground.TaskReport && request.Stopped == nil {
				return nil, &playground.StoppedError{Reason: "it took too much"}
			}
			return engine(ctx, request)
		},
	})
	id, value, err := share.Encode(playground.Scenario{CRD: "a"})
	if err == nil {
		err = server.sharing.Store.Put(t.Context(), id, value, time.Time{})
	}
	if err != nil {
		t.Fatal(err)
	}
	const address, client = "192.0.2.1:1", "192.0.2.1/32"
	for path, body := range map[string]string{
		"/api/v1/evaluate": "{}", "/panels": "{}", "/api/v1/format": `{"text":"a: 1"}`,
	} {
		requestFrom(server, address, http.MethodPost, path, body)
	}
	getFrom(server, address, "/")
	getFrom(server, address, sharedPath+id)
	getFrom(server, address, embedPath+id)
	for task, want := range map[playground.Task]int{
		playground.TaskReport: 2, // the evaluation, and the description of its end
		playground.TaskPanels: 1, playground.TaskAssist: 1, playground.TaskPage: 2, playground.TaskEmbed: 1,
	} {
		if got := clients[task]; len(got) != want {
			t.Errorf("task %d: %d requests, want %d", task, len(got), want)
		}
		for i, got := range clients[task] {
			if got != client {
				t.Errorf("task %d, request %d: client %q, want %q", task, i, got, client)
			}
		}
	}
}
