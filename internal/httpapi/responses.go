package httpapi

import (
	"context"
	"errors"
	"net/http"
	"time"
)

const (
	// maxResponseMemory limits the memory in bytes that the responses above [maxSmall]
	// occupy together until their clients have read them.
	maxResponseMemory = 112 << 20
	// maxSmallResponseMemory limits the memory of the other responses.
	maxSmallResponseMemory = 16 << 20
	// maxClientResponseMemory limits the memory of the responses to one client.
	maxClientResponseMemory = 32 << 20
	// compressorMemory is the memory in bytes of the compressor of a large response.
	compressorMemory = 1 << 20
)

// responsePace is the pace at which a client must read a response.
var responsePace = pace{grace: responseTimeout, bytesPerSecond: 64 << 10}

// limitResponses refuses responses whose client, or all clients together, have not
// read others.
func (s *Server) limitResponses(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		limited := &limitedResponse{ResponseWriter: w, memory: s.responses.reserve(clientNetwork(r.Context()))}
		defer limited.memory.release()
		next.ServeHTTP(limited, r.WithContext(context.WithValue(r.Context(), responseMemory{}, limited)))
		limited.writeHeader()
	})
}

// responseMemory is the context key of the limitedResponse of a request.
type responseMemory struct{}

// reserveResponse reserves the memory of a response before the handler produces it. If
// there is not enough, it responds with a problem and returns errResponseRefused.
func reserveResponse(ctx context.Context, size int) error {
	limited, ok := ctx.Value(responseMemory{}).(*limitedResponse)
	if !ok {
		return nil
	}
	return limited.reserve(int64(size))
}

// limitedResponse reserves the memory of a response before it sends the header, so
// that it can respond with a problem.
type limitedResponse struct {
	http.ResponseWriter
	memory *reservation
	// reserved is the memory in bytes for data that will be written.
	reserved int64
	status   int // to be sent before the first byte; 0 for the default
	isSent   bool
	// isRefused means that a problem has replaced the response.
	isRefused bool
}

// errResponseRefused means that the client has received a problem or the beginning of
// a response.
var errResponseRefused = errors.New("there is no memory for the response")

// WriteHeader delays the header until the first byte or the end of the response.
func (l *limitedResponse) WriteHeader(status int) {
	if l.status == 0 {
		l.status = status
	}
}

func (l *limitedResponse) writeHeader() {
	if l.isSent {
		return
	}
	l.isSent = true
	if l.status != 0 {
		l.ResponseWriter.WriteHeader(l.status)
	}
}

// Write sends p if there is memory for it.
func (l *limitedResponse) Write(p []byte) (int, error) {
	if l.isRefused {
		return 0, errResponseRefused
	}
	if missing := int64(len(p)) - l.reserved; missing > 0 {
		if err := l.reserve(missing); err != nil {
			return 0, err
		}
	}
	l.reserved -= int64(len(p))
	l.writeHeader()
	return l.ResponseWriter.Write(p)
}

func (l *limitedResponse) reserve(size int64) error {
	needed := size
	if l.memory.bytes+size > maxSmall && l.memory.bytes <= maxSmall {
		needed += compressorMemory
	}
	if err := l.memory.grow(needed); err != nil {
		l.refuse(err)
		return errResponseRefused
	}
	l.reserved += size
	return nil
}

// Unwrap lets [http.ResponseController] reach the connection.
func (l *limitedResponse) Unwrap() http.ResponseWriter { return l.ResponseWriter }

// refuse replaces the response by a problem, unless a part of it was sent.
func (l *limitedResponse) refuse(cause error) {
	l.isRefused = true
	if l.isSent {
		return
	}
	l.isSent = true
	header := l.Header()
	for _, name := range []string{"Content-Length", "ETag", "Location"} {
		header.Del(name)
	}
	detail := "The server is busy sending other responses. Try again in a moment."
	if errors.Is(cause, errClientMemory) {
		detail = "You have not read other responses of the server. Read them, then try again."
	}
	writeProblem(l.ResponseWriter, &problem{kind: kindBusy, detail: detail, cause: cause})
}

// limitWriting ends connections whose clients read a response too slowly.
func (s *Server) limitWriting(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(&pacedResponse{ResponseWriter: w, connection: http.NewResponseController(w), pace: s.responsePace}, r)
	})
}

// pacedResponse moves the deadline of the connection with the bytes that the client
// has read.
type pacedResponse struct {
	http.ResponseWriter
	connection *http.ResponseController
	pace       pace
	begun      time.Time
	sent       int64
}

// maxWrite is the number of bytes after which the deadline moves.
const maxWrite = 64 << 10

func (p *pacedResponse) Write(data []byte) (written int, err error) {
	if p.begun.IsZero() {
		p.begun = time.Now()
	}
	for {
		part := data[written:min(len(data), written+maxWrite)]
		// The deadline has no effect in tests without a connection.
		_ = p.connection.SetWriteDeadline(p.pace.deadline(p.begun, p.sent))
		n, err := p.ResponseWriter.Write(part)
		written += n
		p.sent += int64(n)
		if err != nil || written == len(data) {
			return written, err
		}
	}
}

// Unwrap lets [http.ResponseController] reach the connection.
func (p *pacedResponse) Unwrap() http.ResponseWriter { return p.ResponseWriter }
