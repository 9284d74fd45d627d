package external

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"sync"
	"time"

	"k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"
)

const validity = 24 * time.Hour

// Authority is a certificate authority with its key.
type Authority struct {
	Certificate *x509.Certificate
	Key         crypto.Signer
}

// Files are the certificates, keys and tokens of a server, each a file in a directory of its own.
type Files struct {
	Dir string
	// ClientCA and ProxyCA are authorities. A test may write others into these files before the start.
	ClientCA, ProxyCA string
	// ProxyCert and ProxyKey are those the server presents to servers behind it.
	ProxyCert, ProxyKey string
	// ServingCert and ServingKey are the server's own; ServingCA is what clients trust, in PEM.
	ServingCert, ServingKey string
	ServingCA               []byte
	// SigningKey signs tokens of service accounts. It is the same for all servers of a test program.
	SigningKey string
	// Tokens is a token file in which Token is that of an administrator.
	Tokens, Token string
}

// The name of the administrator is the one that kube-apiserver gives its own client.
const administrator = `,system:apiserver,system:apiserver,"system:masters"`

var signingKey = sync.OnceValues(func() ([]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	return keyutil.MarshalPrivateKeyToPEM(key)
})

// NewFiles writes the files. Without an authority for front proxies a new one is made.
func NewFiles(proxyAuthority *Authority) (*Files, error) {
	dir, err := os.MkdirTemp("", "suite-server-")
	if err != nil {
		return nil, err
	}
	path := func(name string) string { return filepath.Join(dir, name) }
	files := &Files{
		Dir:         dir,
		ClientCA:    path("client-ca.crt"),
		ProxyCA:     path("proxy-ca.crt"),
		ProxyCert:   path("proxy-client.crt"),
		ProxyKey:    path("proxy-client.key"),
		ServingCert: path("apiserver.crt"),
		ServingKey:  path("apiserver.key"),
		SigningKey:  path("service-accounts.key"),
		Tokens:      path("tokens.csv"),
		Token:       rand.Text(),
	}
	if proxyAuthority == nil {
		if proxyAuthority, err = newAuthority("front-proxy-ca"); err != nil {
			return nil, err
		}
	}
	clientAuthority, err := newAuthority("client-ca")
	if err != nil {
		return nil, err
	}
	proxyCert, proxyKey, err := proxyAuthority.issue("front-proxy-client")
	if err != nil {
		return nil, err
	}
	servingCert, servingKey, err := cert.GenerateSelfSignedCertKey("127.0.0.1", nil, []string{"localhost", "kubernetes.default.svc"})
	if err != nil {
		return nil, err
	}
	files.ServingCA = servingCert
	signing, err := signingKey()
	if err != nil {
		return nil, err
	}
	for name, content := range map[string][]byte{
		files.ClientCA:    certificatePEM(clientAuthority.Certificate.Raw),
		files.ProxyCA:     certificatePEM(proxyAuthority.Certificate.Raw),
		files.ProxyCert:   proxyCert,
		files.ProxyKey:    proxyKey,
		files.ServingCert: servingCert,
		files.ServingKey:  servingKey,
		files.SigningKey:  signing,
	} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// addTokens writes the token file: the tokens of a test, if it has a file of its own, and the administrator's.
func (f *Files) addTokens(tokenFile string) error {
	content := []byte(f.Token + administrator + "\n")
	if tokenFile != "" {
		own, err := os.ReadFile(tokenFile)
		if err != nil {
			return err
		}
		content = append(content, own...)
	}
	return os.WriteFile(f.Tokens, content, 0o600)
}

func newAuthority(name string) (*Authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	certificate, err := cert.NewSelfSignedCACert(cert.Config{CommonName: name}, key)
	if err != nil {
		return nil, err
	}
	return &Authority{Certificate: certificate, Key: key}, nil
}

// issue makes a client certificate and its key, in PEM.
func (a *Authority) issue(name string) ([]byte, []byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 62))
	if err != nil {
		return nil, nil, err
	}
	template := x509.Certificate{
		Subject:      pkix.Name{CommonName: name},
		SerialNumber: serial.Add(serial, big.NewInt(1)),
		NotBefore:    a.Certificate.NotBefore,
		NotAfter:     time.Now().Add(validity),
		KeyUsage:     x509.KeyUsageDigitalSignature | x509.KeyUsageKeyEncipherment,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, &template, a.Certificate, key.Public(), a.Key)
	if err != nil {
		return nil, nil, err
	}
	keyPEM, err := keyutil.MarshalPrivateKeyToPEM(key)
	if err != nil {
		return nil, nil, err
	}
	return certificatePEM(der), keyPEM, nil
}

func certificatePEM(der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: cert.CertificateBlockType, Bytes: der})
}
