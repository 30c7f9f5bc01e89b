package command

import (
	"fmt"
	"net"
	"strings"

	"github.com/smtlark/smtlark/engine/ground/system"
)

// ListenLoopback listens; an address without a host means the loopback interface. With fallback it takes a free port
// when the given one is taken.
func ListenLoopback(addr string, fallback bool) (net.Listener, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil && !strings.Contains(addr, ":") { // a port alone
		host, port, err = "", addr, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", addr, err)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if fallback && system.AddressInUse(err) {
		l, err = net.Listen("tcp", net.JoinHostPort(host, "0"))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", addr, err)
	}
	return l, nil
}
