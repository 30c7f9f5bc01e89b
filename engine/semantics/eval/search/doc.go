// Package search makes values and models without a solver: at random, and by local search for a model of a script.
package search
