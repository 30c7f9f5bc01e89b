// Package results has what is kept of campaigns, and how it is shown. Read store first: findings and runs in a folder. Then report (status, summary, pages), and
// benchmark: whole programs side by side.
package results
