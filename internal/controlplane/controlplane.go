package controlplane

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	restclient "k8s.io/client-go/rest"
	"k8s.io/client-go/util/cert"
)

const (
	// startTimeout is the longest time until kube-apiserver is ready, on a busy machine.
	startTimeout = time.Minute
	// stopTimeout is the time after which a program is killed.
	stopTimeout = 10 * time.Second
)

// A Server is a kube-apiserver with its etcd.
type Server struct {
	// Config configures clients with all rights.
	Config *restclient.Config

	// directory has the data of etcd and the files of kube-apiserver.
	directory string
	programs  []*program
}

// Start starts the programs in a directory, and returns when the server is ready. It listens on an address
// whose port is free. Its data is in a temporary directory.
func Start(ctx context.Context, programs, address string) (*Server, error) {
	s := &Server{}
	if err := s.start(ctx, programs, address); err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	return s, nil
}

func (s *Server) start(ctx context.Context, programs, address string) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	if s.directory, err = os.MkdirTemp("", "crdlab-controlplane-"); err != nil {
		return err
	}
	clients, err := freeAddress()
	if err != nil {
		return err
	}
	peers, err := freeAddress()
	if err != nil {
		return err
	}
	data := filepath.Join(s.directory, "etcd")
	if err := s.run(filepath.Join(programs, "etcd"), "--data-dir="+data, "--unsafe-no-fsync=true",
		"--listen-client-urls=http://"+clients, "--advertise-client-urls=http://"+clients, "--listen-peer-urls=http://"+peers); err != nil {
		return err
	}
	ip, reachable, services := net.ParseIP(host), host, "10.0.0.0/24"
	switch {
	case ip.IsUnspecified():
		host, reachable = "0.0.0.0", "localhost"
	case ip.To4() == nil: // The addresses of Services have the family of the server's.
		services = "fd00:10::/112"
	}
	certificate, key, err := cert.GenerateSelfSignedCertKey("localhost", []net.IP{ip}, nil)
	if err != nil {
		return err
	}
	s.Config = &restclient.Config{
		Host: "https://" + net.JoinHostPort(reachable, port), BearerToken: rand.Text(), TLSClientConfig: restclient.TLSClientConfig{CAData: certificate}, QPS: -1,
	}
	path := func(name string) string { return filepath.Join(s.directory, name) }
	for name, content := range map[string][]byte{"certificate": certificate, "key": key, "users": []byte(s.Config.BearerToken + ",kubernetes-admin,0,system:masters\n")} {
		if err := os.WriteFile(path(name), content, 0o600); err != nil {
			return err
		}
	}
	// As under envtest, no controller creates the account that the plugin ServiceAccount gives to pods.
	if err := s.run(filepath.Join(programs, "kube-apiserver"), "--etcd-servers=http://"+clients, "--bind-address="+host, "--secure-port="+port,
		"--tls-cert-file="+path("certificate"), "--tls-private-key-file="+path("key"), "--cert-dir="+s.directory, "--token-auth-file="+path("users"),
		"--service-account-issuer=https://kubernetes.default.svc", "--service-account-key-file="+path("key"), "--service-account-signing-key-file="+path("key"),
		"--service-cluster-ip-range="+services, "--authorization-mode=RBAC", "--allow-privileged=true", "--disable-admission-plugins=ServiceAccount"); err != nil {
		return err
	}
	return s.wait(ctx)
}

// freeAddress returns an address of the loopback interface on which nothing listens.
func freeAddress() (string, error) {
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}

// wait returns when the server is ready.
func (s *Server) wait(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	client, err := restclient.HTTPClientFor(s.Config)
	if err != nil {
		return err
	}
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.Config.Host+"/readyz", http.NoBody)
		if err != nil {
			return err
		}
		if response, err := client.Do(request); err == nil {
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return nil
			}
		}
		for _, p := range s.programs {
			select {
			case <-p.ended:
				return p.failure()
			default:
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Wait returns when kube-apiserver has ended.
func (s *Server) Wait() error {
	p := s.programs[len(s.programs)-1]
	<-p.ended
	return p.failure()
}

// Stop ends the programs and removes their data.
func (s *Server) Stop() error {
	// kube-apiserver ends before its etcd.
	for len(s.programs) > 0 {
		last := len(s.programs) - 1
		s.programs[last].stop()
		s.programs = s.programs[:last]
	}
	return os.RemoveAll(s.directory)
}

// A program is a running process.
type program struct {
	*exec.Cmd
	output *os.File
	ended  chan struct{}
}

// run starts a program.
func (s *Server) run(path string, arguments ...string) error {
	p := &program{Cmd: exec.Command(path, arguments...), ended: make(chan struct{})}
	var err error
	if p.output, err = os.Create(filepath.Join(s.directory, filepath.Base(path)+".log")); err != nil {
		return err
	}
	p.Stdout, p.Stderr = p.output, p.output
	if err := p.Start(); err != nil {
		return errors.Join(err, p.output.Close())
	}
	go func() {
		_ = p.Wait()
		close(p.ended)
	}()
	s.programs = append(s.programs, p)
	return nil
}

func (p *program) stop() {
	if err := p.Process.Signal(syscall.SIGTERM); err != nil { // Windows has no such signal.
		_ = p.Process.Kill()
	}
	select {
	case <-p.ended:
	case <-time.After(stopTimeout):
		_ = p.Process.Kill()
		<-p.ended
	}
	_ = p.output.Close()
}

// failure returns an error with the last line of the output of a program that has ended.
func (p *program) failure() error {
	output, _ := os.ReadFile(p.output.Name())
	lines := strings.Split(strings.TrimSpace(string(output)), "\n")
	return fmt.Errorf("%s has ended: %s", filepath.Base(p.Path), lines[len(lines)-1])
}
