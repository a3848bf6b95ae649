package apiserver

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authentication/request/bearertoken"
	"k8s.io/kubernetes/pkg/serviceaccount"
)

// issuer is the issuer of the tokens of service accounts, as in most clusters.
const issuer = "https://kubernetes.default.svc"

// audiences are the audiences of all tokens of the server.
var audiences = authenticator.Audiences{issuer}

// maxTokenLife is the longest life of a token.
const maxTokenLife = 365 * 24 * time.Hour

// tokens issues and checks the tokens of service accounts. Its key is that of one server.
type tokens struct {
	serviceaccount.TokenGenerator
	keys serviceaccount.PublicKeysGetter
}

func newTokens() (tokens, error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tokens{}, err
	}
	generator, err := serviceaccount.JWTTokenGenerator(issuer, private)
	if err != nil {
		return tokens{}, err
	}
	keys, err := serviceaccount.StaticPublicKeysGetter([]any{&private.PublicKey})
	return tokens{generator, keys}, err
}

// authenticator returns the authenticator of requests with a token. It looks up the service account.
func (t tokens) authenticator(client *clients) authenticator.Request {
	validator := serviceaccount.NewValidator(tokenGetter{client})
	return bearertoken.New(serviceaccount.JWTTokenAuthenticator([]string{issuer}, t.keys, audiences, validator))
}

// A tokenGetter reads the objects that tokens are bound to.
type tokenGetter struct{ *clients }

func (g tokenGetter) GetServiceAccount(ctx context.Context, namespace, name string) (*corev1.ServiceAccount, error) {
	return g.core.ServiceAccounts(namespace).Get(ctx, name, metav1.GetOptions{})
}

func (g tokenGetter) GetPod(ctx context.Context, namespace, name string) (*corev1.Pod, error) {
	return g.core.Pods(namespace).Get(ctx, name, metav1.GetOptions{})
}

func (g tokenGetter) GetSecret(ctx context.Context, namespace, name string) (*corev1.Secret, error) {
	return g.core.Secrets(namespace).Get(ctx, name, metav1.GetOptions{})
}

func (g tokenGetter) GetNode(ctx context.Context, name string) (*corev1.Node, error) {
	return g.core.Nodes().Get(ctx, name, metav1.GetOptions{})
}

func (g tokenGetter) GetValidatingWebhookConfiguration(ctx context.Context, name string) (*admissionregistrationv1.ValidatingWebhookConfiguration, error) {
	return g.registration.ValidatingWebhookConfigurations().Get(ctx, name, metav1.GetOptions{})
}

func (g tokenGetter) GetMutatingWebhookConfiguration(ctx context.Context, name string) (*admissionregistrationv1.MutatingWebhookConfiguration, error) {
	return g.registration.MutatingWebhookConfigurations().Get(ctx, name, metav1.GetOptions{})
}
