// Package results has the verbs that look at what campaigns have found: findings, report, serve and compare.
package results
