// Package farm runs campaigns without end over builds of solvers that change. A new build ends the running campaigns
// and begins them again; each looks first at the known findings. Where that changes a finding's status, the finding is
// bisected over the builds that are still there. Old runs are removed.
package farm
