package edit

// SameValue exports sameValue to the tests.
var SameValue = sameValue
