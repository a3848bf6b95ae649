package apiserver

import (
	"context"
	"net/http"
	"path"
	"strconv"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/client-go/tools/cache"
)

// settleTimeout is the longest delay of an answer about a CRD.
const settleTimeout = time.Second

// A settler delays the answers to changes of CRDs until the server itself has seen the change. With etcd
// on a disk, the next request of a client arrives after that. Here, it would overtake the change.
type settler struct {
	stored clientv3.KV
	// seen has the CRDs that the server has seen. It is set before the server serves.
	seen cache.Store
}

// around returns a handler that delays the answers of next. The context of the requests has their users.
func (s *settler) around(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r)
		info, _ := request.RequestInfoFrom(r.Context())
		requester, _ := request.UserFrom(r.Context())
		if info.APIGroup != apiextensions.GroupName || info.Resource != "customresourcedefinitions" || requester.GetName() == user.APIServerUser {
			return
		}
		if info.Verb == "create" || info.Verb == "update" || info.Verb == "patch" {
			s.settle(r.Context())
		}
	})
}

// settle waits until the server has seen the present CRDs.
func (s *settler) settle(ctx context.Context) {
	present, err := s.stored.Get(ctx, keyPrefix+"/apiextensions.k8s.io/customresourcedefinitions/", clientv3.WithPrefix(), clientv3.WithKeysOnly())
	if err != nil {
		return
	}
	end := time.Now().Add(settleTimeout)
	for _, kv := range present.Kvs {
		for !s.sees(path.Base(string(kv.Key)), kv.ModRevision) && time.Now().Before(end) {
			time.Sleep(time.Millisecond)
		}
	}
	time.Sleep(3 * time.Millisecond) // The handlers of the change run on their own.
}

// sees reports whether the server has seen a revision of a CRD.
func (s *settler) sees(name string, revision int64) bool {
	object, _, _ := s.seen.GetByKey(name)
	crd, err := meta.Accessor(object)
	if err != nil {
		return false
	}
	seen, err := strconv.ParseInt(crd.GetResourceVersion(), 10, 64)
	return err == nil && seen >= revision
}
