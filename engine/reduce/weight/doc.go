// Package weight measures what reductions lower: the weight of terms, sorts, commands, calls and values of options.
// Every step that is kept makes a case lighter, so reductions end.
package weight
