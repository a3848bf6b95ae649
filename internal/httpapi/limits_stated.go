package httpapi

import (
	"fmt"
	"time"

	"github.com/crdlab/crdlab/internal/ui"
)

// statedLimits returns the limits of this server as sentences for its users.
func (s *Server) statedLimits() []string {
	var sentences []string
	if s.evaluator != nil {
		sentences = append(sentences, s.evaluationLimits()...)
	}
	if s.reads != nil {
		sentences = append(sentences, fmt.Sprintf("A client may request %d pages and links per minute.", s.reads.perMinute))
	}
	if s.sharing.Store != nil {
		sentences = append(sentences, s.sharingLimits()...)
	}
	return append(sentences,
		"A client is an IPv4 address or an IPv6 /64 network. A client that exceeds a limit receives status 429.",
		"The server stores documents only for short links. Its logs contain neither documents nor addresses of clients.")
}

func (s *Server) evaluationLimits() []string {
	sentences := []string{
		fmt.Sprintf("The body of an evaluation or assist request may have %s.", formatBytes(MaxBody)),
		fmt.Sprintf("An evaluation is ended after %g s.", s.evaluator.timeout.Seconds()),
	}
	if s.evaluationMemory > 0 {
		sentences[1] = fmt.Sprintf("An evaluation is ended after %g s, or if it needs more than %s of memory.", s.evaluator.timeout.Seconds(), formatBytes(s.evaluationMemory))
	}
	if s.evaluations == nil {
		return sentences
	}
	return append(sentences,
		fmt.Sprintf("A client may request %d evaluations per minute. An evaluation counts once for each %g ms that it takes.", s.evaluations.perMinute, float64(requestTime)/float64(time.Millisecond)),
		fmt.Sprintf("While other clients use the server, the evaluations of a client run one after the other, and up to %d of them wait.", maxClientWaiting))
}

func (s *Server) sharingLimits() []string {
	sentences := []string{fmt.Sprintf("A shared scenario may have %s.", formatBytes(s.sharing.Limit))}
	if s.shares != nil {
		sentences = append(sentences, fmt.Sprintf("A client may share %d scenarios per minute.", s.shares.perMinute))
	}
	if s.sharing.ClientQuota > 0 {
		sentences = append(sentences, fmt.Sprintf("A client may share scenarios of %s per day.", formatBytes(s.sharing.ClientQuota)))
	}
	return append(sentences, ui.LifetimeSentence(int64(s.sharing.Lifetime/time.Second)))
}
