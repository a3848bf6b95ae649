//go:build (!js || program) && !kubernetes1.31 && !kubernetes1.32 && !kubernetes1.33 && !kubernetes1.34

package refserver

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/storage"
)

func (s *store) Delete(
	ctx context.Context, key string, out runtime.Object, preconditions *storage.Preconditions,
	validate storage.ValidateObjectFunc, _ runtime.Object, _ storage.DeleteOptions,
) error {
	return s.remove(ctx, key, out, preconditions, validate)
}

func (s *store) Stats(context.Context) (storage.Stats, error) {
	return storage.Stats{ObjectCount: int64(len(s.records))}, nil
}

func (s *store) EnableResourceSizeEstimation(storage.KeysFunc) error { return nil }

func corruptError(key string, err *undecodableError) error {
	return storage.NewCorruptObjError(key, err)
}
