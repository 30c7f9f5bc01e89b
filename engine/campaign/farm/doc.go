// Package farm runs campaigns without end over builds of solvers that change. If there is a new build, the running
// campaigns are ended and started again; each checks the known findings first. If the status of a finding changes, the
// finding is bisected over the builds that still exist. Old runs are removed.
package farm
