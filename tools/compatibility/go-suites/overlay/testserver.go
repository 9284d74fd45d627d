// Package testing starts a kube-apiserver, or a server with the same flags, as a program of its own.
package testing

import (
	"crypto/rsa"
	"crypto/x509"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
	clientv3 "go.etcd.io/etcd/client/v3"

	"k8s.io/apiextensions-apiserver/test/integration/external"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storageversion"
	"k8s.io/apiserver/pkg/util/compatibility"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	restclient "k8s.io/client-go/rest"
	basecompatibility "k8s.io/component-base/compatibility"
	"k8s.io/component-base/featuregate"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"
	"k8s.io/kubernetes/test/utils/ktesting"
)

const issuer = "https://foo.bar.example.com"

// TearDownFunc ends a server.
type TearDownFunc func()

// TestServerInstanceOptions are what a test wants beside flags.
type TestServerInstanceOptions struct {
	SkipHealthzCheck bool
	// EnableCertAuth has no effect: client certificates are always accepted.
	EnableCertAuth bool
	// StorageVersionWrapFunc cannot reach into another process: a test that sets it is skipped.
	StorageVersionWrapFunc func(storageversion.Manager) storageversion.Manager
	ProxyCA                *ProxyCA
	// BinaryVersion cannot be chosen for a program that is built: a test that sets it is skipped.
	BinaryVersion  string
	RequestTimeout time.Duration
}

// TestServer is a server that runs.
type TestServer struct {
	ClientConfig      *restclient.Config
	ServerOpts        *options.ServerRunOptions
	TearDownFn        TearDownFunc
	TmpDir            string
	EtcdClient        *clientv3.Client
	EtcdStoragePrefix string
}

// Logger is the part of testing.T that other fixtures need.
type Logger interface {
	Helper()
	Errorf(format string, args ...interface{})
	Fatalf(format string, args ...interface{})
	Logf(format string, args ...interface{})
	Cleanup(func())
}

// ProxyCA is an authority for front proxies that several servers share.
type ProxyCA struct {
	ProxySigningCert *x509.Certificate
	ProxySigningKey  *rsa.PrivateKey
}

// NewDefaultTestServerOptions are the options of most tests.
func NewDefaultTestServerOptions() *TestServerInstanceOptions {
	return &TestServerInstanceOptions{EnableCertAuth: true}
}

// StartTestServer starts a server with flags of kube-apiserver and waits until it is healthy.
func StartTestServer(t ktesting.TB, instance *TestServerInstanceOptions, flags []string, storage *storagebackend.Config) (TestServer, error) {
	if instance == nil {
		instance = NewDefaultTestServerOptions()
	}
	if instance.BinaryVersion != "" || instance.StorageVersionWrapFunc != nil {
		t.Skip("not applicable: the test changes the program of the server")
	}
	var authority *external.Authority
	if instance.ProxyCA != nil {
		authority = &external.Authority{Certificate: instance.ProxyCA.ProxySigningCert, Key: instance.ProxyCA.ProxySigningKey}
	}
	files, err := external.NewFiles(authority)
	if err != nil {
		return TestServer{}, err
	}
	inherited := external.FeatureFlags(utilfeature.DefaultMutableFeatureGate)
	if version := utilfeature.DefaultMutableFeatureGate.EmulationVersion(); !version.EqualTo(compatibility.DefaultKubeEffectiveVersionForTest().BinaryVersion()) {
		inherited = append(inherited, "--emulated-version="+version.String())
	}

	opts, registry, features := newOptions()
	Baseline(opts, files)
	opts.Etcd.StorageConfig = *storage
	opts.ServiceClusterIPRanges = "10.0.0.0/16"
	if instance.RequestTimeout > 0 {
		opts.GenericServerRunOptions.RequestTimeout = instance.RequestTimeout
	}
	set := pflag.NewFlagSet("server", pflag.ContinueOnError)
	for _, named := range opts.Flags().FlagSets {
		set.AddFlagSet(named)
	}
	if err := set.Parse(flags); err != nil {
		return TestServer{}, err
	}
	if err := registry.Set(); err != nil {
		return TestServer{}, err
	}
	followFeatures(t, features)
	more := append(inherited, versionFlags(flags)...)
	wait := external.Wait{Health: !instance.SkipHealthzCheck, Namespaces: []string{"default"}}
	etcd, _, err := GetEtcdClients(storage.Transport)
	if err != nil {
		return TestServer{}, err
	}
	result := TestServer{ServerOpts: opts, EtcdClient: etcd}
	if !startsAgain[t.Name()] && canShare(instance, flags) {
		pooled, err := external.Acquire(fmt.Sprint(flags, more), etcd, func() (*external.Server, string, error) {
			server, err := Launch(files, opts, more, wait)
			return server, storage.Prefix, err
		})
		if err != nil {
			return TestServer{}, err
		}
		if pooled != nil {
			if pooled.Server.Files != files {
				_ = os.RemoveAll(files.Dir)
			}
			storage.Prefix, opts.Etcd.StorageConfig.Prefix = pooled.Prefix, pooled.Prefix
			result.ClientConfig = restclient.CopyConfig(pooled.Server.Config)
			result.TmpDir = pooled.Server.Files.Dir
			result.EtcdStoragePrefix = pooled.Prefix
			result.TearDownFn = func() {
				if err := pooled.Release(etcd); err != nil {
					t.Errorf("the server's data: %v", err)
				}
				_ = etcd.Close()
			}
			return result, nil
		}
	}
	server, err := Launch(files, opts, more, wait)
	if err != nil {
		_ = etcd.Close()
		return TestServer{}, err
	}
	result.ClientConfig = server.Config
	result.TmpDir = files.Dir
	result.EtcdStoragePrefix = storage.Prefix
	result.TearDownFn = func() {
		server.Stop()
		_ = etcd.Close()
	}
	return result, nil
}

// startsAgain are tests that start a second server on the data of the first one. The data of a shared server would have been put back.
var startsAgain = map[string]bool{"TestCRDsOnStartup": true}

// canShare is whether a test may use a server that others with the same flags use: with SUITE_POOL=true, and if no file of the test is involved.
func canShare(instance *TestServerInstanceOptions, flags []string) bool {
	if os.Getenv("SUITE_POOL") != "true" || instance.ProxyCA != nil || instance.SkipHealthzCheck || instance.RequestTimeout > 0 {
		return false
	}
	return !strings.Contains(strings.Join(flags, " "), "/tmp/") && !strings.Contains(strings.Join(flags, " "), os.TempDir())
}

// StartTestServerOrDie starts a server, or ends the test.
func StartTestServerOrDie(t testing.TB, instance *TestServerInstanceOptions, flags []string, storage *storagebackend.Config) *TestServer {
	server, err := StartTestServer(t, instance, flags, storage)
	if err != nil {
		t.Fatalf("no server: %v", err)
	}
	return &server
}

// Baseline sets the options that every server has: files, and where tokens of service accounts come from.
func Baseline(opts *options.ServerRunOptions, files *external.Files) {
	opts.SecureServing.ServerCert.CertDirectory = files.Dir
	opts.SecureServing.ServerCert.CertKey.CertFile = files.ServingCert
	opts.SecureServing.ServerCert.CertKey.KeyFile = files.ServingKey
	opts.Authentication.ClientCert.ClientCA = files.ClientCA
	opts.Authentication.RequestHeader.ClientCAFile = files.ProxyCA
	opts.Authentication.RequestHeader.UsernameHeaders = []string{"X-Remote-User"}
	opts.Authentication.RequestHeader.GroupHeaders = []string{"X-Remote-Group"}
	opts.Authentication.RequestHeader.ExtraHeaderPrefixes = []string{"X-Remote-Extra-"}
	opts.Authentication.RequestHeader.AllowedNames = []string{"front-proxy-client", "kube-aggregator", "ash", "misty", "brock"}
	opts.ProxyClientCertFile = files.ProxyCert
	opts.ProxyClientKeyFile = files.ProxyKey
	opts.ServiceAccountSigningKeyFile = files.SigningKey
	opts.Authentication.ServiceAccounts.Issuers = []string{issuer}
	opts.Authentication.ServiceAccounts.KeyFiles = []string{files.SigningKey}
}

// Launch starts the server that the options describe.
func Launch(files *external.Files, opts *options.ServerRunOptions, more []string, wait external.Wait) (*external.Server, error) {
	tokens := opts.Authentication.TokenFile.TokenFile
	return external.Start(files, append(flagsOf(opts), more...), tokens, wait)
}

// The address and the token file are set by the start. Features and versions belong to a registry, and are passed on as they were given.
var skipped = map[string]bool{
	"bind-address": true, "secure-port": true, "token-auth-file": true, "permit-port-sharing": true,
	"feature-gates": true, "emulated-version": true, "min-compatibility-version": true,
}

// flagsOf are the options that differ from those of a new server, as flags. Nobody chooses the mode of authorization for the server.
func flagsOf(opts *options.ServerRunOptions) []string {
	fresh := map[string]string{}
	defaults, _, _ := newOptions()
	for _, set := range defaults.Flags().FlagSets {
		set.VisitAll(func(flag *pflag.Flag) { fresh[flag.Name] = flag.Value.String() })
	}
	flags := []string{fmt.Sprintf("--allow-privileged=%t", opts.AllowPrivileged)}
	if opts.Authorization.AuthorizationConfigurationFile == "" && len(opts.Authorization.Modes) == 0 {
		flags = append(flags, "--authorization-mode=AlwaysAllow")
	}
	for _, set := range opts.Flags().FlagSets {
		set.VisitAll(func(flag *pflag.Flag) {
			if skipped[flag.Name] || flag.Name == "allow-privileged" || flag.Value.String() == fresh[flag.Name] {
				return
			}
			value := flag.Value.String()
			if list, ok := flag.Value.(pflag.SliceValue); ok {
				value = strings.Join(list.GetSlice(), ",")
			}
			flags = append(flags, "--"+flag.Name+"="+value)
		})
	}
	return flags
}

// versionFlags are the flags of features and versions among the arguments of a test.
func versionFlags(args []string) []string {
	found := []string{}
	for i, arg := range args {
		name, _, whole := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
		if name != "feature-gates" && name != "emulated-version" && name != "min-compatibility-version" {
			continue
		}
		if !whole && i+1 < len(args) {
			arg += "=" + args[i+1]
		}
		found = append(found, arg)
	}
	return found
}

// NewOptions are the options of a new server.
func NewOptions() *options.ServerRunOptions {
	opts, _, _ := newOptions()
	return opts
}

func newOptions() (*options.ServerRunOptions, basecompatibility.ComponentGlobalsRegistry, featuregate.MutableVersionedFeatureGate) {
	features := utilfeature.DefaultMutableFeatureGate.DeepCopy()
	version := compatibility.DefaultKubeEffectiveVersionForTest()
	version.SetEmulationVersion(features.EmulationVersion())
	version.SetMinCompatibilityVersion(features.MinCompatibilityVersion())
	registry := basecompatibility.NewComponentGlobalsRegistry()
	if err := registry.Register(basecompatibility.DefaultKubeComponent, version, features); err != nil {
		panic(err)
	}
	opts := options.NewServerRunOptions()
	opts.GenericServerRunOptions.ComponentGlobalsRegistry = registry
	return opts, registry, features
}

// followFeatures gives the process of the test the features of the server: tests ask for them.
func followFeatures(t ktesting.TB, features featuregate.MutableVersionedFeatureGate) {
	mine := utilfeature.DefaultMutableFeatureGate
	if !features.EmulationVersion().EqualTo(mine.EmulationVersion()) {
		featuregatetesting.SetFeatureGateVersionsDuringTest(t, mine, features.EmulationVersion(), features.MinCompatibilityVersion())
	}
	changed := map[featuregate.Feature]bool{}
	for feature := range mine.GetAll() {
		if enabled := features.Enabled(feature); enabled != mine.Enabled(feature) {
			changed[feature] = enabled
		}
	}
	if len(changed) > 0 {
		featuregatetesting.SetFeatureGatesDuringTest(t, utilfeature.DefaultFeatureGate, changed)
	}
}

// GetEtcdClients gives a client of the etcd.
func GetEtcdClients(config storagebackend.TransportConfig) (*clientv3.Client, clientv3.KV, error) {
	client, err := clientv3.New(clientv3.Config{Endpoints: config.ServerList, DialTimeout: 20 * time.Second})
	if err != nil {
		return nil, nil, err
	}
	return client, clientv3.NewKV(client), nil
}
