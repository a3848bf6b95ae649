//go:build !js

package storetest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// EnableTLS restarts the server with a self-signed certificate for a host, and returns the
// path of the certificate.
func (s *Postgres) EnableTLS(t testing.TB, host string) string {
	t.Helper()
	certificate, key := filepath.Join(s.data, "tls.crt"), filepath.Join(s.data, "tls.key")
	if err := errors.Join(writeCertificate(host, certificate, key), s.own(certificate), s.own(key)); err != nil {
		t.Fatal(err)
	}
	settings := "\nssl = on\nssl_cert_file = 'tls.crt'\nssl_key_file = 'tls.key'\n"
	if err := appendTo(filepath.Join(s.data, "postgresql.conf"), settings); err != nil {
		t.Fatal(err)
	}
	s.Stop(t)
	s.Run(t)
	return certificate
}

// own gives a file to the user of the server.
func (s *Postgres) own(name string) error {
	if s.as == nil {
		return nil
	}
	return os.Chown(name, int(s.as.Uid), int(s.as.Gid))
}

func writeCertificate(host, certificatePath, keyPath string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: host}, DNSNames: []string{host},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true,
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return err
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(key)
	return errors.Join(err,
		os.WriteFile(certificatePath, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate}), 0o600),
		os.WriteFile(keyPath, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded}), 0o600),
	)
}
