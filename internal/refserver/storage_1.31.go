//go:build kubernetes1.31

package refserver

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/storage"
)

func (s *store) Delete(
	ctx context.Context, key string, out runtime.Object, preconditions *storage.Preconditions,
	validate storage.ValidateObjectFunc, _ runtime.Object,
) error {
	return s.remove(ctx, key, out, preconditions, validate)
}

func (s *store) Count(string) (int64, error) { return int64(len(s.records)), nil }

func corruptError(_ string, err *undecodableError) error { return err }
