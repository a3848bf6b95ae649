// Package customresource follows the API server's handling of custom resources where its
// code is not exported or does not build for WebAssembly: the strategy and the table
// conversion of k8s.io/apiextensions-apiserver/pkg/registry/customresource, the conversion
// between versions, and the field managers. It knows objects and versions, but no requests.
package customresource
