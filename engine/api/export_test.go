package api

// StandardMachine is the machine of the library, which is made by packages above this one: the test package beside it says how.
var StandardMachine func() (*Machine, error)

// standard returns a copy of it.
func standard() *Machine {
	m, err := StandardMachine()
	if err != nil {
		panic(err)
	}
	return m.Clone()
}
