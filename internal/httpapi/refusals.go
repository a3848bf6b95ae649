package httpapi

import (
	"math/rand/v2"
	"net/http"
	"time"
)

const (
	// promptRefusals is the number of refusals per client and minute without a delay.
	promptRefusals = 60
	// refusalDelay is the minimum delay of further refusals, and half of the maximum.
	refusalDelay = time.Second
)

// slowDown delays the refusal of a request if its client has caused [promptRefusals] in
// the last minute. A client that sends its requests again at once would otherwise occupy
// the processors with refusals. The server has not read the body yet, so the request
// holds no memory beyond its connection's. Random delays spread the requests that follow.
func (s *Server) slowDown(r *http.Request) {
	if s.refusals.take(clientNetwork(r.Context()), time.Now()) == 0 {
		return
	}
	select {
	case <-r.Context().Done():
	case <-time.After(refusalDelay + rand.N(refusalDelay)):
	}
}
