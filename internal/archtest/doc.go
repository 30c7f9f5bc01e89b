// Package archtest holds the test that keeps docs/architecture.md's "Who may import whom".
package archtest
