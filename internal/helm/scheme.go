package helm

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/kubernetes/scheme"
)

// Helm's library adds the kinds of CRDs to the scheme of client-go when a program starts. The API server's code
// publishes what that scheme has, such as the groups of DeleteOptions, so the scheme is replaced by one as before.
func init() {
	restored := runtime.NewScheme()
	metav1.AddToGroupVersion(restored, schema.GroupVersion{Version: "v1"})
	utilruntime.Must(scheme.AddToScheme(restored))
	scheme.Scheme = restored
}
