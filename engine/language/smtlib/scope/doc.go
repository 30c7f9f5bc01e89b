// Package scope tracks which declarations terms and commands need and where they are in scope: the symbols and sorts
// that terms use (Uses), those declared after some commands (Declared), declarations that are missing (Missing) or
// unused (Prune), whether commands are well scoped (WellScoped), and a script of assertions with the declarations they
// need (WithAsserts).
package scope
