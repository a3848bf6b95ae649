package apiserver

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"time"

	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authentication/authenticatorfactory"
	"k8s.io/apiserver/pkg/authentication/group"
	"k8s.io/apiserver/pkg/authentication/request/anonymous"
	"k8s.io/apiserver/pkg/authentication/request/bearertoken"
	"k8s.io/apiserver/pkg/authentication/request/union"
	x509request "k8s.io/apiserver/pkg/authentication/request/x509"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	"k8s.io/apiserver/pkg/authorization/path"
	authorizerunion "k8s.io/apiserver/pkg/authorization/union"
	genericapiserver "k8s.io/apiserver/pkg/server"
	restclient "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac"
)

// admin is the user of the kubeconfig, as in the clusters of kubeadm.
const admin = "kubernetes-admin"

// publicPaths may be read without credentials. Tools ask them whether the server is ready, also
// before the default roles exist.
var publicPaths = []string{"/healthz", "/livez", "/readyz", "/version"}

// authenticate returns the authenticator of the user admin, who has a token, of service accounts,
// and of the users in the options. Requests without any of these are anonymous.
func authenticate(token string, serviceAccounts authenticator.Request, o Options) authenticator.Request {
	users := map[string]*user.DefaultInfo{token: {Name: admin, Groups: []string{user.SystemPrivilegedGroup}}}
	requests := []authenticator.Request{authenticatorfactory.NewFromTokens(users, audiences), serviceAccounts}
	if o.ClientCA != nil {
		requests = append(requests, x509request.NewDynamic(o.ClientCA.VerifyOptions, x509request.CommonNameUserConversion))
	}
	if o.Tokens != nil {
		requests = append(requests, bearertoken.New(authenticator.WrapAudienceAgnosticToken(audiences, o.Tokens)))
	}
	// A user with a wrong token is not anonymous, but has the answer 401, as in kube-apiserver.
	return union.NewFailOnError(group.NewAuthenticatedGroupAdder(union.New(requests...)), anonymous.NewAuthenticator(nil))
}

// addAuthorization adds RBAC to a configuration, unless each user may do everything.
func addAuthorization(config *genericapiserver.RecommendedConfig, allowAll bool) error {
	public, err := path.NewAuthorizer(publicPaths)
	if err != nil {
		return err
	}
	informers := config.SharedInformerFactory.Rbac().V1()
	roles := rbac.New(
		&rbac.RoleGetter{Lister: informers.Roles().Lister()},
		&rbac.RoleBindingLister{Lister: informers.RoleBindings().Lister()},
		&rbac.ClusterRoleGetter{Lister: informers.ClusterRoles().Lister()},
		&rbac.ClusterRoleBindingLister{Lister: informers.ClusterRoleBindings().Lister()},
	)
	config.RuleResolver = roles
	if allowAll {
		config.Authorization.Authorizer = authorizerfactory.NewAlwaysAllowAuthorizer()
		return nil
	}
	config.Authorization.Authorizer, err = authorizerunion.New(
		authorizerunion.NamedAuthorizer{AuthorizerName: "PrivilegedGroups", Authorizer: authorizerfactory.NewPrivilegedGroups(user.SystemPrivilegedGroup)},
		authorizerunion.NamedAuthorizer{AuthorizerName: "AlwaysAllowPaths", Authorizer: public},
		authorizerunion.NamedAuthorizer{AuthorizerName: "RBAC", Authorizer: roles},
	)
	return err
}

// A certificate is a self-signed certificate for the names of a server, PEM-encoded.
type certificate struct{ certificate, key []byte }

// loopbackName is the name by which the clients of the server itself address it, so that they
// get its self-signed certificate.
const loopbackName = "loopback.crdlab"

// newCertificate returns a certificate for localhost, the server itself, and a host, which is an
// address or a name.
func newCertificate(host string) (c certificate, err error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return c, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return c, err
	}
	template := &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: "crdlab"},
		// The clock of a client may be slow.
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(1, 0, 0),
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IsCA:        true, BasicConstraintsValid: true,
		DNSNames:    []string{"localhost", loopbackName},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	if address := net.ParseIP(host); address != nil {
		template.IPAddresses = append(template.IPAddresses, address)
	} else if host != "" {
		template.DNSNames = append(template.DNSNames, host)
	}
	data, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		return c, err
	}
	key, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		return c, err
	}
	c.certificate = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: data})
	c.key = pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: key})
	return c, nil
}

// Kubeconfig returns a kubeconfig for the clients that a configuration with a token describes.
func Kubeconfig(config *restclient.Config) ([]byte, error) {
	const name = "crdlab"
	c := clientcmdapi.NewConfig()
	c.Clusters[name] = &clientcmdapi.Cluster{Server: config.Host, CertificateAuthorityData: config.CAData}
	c.AuthInfos[name] = &clientcmdapi.AuthInfo{Token: config.BearerToken}
	c.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name, Namespace: "default"}
	c.CurrentContext = name
	return clientcmd.Write(*c)
}
