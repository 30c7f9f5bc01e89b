package native

func init() {
	kinds["z3"] = newZ3
	kinds["bitwuzla"] = newBitwuzla
}
