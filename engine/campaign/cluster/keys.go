package cluster

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nkeys"
)

// Files of the keys of servers of the user.
const (
	ServerKeys      = "server.conf"       // what their configuration includes
	CoordinatorFile = "coordinator.creds" // lets coordinators in
	SigningKeyFile  = "signing.key"       // makes what lets machines in
	RouteCA         = "route-ca.crt"      // of the certificates that servers show each other
	RouteCert       = "route.crt"
	RouteKey        = "route.key"
)

// workerName begins the name of a user that may work for one campaign.
const workerName = "smtlark-worker-"

// DeployedHosts are the names and addresses under which the servers of the folder deploy know each other.
var DeployedHosts = []string{"nats-0.nats", "nats-1.nats", "nats-2.nats", "localhost", "127.0.0.1"}

// MakeKeys makes the keys of servers of the user, in a folder that is made: of an operator and an account, by the JSON
// web tokens of NATS, and the certificate that servers with the names or addresses hosts show each other. The keys of
// the operator and of the authority that signed the certificate are not kept: other keys mean another folder.
func MakeKeys(folder string, hosts []string) error {
	if err := os.MkdirAll(filepath.Dir(folder), 0o700); err != nil {
		return err
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		return fmt.Errorf("keys go into a folder of their own, which is not there yet: %w", err)
	}
	var keys [4]nkeys.KeyPair
	var names [4]string
	for i, create := range []func() (nkeys.KeyPair, error){nkeys.CreateOperator, nkeys.CreateAccount, nkeys.CreateAccount, nkeys.CreateAccount} {
		var err error
		if keys[i], err = create(); err == nil {
			names[i], err = keys[i].PublicKey()
		}
		if err != nil {
			return err
		}
	}
	operator, system, account, signing := keys[0], names[1], names[2], keys[3]
	operatorClaims := jwt.NewOperatorClaims(names[0])
	operatorClaims.Name, operatorClaims.SystemAccount = "smtlark", system
	systemClaims := jwt.NewAccountClaims(system)
	systemClaims.Name = "system"
	accountClaims := jwt.NewAccountClaims(account)
	accountClaims.Name = "smtlark"
	accountClaims.SigningKeys.Add(names[3])
	accountClaims.Limits.JetStreamLimits = jwt.JetStreamLimits{MemoryStorage: jwt.NoLimit, DiskStorage: jwt.NoLimit, Streams: jwt.NoLimit, Consumer: jwt.NoLimit}
	var texts [3]string
	for i, claims := range []jwt.Claims{operatorClaims, systemClaims, accountClaims} {
		var err error
		if texts[i], err = claims.Encode(operator); err != nil {
			return err
		}
	}
	config := fmt.Sprintf("# Made by smtlark cluster keys. Nobody gets in without credentials that %s has signed.\noperator: %s\nsystem_account: %s\nresolver: MEMORY\nresolver_preload: {\n  %s: %s\n  %s: %s\n}\n",
		SigningKeyFile, texts[0], system, system, texts[1], account, texts[2])
	coordinator, err := credentials(signing, account, "smtlark-coordinator", jwt.Permissions{}, time.Time{})
	if err != nil {
		return err
	}
	seed, err := signing.Seed()
	if err != nil {
		return err
	}
	secret := account + "\n" + string(seed) + "\n"
	routes, err := routeCertificates(hosts)
	if err != nil {
		return err
	}
	for name, text := range routes {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
			return err
		}
	}
	return errors.Join(
		os.WriteFile(filepath.Join(folder, ServerKeys), []byte(config), 0o600),
		os.WriteFile(filepath.Join(folder, CoordinatorFile), coordinator, 0o600),
		os.WriteFile(filepath.Join(folder, SigningKeyFile), []byte(secret), 0o600))
}

// credentials returns the contents of a user's credentials file.
func credentials(signing nkeys.KeyPair, account, name string, may jwt.Permissions, until time.Time) ([]byte, error) {
	user, err := nkeys.CreateUser()
	if err != nil {
		return nil, err
	}
	public, err := user.PublicKey()
	if err != nil {
		return nil, err
	}
	claims := jwt.NewUserClaims(public)
	claims.Name, claims.IssuerAccount, claims.Permissions = name, account, may
	if !until.IsZero() {
		claims.Expires = until.Unix()
	}
	text, err := claims.Encode(signing)
	if err != nil {
		return nil, err
	}
	seed, err := user.Seed()
	if err != nil {
		return nil, err
	}
	return jwt.FormatUserConfig(text, seed)
}

// WorkerCredentials makes credentials that let machines work for one campaign until then, and do nothing else, with the
// file of a signing key.
func WorkerCredentials(file string, c Campaign, until time.Time) ([]byte, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	account, seed, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	signing, err := nkeys.FromSeed([]byte(strings.TrimSpace(seed)))
	if err != nil || !nkeys.IsValidPublicAccountKey(account) {
		return nil, fmt.Errorf("%s is no signing key: smtlark cluster keys makes one", file)
	}
	return credentials(signing, account, workerName+string(c), jwt.Permissions{
		Pub: jwt.Permission{Allow: WorkerMayPublish(c)}, Sub: jwt.Permission{Allow: WorkerMaySubscribe(c)},
	}, until)
}

// campaignOf returns the only campaign that a file of credentials is for; "": they do not say.
func campaignOf(file string) Campaign {
	text, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	token, err := jwt.ParseDecoratedJWT(text)
	if err != nil {
		return ""
	}
	claims, err := jwt.DecodeUserClaims(token)
	if err != nil {
		return ""
	}
	name, ok := strings.CutPrefix(claims.Name, workerName)
	if !ok {
		return ""
	}
	return Campaign(name)
}
