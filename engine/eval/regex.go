package eval

func equalRegex(v, w Value) Truth {
	if v.ref == w.ref {
		return True
	}
	return Unknown
}

func appendRegex(b []byte, v Value) []byte { return append(b, "regex"...) }
