// Package process starts worker processes, and ends them with everything that they have started.
package process
