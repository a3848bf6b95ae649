//go:build !js

package share_test

import (
	"errors"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
)

// proxyMode is the fault of a proxy.
type proxyMode int

const (
	passing  proxyMode = iota
	refusing           // closes all connections
	stalled            // passes no data, but keeps connections open
)

// proxy forwards TCP connections and fails on purpose.
type proxy struct {
	listener net.Listener
	target   string

	mu          sync.Mutex
	changed     *sync.Cond
	mode        proxyMode
	connections map[net.Conn]bool
}

// startProxy starts a proxy in front of the database at a URL, and returns the URL of the
// proxy.
func startProxy(t *testing.T, database string) (*proxy, string) {
	t.Helper()
	parsed, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: listener, target: parsed.Host, connections: map[net.Conn]bool{}}
	p.changed = sync.NewCond(&p.mu)
	go p.accept()
	t.Cleanup(func() {
		_ = listener.Close()
		p.set(refusing)
	})
	parsed.Host = listener.Addr().String()
	return p, parsed.String()
}

// set changes the mode. Refusing also closes the open connections.
func (p *proxy) set(mode proxyMode) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mode = mode
	p.changed.Broadcast()
	if mode != refusing {
		return
	}
	for connection := range p.connections {
		_ = connection.Close()
	}
	clear(p.connections)
}

func (p *proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.target)
		if err != nil || !p.add(client, server) {
			_ = client.Close()
			continue
		}
		go p.copy(client, server)
		go p.copy(server, client)
	}
}

func (p *proxy) add(connections ...net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.mode == refusing {
		return false
	}
	for _, connection := range connections {
		p.connections[connection] = true
	}
	return true
}

func (p *proxy) copy(to, from net.Conn) {
	defer to.Close()
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if !p.await() {
			return
		}
		if _, failed := to.Write(buffer[:n]); failed != nil || err != nil && !errors.Is(err, io.ErrNoProgress) {
			return
		}
	}
}

// await blocks while the proxy is stalled, and reports whether it passes data.
func (p *proxy) await() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.mode == stalled {
		p.changed.Wait()
	}
	return p.mode == passing
}
