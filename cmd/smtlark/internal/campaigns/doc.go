// Package campaigns has the verbs that run campaigns and their findings: run, fuzz with the command lines of other
// fuzzers, api, repro, bisect, and worker, which run starts.
package campaigns
