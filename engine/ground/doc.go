// Package ground has the helpers that all others stand on, which know nothing of SMT. Read system first: what differs between operating systems.
// Then rng (randomness that a case number decides), display (untrusted text made safe to show), durable (files that are written whole or not at all), and
// spelling, expression and cells, which are small.
package ground
