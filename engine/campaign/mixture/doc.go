// Package mixture says which technique of a mixture makes a case, and how the weights of the techniques follow what
// they find. Both are the same on every machine.
package mixture
