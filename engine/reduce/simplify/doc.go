// Package simplify lists replacements of a term for reductions: its value, smaller literals, and shortcuts that are no laws. Lighter terms
// that mean the same are what engine/semantics/rewrite finds by the laws.
package simplify
