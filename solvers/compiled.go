package solvers

import "sync"

type compiledProfile struct {
	once sync.Once
}
