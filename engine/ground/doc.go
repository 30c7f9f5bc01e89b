// Package ground has the helpers that are independent of SMT. All other parts of the engine build on it. Read system
// first: it has the code that differs between operating systems. Then rng (randomness that a case number decides),
// display (makes untrusted text safe to show) and durable (writes a file whole or not at all). spelling, expression,
// download, pattern and cells are small.
package ground
