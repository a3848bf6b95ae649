// Package celscope completes and describes CEL expressions. A [Scope] holds the variables,
// types and functions that an expression may use: the rules of a schema, the expressions of
// an admission policy, or the expressions of the console.
package celscope
