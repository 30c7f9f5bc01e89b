// Package value has the Starlark values that modules of the script API share: terms and sorts, cases with their commands and
// places, models, and the corpus. A Session is what a thread keeps of them between and during cases.
package value
