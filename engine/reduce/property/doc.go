// Package property says what a reduction keeps: something about what targets do with the case, and asks targets about candidates
// (Runner).
package property
