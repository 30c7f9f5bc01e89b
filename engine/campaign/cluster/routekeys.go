package cluster

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"time"
)

// routeLife is how long the certificates of servers are valid. The keys beside them never expire, so it covers the time
// for which anybody is likely to use those.
const routeLife = 10 * 365 * 24 * time.Hour

// routeCertificates makes an authority, and one certificate of it with which servers prove each other that they are
// some: as the one that connects and as the one that is connected to. The files are PEM, by name.
func routeCertificates(hosts []string) (files map[string][]byte, err error) {
	if len(hosts) == 0 {
		return nil, fmt.Errorf("the servers need names or addresses")
	}
	authority := &x509.Certificate{
		Subject: pkix.Name{CommonName: "smtlark routes"}, IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true, KeyUsage: x509.KeyUsageCertSign,
	}
	server := &x509.Certificate{
		Subject: pkix.Name{CommonName: "smtlark server"}, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			server.IPAddresses = append(server.IPAddresses, ip)
		} else {
			server.DNSNames = append(server.DNSNames, host)
		}
	}
	for _, c := range []*x509.Certificate{authority, server} {
		if c.SerialNumber, err = rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120)); err != nil {
			return nil, err
		}
		c.NotBefore = time.Now().Add(-time.Hour) // clocks differ
		c.NotAfter = c.NotBefore.Add(routeLife)
	}
	signing, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	ofAuthority, err := x509.CreateCertificate(rand.Reader, authority, authority, &signing.PublicKey, signing)
	if err != nil {
		return nil, err
	}
	ofServer, err := x509.CreateCertificate(rand.Reader, server, authority, &key.PublicKey, signing)
	if err != nil {
		return nil, err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	block := func(kind string, text []byte) []byte { return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: text}) }
	return map[string][]byte{
		RouteCA: block("CERTIFICATE", ofAuthority), RouteCert: block("CERTIFICATE", ofServer), RouteKey: block("PRIVATE KEY", secret),
	}, nil
}
