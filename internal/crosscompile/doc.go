// Package crosscompile holds the test that smtlark builds for the systems of docs/systems.md, and for Linux on arm64.
package crosscompile
