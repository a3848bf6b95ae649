package admission

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/crdlab/crdlab/internal/playground"
)

// AdminsGroup is the group of cluster administrators in kubeadm clusters.
const AdminsGroup = "kubeadm:cluster-admins"

// Requester returns the user of a scenario's requests. The default user is the
// administrator of a kubeadm cluster. Like the API server, Requester adds the group
// system:authenticated to each user except system:anonymous.
func Requester(s playground.Scenario) user.Info {
	if s.User == "" && s.Groups == "" {
		return &user.DefaultInfo{Name: "kubernetes-admin", Groups: []string{AdminsGroup, user.AllAuthenticated}}
	}
	info := &user.DefaultInfo{Name: cmp.Or(s.User, "kubernetes-admin")}
	for group := range strings.SplitSeq(s.Groups, ",") {
		if group = strings.TrimSpace(group); group != "" {
			info.Groups = append(info.Groups, group)
		}
	}
	if info.Name != user.Anonymous && !slices.Contains(info.Groups, user.AllAuthenticated) {
		info.Groups = append(info.Groups, user.AllAuthenticated)
	}
	return info
}
