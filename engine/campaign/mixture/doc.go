// Package mixture says which part of a mixture of techniques makes a case, and how the weights of the parts follow what they
// find: the same on every machine.
package mixture
