package framework

import (
	"context"
	"os"
	"path"
	"testing"

	"github.com/google/uuid"

	"k8s.io/apiextensions-apiserver/test/integration/external"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	client "k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"
	servertesting "k8s.io/kubernetes/cmd/kube-apiserver/app/testing"
	"k8s.io/kubernetes/pkg/controlplane"
)

// TestServerSetup is what a test changes of a server.
type TestServerSetup struct {
	ModifyServerRunOptions func(*options.ServerRunOptions)
	// ModifyServerConfig cannot reach into another process: see serveReviews.
	ModifyServerConfig func(*controlplane.Config)
}

// TearDownFunc ends a server.
type TearDownFunc func()

// StartTestServer starts a server and waits until it is healthy.
func StartTestServer(ctx context.Context, t testing.TB, setup TestServerSetup) (client.Interface, *rest.Config, TearDownFunc) {
	files, err := external.NewFiles(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(files.Dir) })
	features := external.FeatureFlags(utilfeature.DefaultMutableFeatureGate)
	opts := servertesting.NewOptions()
	servertesting.Baseline(opts, files)
	opts.Etcd.StorageConfig.Prefix = path.Join("/", uuid.New().String(), "registry")
	opts.Etcd.StorageConfig.Transport.ServerList = []string{GetEtcdURL()}
	opts.ServiceClusterIPRanges = "10.0.0.0/24"
	opts.Authentication.APIAudiences = []string{"https://foo.bar.example.com"}
	opts.Authorization.Modes = []string{"Node", "RBAC"}
	if setup.ModifyServerRunOptions != nil {
		setup.ModifyServerRunOptions(opts)
	}
	anonymous := setup.ModifyServerConfig != nil && serveReviews(t, files.Dir, opts, setup.ModifyServerConfig)
	server, err := servertesting.Launch(files, opts, features, external.Wait{Health: true, Namespaces: []string{"default", "kube-system"}})
	if err != nil {
		t.Fatal(err)
	}
	// Tests take the authority from a file.
	config := rest.CopyConfig(server.Config)
	config.CAData, config.CAFile = nil, path.Join(files.Dir, "serving-ca.crt")
	if err := os.WriteFile(config.CAFile, files.ServingCA, 0o600); err != nil {
		t.Fatal(err)
	}
	if anonymous {
		config.BearerToken = anyToken
	}
	clients, err := client.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return clients, config, server.Stop
}
