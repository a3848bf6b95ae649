package feature

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/crdlab/crdlab/internal/playground"
)

// AdminsGroup is the group that may do everything in clusters that kubeadm made.
const AdminsGroup = "kubeadm:cluster-admins"

// Requester is who makes the requests of a scenario.
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
