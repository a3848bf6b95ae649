package formatting

// SameValue is sameValue for the tests.
var SameValue = sameValue
