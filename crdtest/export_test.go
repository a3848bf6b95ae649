package crdtest

// For tests of failures, which must not fail.
var CheckMutations = checkMutations

type Mutations = mutations
