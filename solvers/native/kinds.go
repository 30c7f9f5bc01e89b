package native

func init() {
	kinds["z3"] = newZ3
	kinds["cvc5"] = newCvc5
	kinds["bitwuzla"] = newBitwuzla
	kinds["boolector"] = newBoolector
	kinds["yices2"] = newYices
}
