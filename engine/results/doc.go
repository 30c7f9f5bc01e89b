// Package results keeps what campaigns find, and shows it. Read store first: findings and runs, in a database and in
// folders. Then report: status, summary and pages. benchmark compares whole programs side by side.
package results
