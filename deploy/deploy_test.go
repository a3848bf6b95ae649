// Package deploy tests the manifests in this directory with the Kubernetes types.
package deploy

import (
	"bytes"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/yaml"
)

// types maps apiVersion and kind to constructors of the permitted types.
var types = map[string]func() any{
	"v1 ServiceAccount":                      func() any { return new(corev1.ServiceAccount) },
	"v1 Service":                             func() any { return new(corev1.Service) },
	"v1 Secret":                              func() any { return new(corev1.Secret) },
	"v1 PersistentVolumeClaim":               func() any { return new(corev1.PersistentVolumeClaim) },
	"apps/v1 Deployment":                     func() any { return new(appsv1.Deployment) },
	"apps/v1 StatefulSet":                    func() any { return new(appsv1.StatefulSet) },
	"policy/v1 PodDisruptionBudget":          func() any { return new(policyv1.PodDisruptionBudget) },
	"autoscaling/v2 HorizontalPodAutoscaler": func() any { return new(autoscalingv2.HorizontalPodAutoscaler) },
	"networking.k8s.io/v1 NetworkPolicy":     func() any { return new(networkingv1.NetworkPolicy) },
	"networking.k8s.io/v1 Ingress":           func() any { return new(networkingv1.Ingress) },
}

// kinds lists the expected kinds of each directory in kustomize's order.
var kinds = map[string][]string{
	"base": {"ServiceAccount", "Service", "Deployment", "PodDisruptionBudget", "HorizontalPodAutoscaler", "NetworkPolicy"},
	"file": {"ServiceAccount", "Service", "PersistentVolumeClaim", "Deployment", "NetworkPolicy"},
	"postgresql": {
		"ServiceAccount", "Secret", "Secret", "Service", "Service", "Deployment", "StatefulSet",
		"PodDisruptionBudget", "HorizontalPodAutoscaler", "NetworkPolicy", "NetworkPolicy",
	},
}

func TestManifests(t *testing.T) {
	for directory, want := range kinds {
		t.Run(directory, func(t *testing.T) {
			objects := decode(t, build(t, directory))
			got := make([]string, len(objects))
			for i, object := range objects {
				got[i] = object.kind
			}
			if !slices.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
			checkObjects(t, objects)
			checkServer(t, directory, objects)
		})
	}
}

// checkObjects checks the rules for all manifests.
func checkObjects(t *testing.T, objects []object) {
	t.Helper()
	for _, object := range objects {
		checkSelectors(t, object, podsOf(objects))
		if pods := object.pods(); pods != nil {
			checkRestricted(t, object.kind, pods.Spec)
			checkResources(t, object.kind, pods.Spec)
		}
	}
}

// build runs kustomize on a copy of this directory that includes the example secrets.
func build(t *testing.T, directory string) []byte {
	t.Helper()
	copied := t.TempDir()
	if err := os.CopyFS(copied, os.DirFS(".")); err != nil {
		t.Fatal(err)
	}
	secrets, err := os.ReadFile("postgresql/store.env.example")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(copied, "postgresql", "store.env"), secrets, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"tls.crt", "tls.key"} {
		if err := os.WriteFile(filepath.Join(copied, "postgresql", name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.Command(program(t, "KUSTOMIZE"), "build", filepath.Join(copied, directory))
	var stderr bytes.Buffer
	command.Stderr = &stderr
	output, err := command.Output()
	if err != nil || stderr.Len() > 0 {
		t.Fatalf("kustomize: %v\n%s", err, &stderr)
	}
	return output
}

// program returns the program that an environment variable names. Without it, it skips the test.
func program(t *testing.T, variable string) string {
	t.Helper()
	path := os.Getenv(variable)
	if path == "" {
		t.Skipf("%s is not set: make test-deploy", variable)
	}
	return path
}

// object is a decoded manifest.
type object struct {
	kind  string
	value any
}

// decode decodes a YAML stream strictly.
func decode(t *testing.T, stream []byte) []object {
	t.Helper()
	var objects []object
	for document := range bytes.SplitSeq(stream, []byte("\n---\n")) {
		var meta metav1.TypeMeta
		if err := yaml.Unmarshal(document, &meta); err != nil {
			t.Fatal(err)
		}
		newValue, ok := types[meta.APIVersion+" "+meta.Kind]
		if !ok {
			t.Fatalf("unexpected type %s %s", meta.APIVersion, meta.Kind)
		}
		o := object{meta.Kind, newValue()}
		if err := yaml.UnmarshalStrict(document, o.value); err != nil {
			t.Errorf("%s: %v", meta.Kind, err)
		}
		objects = append(objects, o)
	}
	return objects
}

// pods returns the pod template of a workload, or nil for other objects.
func (o object) pods() *corev1.PodTemplateSpec {
	switch value := o.value.(type) {
	case *appsv1.Deployment:
		return &value.Spec.Template
	case *appsv1.StatefulSet:
		return &value.Spec.Template
	}
	return nil
}

func podsOf(objects []object) (all []labels.Set) {
	for _, o := range objects {
		if pods := o.pods(); pods != nil {
			all = append(all, pods.Labels)
		}
	}
	return all
}

// checkSelectors checks that each selector matches exactly one pod template. The
// selector of a workload must match its own template.
func checkSelectors(t *testing.T, o object, pods []labels.Set) {
	t.Helper()
	var selector *metav1.LabelSelector
	switch value := o.value.(type) {
	case *appsv1.Deployment:
		selector, pods = value.Spec.Selector, []labels.Set{value.Spec.Template.Labels}
	case *appsv1.StatefulSet:
		selector, pods = value.Spec.Selector, []labels.Set{value.Spec.Template.Labels}
	case *corev1.Service:
		selector = &metav1.LabelSelector{MatchLabels: value.Spec.Selector}
	case *policyv1.PodDisruptionBudget:
		selector = value.Spec.Selector
	case *networkingv1.NetworkPolicy:
		selector = &value.Spec.PodSelector
	default:
		return
	}
	matches, err := metav1.LabelSelectorAsSelector(selector)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, set := range pods {
		if matches.Matches(set) {
			found++
		}
	}
	if found != 1 {
		t.Errorf("%s: the selector %v matches %d of %v", o.kind, matches, found, pods)
	}
}

// checkRestricted checks the Pod Security Standard "restricted". It also requires a
// read-only root file system and forbids service account tokens.
func checkRestricted(t *testing.T, kind string, spec corev1.PodSpec) {
	t.Helper()
	if s := spec.SecurityContext; s == nil || s.RunAsNonRoot == nil || !*s.RunAsNonRoot || s.RunAsUser == nil || *s.RunAsUser == 0 ||
		s.SeccompProfile == nil || s.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault {
		t.Errorf("%s: the pod's security context is %+v", kind, s)
	}
	if token := spec.AutomountServiceAccountToken; token == nil || *token {
		t.Errorf("%s: the pod mounts a service account token", kind)
	}
	if spec.HostNetwork || spec.HostPID || spec.HostIPC {
		t.Errorf("%s: the pod uses host namespaces", kind)
	}
	for _, c := range append(spec.InitContainers, spec.Containers...) {
		s := c.SecurityContext
		if s == nil || s.AllowPrivilegeEscalation == nil || *s.AllowPrivilegeEscalation ||
			s.ReadOnlyRootFilesystem == nil || !*s.ReadOnlyRootFilesystem || s.Privileged != nil ||
			s.Capabilities == nil || !slices.Equal(s.Capabilities.Drop, []corev1.Capability{"ALL"}) || len(s.Capabilities.Add) > 0 {
			t.Errorf("%s: the security context of %s is %+v", kind, c.Name, s)
		}
	}
}

func checkResources(t *testing.T, kind string, spec corev1.PodSpec) {
	t.Helper()
	for _, c := range spec.Containers {
		if c.StartupProbe == nil || c.ReadinessProbe == nil || c.LivenessProbe == nil {
			t.Errorf("%s: %s lacks a probe", kind, c.Name)
		}
		for _, list := range []corev1.ResourceList{c.Resources.Requests, c.Resources.Limits} {
			if list.Cpu().IsZero() || list.Memory().IsZero() {
				t.Errorf("%s: %s has the resources %+v", kind, c.Name, c.Resources)
			}
		}
	}
}

// checkServer checks the store and the replicas of each directory.
func checkServer(t *testing.T, directory string, objects []object) {
	t.Helper()
	i := slices.IndexFunc(objects, func(o object) bool { return o.kind == "Deployment" })
	deployment := objects[i].value.(*appsv1.Deployment)
	container := deployment.Spec.Template.Spec.Containers[0]
	env := map[string]corev1.EnvVar{}
	for _, variable := range container.Env {
		env[variable.Name] = variable
	}
	store, replicas := env["CRDLAB_STORE"], deployment.Spec.Replicas
	switch directory {
	case "base":
		if store.Value != "none" || replicas != nil {
			t.Errorf("the store is %+v, with %v replicas besides the autoscaler's", store, replicas)
		}
	case "file":
		if store.Value != "file:///data/links" || container.VolumeMounts[0].MountPath != "/data" || *replicas != 1 || deployment.Spec.Strategy.Type != appsv1.RecreateDeploymentStrategyType {
			t.Errorf("the store is %+v on %+v, with %d replicas replaced by %v", store, container.VolumeMounts, *replicas, deployment.Spec.Strategy)
		}
	case "postgresql":
		files := filesOf(deployment.Spec.Template.Spec, objects)
		url := string(files[env["CRDLAB_STORE_FILE"].Value])
		_, authority, _ := strings.Cut(url, "?sslmode=verify-full&sslrootcert=")
		if store.Value != "" || len(files) != 3 || len(files[authority]) == 0 || len(files[env["CRDLAB_OPERATOR_TOKEN_FILE"].Value]) == 0 {
			t.Errorf("the store is %q, the environment is %+v, the files are %v", url, env, files)
		}
	}
	checkProxies(t, env["CRDLAB_TRUSTED_PROXIES"].Value)
}

// filesOf returns the contents of the secrets by their paths in the first container.
func filesOf(pod corev1.PodSpec, objects []object) map[string][]byte {
	secrets := map[string]*corev1.Secret{}
	for _, o := range objects {
		if secret, ok := o.value.(*corev1.Secret); ok {
			secrets[secret.Name] = secret
		}
	}
	files := map[string][]byte{}
	for _, mount := range pod.Containers[0].VolumeMounts {
		i := slices.IndexFunc(pod.Volumes, func(v corev1.Volume) bool { return v.Name == mount.Name })
		from := pod.Volumes[i].Secret
		for _, item := range from.Items {
			if secret := secrets[from.SecretName]; secret != nil {
				files[mount.MountPath+"/"+item.Path] = secret.Data[item.Key]
			}
		}
	}
	return files
}

// checkProxies checks the list of trusted proxies: private networks only.
func checkProxies(t *testing.T, list string) {
	t.Helper()
	for item := range strings.SplitSeq(list, ",") {
		network, err := netip.ParsePrefix(item)
		shared := netip.MustParsePrefix("100.64.0.0/10")
		if err != nil || network != network.Masked() || !network.Addr().IsPrivate() && network != shared {
			t.Errorf("the trusted proxies %q contain %q, %v", list, item, err)
		}
	}
}

// TestVariablesAreKnown checks that manifests and configuration files set only
// documented environment variables. A test of the server keeps the documented
// settings current.
func TestVariablesAreKnown(t *testing.T) {
	variable := regexp.MustCompile(`CRDLAB_[A-Z_]+`)
	known := knownVariables(t)
	for _, name := range []string{"CRDLAB_DB_PASSWORD", "CRDLAB_POSTGRES_IMAGE"} { // used only in compose.yaml
		known[name] = true
	}
	used := []string{"../compose.yaml", "../Dockerfile", "../cmd/worker/wrangler.jsonc"}
	manifests, err := filepath.Glob("*/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	used = append(used, "chart/templates/deployment.yaml")
	for _, name := range append(used, manifests...) {
		for _, found := range variable.FindAllString(read(t, name), -1) {
			if !known[found] {
				t.Errorf("%s sets the unknown variable %s", name, found)
			}
		}
	}
}

// knownVariables returns the documented environment variables of the server.
func knownVariables(t *testing.T) map[string]bool {
	t.Helper()
	known := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| [^|]*\\| `(CRDLAB_[A-Z_]+)` \\|").FindAllStringSubmatch(read(t, "../docs/self-hosting.md"), -1) {
		known[row[1]] = true
	}
	return known
}

// TestCompose checks compose.yaml.
func TestCompose(t *testing.T) {
	var compose struct {
		Name     string
		Services map[string]struct {
			Image, Build string
			Environment  map[string]string
			DependsOn    map[string]map[string]string `json:"depends_on"`
			Deploy       struct {
				Replicas  int
				Resources map[string]map[string]string
			}
			Ports       []string
			Entrypoint  []string
			Command     []string
			User        string
			Restart     string
			ReadOnly    bool     `json:"read_only"`
			CapDrop     []string `json:"cap_drop"`
			SecurityOpt []string `json:"security_opt"`
			StopGrace   string   `json:"stop_grace_period"`
			Healthcheck map[string]any
			Volumes     []string
		}
		Volumes map[string]any
	}
	if err := yaml.UnmarshalStrict([]byte(read(t, "../compose.yaml")), &compose); err != nil {
		t.Fatal(err)
	}
	server := compose.Services["crdlab"]
	if server.Deploy.Replicas != 2 || !server.ReadOnly || server.DependsOn["postgresql"]["condition"] != "service_healthy" {
		t.Errorf("the server is %+v", server)
	}
	if !strings.HasSuffix(server.Environment["CRDLAB_STORE"], "@postgresql/crdlab?sslmode=verify-full&sslrootcert=/database-tls/tls.crt") {
		t.Errorf("the store is %s", server.Environment["CRDLAB_STORE"])
	}
	if compose.Services["postgresql"].Healthcheck == nil {
		t.Error("the database has no health check")
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
