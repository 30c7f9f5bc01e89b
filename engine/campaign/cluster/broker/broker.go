// Package broker is the NATS server that a coordinator starts by itself where no other is named.
package broker

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/smtlark/smtlark/engine/campaign/cluster"
)

// Broker is a running server.
type Broker struct {
	server    *server.Server
	TokenFile string // that lets machines join
	access    *cluster.Access
	address   string
}

// Bounds of the server.
const (
	maxMemory    = 256 << 20
	maxDisk      = 8 << 30
	maxPending   = 64 << 20
	startTimeout = 20 * time.Second
)

// kept is the state that a server keeps in its folder, so that machines find it again after a restart.
type kept struct {
	Port        int             `json:"port"`
	Admin       cluster.Token   `json:"admin"`
	Worker      cluster.Token   `json:"worker"`
	Key         string          `json:"key"` // of the certificate, in PEM
	Certificate tls.Certificate `json:"-"`
}

// Start starts the server of a campaign in a folder of its own. address is HOST:PORT; "" is a free port of the
// loopback, and a port of 0 any free one. The port, the certificate and the tokens that it generates stay the same when
// it is started again in that folder.
func Start(folder, address string, campaign cluster.Campaign) (*Broker, error) {
	if address == "" {
		address = "127.0.0.1:0"
	}
	host, portText, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("--cluster %s: want HOST:PORT, or addresses nats://HOST:PORT: %w", address, err)
	}
	port, err := strconv.Atoi(portText)
	if err != nil || port < 0 || port > 65535 {
		return nil, fmt.Errorf("--cluster %s: %q is no port", address, portText)
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	k, err := load(folder, campaign)
	if err != nil {
		return nil, err
	}
	if port == 0 {
		port = k.Port
	}
	b, err := start(folder, host, port, campaign, k)
	if err != nil && port == k.Port && port != 0 { // somebody else has it by now
		b, err = start(folder, host, 0, campaign, k)
	}
	if err != nil {
		return nil, err
	}
	k.Port = b.server.Addr().(*net.TCPAddr).Port
	return b, errors.Join(write(filepath.Join(folder, keptFile), k), write(b.TokenFile, &k.Worker), write(filepath.Join(folder, "admin.token"), &k.Admin))
}

func start(folder, host string, port int, campaign cluster.Campaign, k *kept) (*Broker, error) {
	if port == 0 {
		port = server.RANDOM_PORT
	}
	options := &server.Options{
		ServerName: cluster.ServerName, Host: host, Port: port, NoSigs: true, NoLog: true,
		JetStream: true, StoreDir: filepath.Join(folder, "streams"), JetStreamMaxMemory: maxMemory, JetStreamMaxStore: maxDisk, MaxPending: maxPending,
		TLSConfig:  &tls.Config{Certificates: []tls.Certificate{k.Certificate}, MinVersion: tls.VersionTLS13},
		TLSTimeout: 5, AuthTimeout: 5,
		Users: []*server.User{
			{Username: k.Admin.User, Password: k.Admin.Password},
			{Username: k.Worker.User, Password: k.Worker.Password, Permissions: &server.Permissions{
				Publish:   &server.SubjectPermission{Allow: cluster.WorkerMayPublish(campaign)},
				Subscribe: &server.SubjectPermission{Allow: cluster.WorkerMaySubscribe(campaign)},
			}},
		},
	}
	s, err := server.NewServer(options)
	if err != nil {
		return nil, fmt.Errorf("the embedded NATS server: %w", err)
	}
	go s.Start()
	if !s.ReadyForConnections(startTimeout) {
		s.Shutdown()
		return nil, fmt.Errorf("the embedded NATS server does not start at %s: is the port taken, or %s not writable?", net.JoinHostPort(host, strconv.Itoa(max(0, port))), folder)
	}
	address := s.Addr().String()
	b := &Broker{server: s, TokenFile: filepath.Join(folder, "worker.token"), address: address}
	b.access = &cluster.Access{URLs: "nats://" + net.JoinHostPort(reachable(host), portOf(address)), Token: &k.Admin}
	return b, nil
}

// reachable is an address of this machine by which it can reach a server that listens on host.
func reachable(host string) string {
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		return "127.0.0.1"
	}
	return host
}

func portOf(address string) string {
	_, port, _ := net.SplitHostPort(address)
	return port
}

// Access returns the credentials of the coordinator.
func (b *Broker) Access() *cluster.Access { return b.access }

// URL returns the address that other machines connect to.
func (b *Broker) URL() string {
	host, port, _ := net.SplitHostPort(b.address)
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		if name, err := os.Hostname(); err == nil {
			host = name
		}
	}
	return "nats://" + net.JoinHostPort(host, port)
}

// Stop ends the server.
func (b *Broker) Stop() {
	b.server.Shutdown()
	b.server.WaitForShutdown()
}

const keptFile = "server.json"

// load reads the state that an earlier server of the campaign left, or generates a new one.
func load(folder string, campaign cluster.Campaign) (*kept, error) {
	k := &kept{}
	text, err := os.ReadFile(filepath.Join(folder, keptFile))
	switch {
	case err == nil:
		if err = json.Unmarshal(text, k); err != nil {
			return nil, fmt.Errorf("%s: %w; remove the folder to begin anew", filepath.Join(folder, keptFile), err)
		}
	case errors.Is(err, fs.ErrNotExist):
		if k, err = makeUp(campaign); err != nil {
			return nil, err
		}
	default:
		return nil, err
	}
	k.Certificate, err = tls.X509KeyPair([]byte(k.Admin.Certificate), []byte(k.Key))
	return k, err
}

// years is the validity of a certificate before and after it was made: the clocks of machines differ by more than one
// thinks.
const years = 10

func makeUp(campaign cluster.Campaign) (*kept, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: cluster.ServerName}, DNSNames: []string{cluster.ServerName},
		NotBefore: time.Now().AddDate(-years, 0, 0), NotAfter: time.Now().AddDate(years, 0, 0),
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IsCA: true, BasicConstraintsValid: true,
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	private, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	certificate := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}))
	return &kept{
		Key:    string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: private})),
		Admin:  cluster.Token{User: "coordinator", Password: rand.Text(), Campaign: campaign, Certificate: certificate},
		Worker: cluster.Token{User: cluster.WorkerUser, Password: rand.Text(), Campaign: campaign, Certificate: certificate},
	}, nil
}

// write writes a secret.
func write(file string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o600)
}
