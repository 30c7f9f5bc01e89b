// Package unchanged holds the test that says when cases, reduced cases or verdicts of fixed seeds become others:
// nothing that a campaign makes or finds changes by accident. Its testdata has the hashes as they are; go test
// ./internal/unchanged -update takes new ones, which the commit that does so explains.
package unchanged
