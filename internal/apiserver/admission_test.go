package apiserver

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// TestAdmissionPlugins creates objects that the admission plugins of kube-apiserver change or refuse.
func TestAdmissionPlugins(t *testing.T) {
	server, creator, _ := start(t, Options{})
	client, err := kubernetes.NewForConfig(server.Config)
	if err != nil {
		t.Fatal(err)
	}
	for _, document := range []string{
		"{apiVersion: v1, kind: Namespace, metadata: {name: strict, labels: {pod-security.kubernetes.io/enforce: restricted}}}",
		"{apiVersion: v1, kind: LimitRange, metadata: {name: small}, spec: {limits: [{type: Container, max: {memory: 1Gi}, default: {memory: 64Mi}}]}}",
		"{apiVersion: networking.k8s.io/v1, kind: IngressClass, metadata: {name: usual, annotations: {ingressclass.kubernetes.io/is-default-class: 'true'}}, spec: {controller: example.com/a}}",
		"{apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: heavy}, handler: heavy, overhead: {podFixed: {memory: 5Mi}}}",
		"{apiVersion: v1, kind: Node, metadata: {name: node}}",
	} {
		if err := creator.Create(t.Context(), document); err != nil {
			t.Fatal(err)
		}
	}
	if namespace, err := client.CoreV1().Namespaces().Get(t.Context(), "default", metav1.GetOptions{}); err != nil || fmt.Sprint(namespace.ManagedFields[0].FieldsV1) != `{"f:metadata":{"f:labels":{".":{},"f:kubernetes.io/metadata.name":{}}}}` {
		t.Errorf("the managed fields of a namespace are %v (%v)", namespace.ManagedFields, err)
	}
	node, err := client.CoreV1().Nodes().Get(t.Context(), "node", metav1.GetOptions{})
	if err != nil || len(node.Spec.Taints) != 1 || node.Spec.Taints[0].Key != corev1.TaintNodeNotReady {
		t.Errorf("the node has the taints %v (%v)", node.Spec.Taints, err)
	}
	ingress := "{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: i}, spec: {defaultBackend: {service: {name: s, port: {number: 80}}}}}"
	if err := creator.Create(t.Context(), ingress); err != nil {
		t.Fatal(err)
	}
	if made, err := client.NetworkingV1().Ingresses("default").Get(t.Context(), "i", metav1.GetOptions{}); err != nil || made.Spec.IngressClassName == nil || *made.Spec.IngressClassName != "usual" {
		t.Errorf("the ingress has the class %v (%v)", made.Spec.IngressClassName, err)
	}

	pod := func(namespace, name, spec string) error {
		return creator.Create(t.Context(), fmt.Sprintf("{apiVersion: v1, kind: Pod, metadata: {name: %s, namespace: %s}, spec: {%s}}", name, namespace, spec))
	}
	if err := pod("default", "p", "containers: [{name: c, image: i}], priorityClassName: system-node-critical, runtimeClassName: heavy"); err != nil {
		t.Fatal(err)
	}
	made, err := client.CoreV1().Pods("default").Get(t.Context(), "p", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprintf("%v %d %d %v", made.Spec.Containers[0].Resources.Limits.Memory(), *made.Spec.Priority, len(made.Spec.Tolerations), made.Spec.Overhead.Memory())
	if want := "64Mi 2000001000 2 5Mi"; got != want {
		t.Errorf("the pod has %s, want %s", got, want)
	}
	for _, test := range []struct{ namespace, spec, want string }{
		{"strict", "containers: [{name: c, image: i}]", `violates PodSecurity "restricted:latest"`},
		{"default", "containers: [{name: c, image: i, resources: {limits: {memory: 2Gi}}}]", "maximum memory usage per Container is 1Gi"},
		{"default", "containers: [{name: c, image: i}], priorityClassName: none", "no PriorityClass with name none was found"},
		{"default", "containers: [{name: c, image: i}], runtimeClassName: none", `RuntimeClass "none" not found`},
	} {
		if err := pod(test.namespace, "refused", test.spec); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("{%s} in %s: %v", test.spec, test.namespace, err)
		}
	}
}
