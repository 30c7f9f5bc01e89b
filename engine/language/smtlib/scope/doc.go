// Package scope knows what terms and commands need to be declared and what is declared where: what terms use (Uses),
// what is declared behind some commands (Declared), the declarations that are missing (Missing) or that nothing needs
// (Prune), whether commands are in their place (WellScoped), and the script of some assertions with the declarations
// they need (WithAsserts).
package scope
