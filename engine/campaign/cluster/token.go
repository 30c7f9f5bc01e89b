package cluster

import (
	"encoding/json"
	"fmt"
	"os"
)

// Token holds what a machine needs to connect to the server of a campaign. It is a secret.
type Token struct {
	User     string `json:"user"`
	Password string `json:"password"`
	// Campaign is the only campaign that the token is valid for.
	Campaign Campaign `json:"campaign"`
	// Certificate is the server's self-signed certificate, in PEM.
	Certificate string `json:"certificate"`
}

// ReadToken reads the file of a token.
func ReadToken(file string) (*Token, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	t := &Token{}
	if err := json.Unmarshal(text, t); err != nil || t.User == "" || t.Password == "" || t.Certificate == "" {
		return nil, fmt.Errorf("%s is no token: copy the file that the coordinator named when it started", file)
	}
	return t, nil
}
