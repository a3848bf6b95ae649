package lsp

import (
	"context"
	"fmt"
	"time"

	protocol "github.com/tliron/glsp/protocol_3_16"
)

// progressDelay is how long work may take before the editor shows it.
const progressDelay = 500 * time.Millisecond

// working shows in the editor that the server works, until done is called.
func (s *Server) working(ctx context.Context, title string) (done func()) {
	if !s.client.progresses {
		return func() {}
	}
	finished := make(chan struct{})
	go func() {
		select {
		case <-finished:
			return
		case <-time.After(progressDelay):
		}
		token := protocol.ProgressToken{Value: fmt.Sprintf("crdlab-%d", s.progresses.Add(1))}
		progress := func(value any) {
			s.notify(ctx, string(protocol.MethodProgress), protocol.ProgressParams{Token: token, Value: value})
		}
		if s.conn.Call(ctx, string(protocol.ServerWindowWorkDoneProgressCreate), protocol.WorkDoneProgressCreateParams{Token: token}, nil) != nil {
			return // The editor does not want it.
		}
		progress(protocol.WorkDoneProgressBegin{Kind: "begin", Title: title})
		<-finished
		progress(protocol.WorkDoneProgressEnd{Kind: "end"})
	}()
	return func() { close(finished) }
}
