// Package unchanged holds the test that detects changes of the cases, reduced cases or verdicts of fixed seeds, so that
// no result of a campaign changes by accident. Its testdata has the current hashes. go test ./internal/unchanged
// -update replaces them; the commit must explain why.
package unchanged
