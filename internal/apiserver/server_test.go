package apiserver

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	genericapiserver "k8s.io/apiserver/pkg/server"
	autoscalingv1 "k8s.io/client-go/applyconfigurations/autoscaling/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	restclient "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const crd = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: disks.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: disks, kind: Disk}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            x-kubernetes-validations: [{rule: "self.size <= 5", message: the disk is too large}]
            properties:
              size: {type: integer, default: 1}
              note: {type: string}
`

const policy = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: small}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [example.com], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [disks]}]
  validations: [{expression: "object.spec.size != 4", message: four is refused}]
`

const binding = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: small}
spec: {policyName: small, validationActions: [Deny]}
`

func disk(namespace, name, spec string) string {
	return fmt.Sprintf("apiVersion: example.com/v1\nkind: Disk\nmetadata: {name: %s, namespace: %s}\nspec: %s\n", name, namespace, spec)
}

var crds = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

var disks = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "disks"}

// newTestServer returns a server that listens on the loopback interface.
func newTestServer(t testing.TB, o Options) *Server {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	o.Serving, o.Host, o.Release = &genericapiserver.SecureServingInfo{Listener: listener}, "127.0.0.1", "1.2.3"
	server, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return server
}

// start returns a server that is ready, with the CRD.
func start(t testing.TB, o Options) (*Server, *Creator, dynamic.ResourceInterface) {
	t.Helper()
	server := newTestServer(t, o)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- server.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if o.Data != nil {
			_ = o.Data.Close()
		}
	})
	<-server.Ready()
	creator, err := NewCreator(server.Config, CreatorOptions{Applies: o.Data != nil})
	if err != nil {
		t.Fatal(err)
	}
	if err := creator.Create(ctx, crd); err != nil {
		t.Fatal(err)
	}
	client, err := dynamic.NewForConfig(server.Config)
	if err != nil {
		t.Fatal(err)
	}
	return server, creator, client.Resource(disks).Namespace("default")
}

func TestServer(t *testing.T) {
	server, creator, objects := start(t, Options{})
	ctx := t.Context()

	t.Run("an object is created and judged", func(t *testing.T) {
		for _, step := range []struct{ document, want string }{
			{disk("default", "a", "{}"), ""},
			{disk("default", "a", "{}"), `disks.example.com "a" already exists`},
			{disk("default", "b", "{size: 6}"), `Disk.example.com "b" is invalid: spec: Invalid value: the disk is too large`},
			{disk("default", "b", "{size: 1, sise: 2}"), `Disk in version "v1" cannot be handled as a Disk: strict decoding error: unknown field "spec.sise"`},
			{disk("default", "b", fmt.Sprintf("{size: 1, note: %s}", strings.Repeat("a", 3<<19))), "etcdserver: request is too large"},
			{disk("none", "b", "{}"), `namespaces "none" not found`},
		} {
			if got := fmt.Sprint(creator.Create(ctx, step.document)); got != step.want && (step.want != "" || got != "<nil>") {
				t.Errorf("%s: %s, want %s", step.document, got, step.want)
			}
		}
		stored, err := objects.Get(ctx, "a", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if spec := fmt.Sprint(stored.Object["spec"]); spec != "map[size:1]" {
			t.Errorf("the spec is %s", spec)
		}
	})

	t.Run("a watch gets each change in order", func(t *testing.T) {
		list, err := objects.List(ctx, metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		watched, err := objects.Watch(ctx, metav1.ListOptions{ResourceVersion: list.GetResourceVersion()})
		if err != nil {
			t.Fatal(err)
		}
		defer watched.Stop()
		if err := creator.Create(ctx, disk("default", "w", "{size: 1}")); err != nil {
			t.Fatal(err)
		}
		for size := 2; size <= 3; size++ {
			if _, err := objects.Patch(ctx, "w", types.MergePatchType, fmt.Appendf(nil, `{"spec": {"size": %d}}`, size), metav1.PatchOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		if err := objects.Delete(ctx, "w", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		var got []string
		for len(got) < 4 {
			select {
			case event := <-watched.ResultChan():
				got = append(got, describeEvent(event))
			case <-time.After(10 * time.Second):
				t.Fatalf("only %q after 10 seconds", got)
			}
		}
		if want := "ADDED 1, MODIFIED 2, MODIFIED 3, DELETED 3"; strings.Join(got, ", ") != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})

	t.Run("an admission policy refuses an object", func(t *testing.T) {
		for _, document := range []string{policy, binding} {
			if err := creator.Create(ctx, document); err != nil {
				t.Fatal(err)
			}
		}
		// The server compiles the policy after it answers.
		deadline := time.Now().Add(10 * time.Second)
		for i := 0; ; i++ {
			err := creator.Create(ctx, disk("default", fmt.Sprintf("p%d", i), "{size: 4}"))
			if apierrors.IsInvalid(err) && strings.HasSuffix(err.Error(), "denied request: four is refused") {
				return
			}
			if err != nil || time.Now().After(deadline) {
				t.Fatalf("the policy is not applied: %v", err)
			}
			time.Sleep(20 * time.Millisecond)
		}
	})

	t.Run("kube-apiserver's kinds are judged and have defaults", func(t *testing.T) {
		client, err := kubernetes.NewForConfig(server.Config)
		if err != nil {
			t.Fatal(err)
		}
		template := corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"a": "b"}},
			Spec:       corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "c", Image: "i"}}},
		}
		job, err := client.BatchV1().Jobs("default").Create(ctx, &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "j"}, Spec: batchv1.JobSpec{Template: template}}, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if job.Spec.Parallelism == nil || *job.Spec.Parallelism != 1 || job.Spec.Template.Spec.DNSPolicy != corev1.DNSClusterFirst {
			t.Errorf("the job has the specification %+v", job.Spec)
		}
		_, err = client.AppsV1().Deployments("default").Create(ctx, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "d"},
			Spec: appsv1.DeploymentSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"a": "c"}}, Template: template}}, metav1.CreateOptions{})
		if err == nil || !strings.Contains(err.Error(), "`selector` does not match template `labels`") {
			t.Errorf("a deployment that selects other pods: %v", err)
		}
		if _, err := client.AppsV1().Deployments("default").Create(ctx, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "d"},
			Spec: appsv1.DeploymentSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}}, Template: always(template)}}, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		scale, err := client.AppsV1().Deployments("default").ApplyScale(ctx, "d", autoscalingv1.Scale().WithSpec(autoscalingv1.ScaleSpec().WithReplicas(3)), metav1.ApplyOptions{FieldManager: "a", Force: true})
		if err != nil || scale.Spec.Replicas != 3 {
			t.Errorf("the scale is %+v: %v", scale, err)
		}
		service, err := client.CoreV1().Services("default").Create(ctx, &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "s"}, Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}}}, metav1.CreateOptions{})
		if err != nil || !clusterIPs.Contains(net.ParseIP(service.Spec.ClusterIP)) {
			t.Errorf("the service has the address %q: %v", service.Spec.ClusterIP, err)
		}
		if _, err := client.CoreV1().Services("default").Get(ctx, "kubernetes", metav1.GetOptions{}); err != nil {
			t.Error(err)
		}
	})

	t.Run("roles decide", func(t *testing.T) {
		config := restclient.CopyConfig(server.Config)
		config.Impersonate.UserName = "jane"
		jane, err := dynamic.NewForConfig(config)
		if err != nil {
			t.Fatal(err)
		}
		list := func() error {
			_, err := jane.Resource(disks).Namespace("default").List(ctx, metav1.ListOptions{})
			return err
		}
		if err := list(); !apierrors.IsForbidden(err) {
			t.Errorf("without a role: %v", err)
		}
		for _, document := range []string{
			"{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: reader}, rules: [{apiGroups: [example.com], resources: [disks], verbs: [list]}]}",
			"{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: jane}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: reader}, subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: jane}]}",
		} {
			if err := creator.Create(ctx, document); err != nil {
				t.Fatal(err)
			}
		}
		for end := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
			if err := list(); err == nil || time.Now().After(end) {
				if err != nil {
					t.Errorf("with a role: %v", err)
				}
				break
			}
		}
	})

	t.Run("service accounts have tokens", func(t *testing.T) {
		client, err := kubernetes.NewForConfig(server.Config)
		if err != nil {
			t.Fatal(err)
		}
		accounts := client.CoreV1().ServiceAccounts("default")
		if _, err := accounts.Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "bob"}}, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		request, err := accounts.CreateToken(ctx, "bob", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		config := restclient.AnonymousClientConfig(server.Config)
		config.BearerToken = request.Status.Token
		bob, err := kubernetes.NewForConfig(config)
		if err != nil {
			t.Fatal(err)
		}
		review, err := bob.AuthenticationV1().SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
		if want := "system:serviceaccount:default:bob"; err != nil || review.Status.UserInfo.Username != want {
			t.Errorf("the user of the token is %q, want %q: %v", review.Status.UserInfo.Username, want, err)
		}
		if err := accounts.Delete(ctx, "bob", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		if _, err := bob.AuthenticationV1().SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{}); !apierrors.IsUnauthorized(err) {
			t.Errorf("the token of a deleted account: %v", err)
		}
	})

	t.Run("webhooks are called on this machine only", func(t *testing.T) {
		if err := creator.Create(ctx, `{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: remote}, webhooks: [{
			name: remote.example.com, clientConfig: {url: "https://192.0.2.1/"}, sideEffects: None, admissionReviewVersions: [v1],
			rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [podtemplates]}]}]}`); err != nil {
			t.Fatal(err)
		}
		template := "{apiVersion: v1, kind: PodTemplate, metadata: {generateName: a-}, template: {spec: {containers: [{name: a, image: b}]}}}"
		for end := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
			err := creator.Create(ctx, template)
			if err == nil && time.Now().Before(end) {
				continue // The configuration is not known yet.
			}
			if err == nil || !strings.Contains(err.Error(), "calls webhooks on this machine only") {
				t.Errorf("with a webhook on another machine: %v", err)
			}
			break
		}
	})

	t.Run("the kubeconfig is needed", func(t *testing.T) {
		data, err := Kubeconfig(server.Config)
		if err != nil {
			t.Fatal(err)
		}
		config, err := clientcmd.RESTConfigFromKubeConfig(data)
		if err != nil {
			t.Fatal(err)
		}
		anonymous := restclient.AnonymousClientConfig(config)
		wrong := restclient.AnonymousClientConfig(config)
		wrong.BearerToken = "wrong"
		for _, step := range []struct {
			config *restclient.Config
			path   string
			want   int
		}{
			{config, "/api/v1/namespaces", http.StatusOK},
			{anonymous, "/api/v1/namespaces", http.StatusForbidden},
			{wrong, "/api/v1/namespaces", http.StatusUnauthorized},
			{anonymous, "/readyz", http.StatusOK},
			{anonymous, "/metrics", http.StatusForbidden},
		} {
			transport, err := restclient.TransportFor(step.config)
			if err != nil {
				t.Fatal(err)
			}
			request, err := http.NewRequestWithContext(ctx, http.MethodGet, config.Host+step.path, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			response, err := (&http.Client{Transport: transport}).Do(request)
			if err != nil {
				t.Fatal(err)
			}
			response.Body.Close()
			if response.StatusCode != step.want {
				t.Errorf("%s: status %d, want %d", step.path, response.StatusCode, step.want)
			}
		}
	})
}

// always returns a template whose pods are restarted, as those of a Deployment must be.
func always(template corev1.PodTemplateSpec) corev1.PodTemplateSpec {
	template.Spec.RestartPolicy = corev1.RestartPolicyAlways
	return template
}

func describeEvent(event watch.Event) string {
	object, ok := event.Object.(interface{ UnstructuredContent() map[string]any })
	if !ok {
		return string(event.Type)
	}
	spec, _ := object.UnstructuredContent()["spec"].(map[string]any)
	return fmt.Sprintf("%s %v", event.Type, spec["size"])
}
