// Package farm runs campaigns without end over builds of solvers that change: a new build ends the running campaigns and begins them again, which looks at what is known first;
// findings whose status that changes are bisected over the builds that are still there, and old runs are removed.
package farm
