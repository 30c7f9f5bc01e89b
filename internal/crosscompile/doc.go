// Package crosscompile holds the test that smtlark builds for the systems of docs/systems.md.
package crosscompile
