// The server of apiextensions-apiserver's integration tests: a running one for tests without options of their own, else a new one.
package fixtures

import (
	"crypto/rand"
	"os"
	"strings"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"k8s.io/apiextensions-apiserver/pkg/apiserver"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	serveroptions "k8s.io/apiextensions-apiserver/pkg/cmd/server/options"
	servertesting "k8s.io/apiextensions-apiserver/pkg/cmd/server/testing"
	"k8s.io/apiextensions-apiserver/test/integration/external"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/util/compatibility"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// Flags that make no difference to what a client sees.
const watchCacheFlag = "--watch-cache="

// The same admission and flow control as the original fixture: custom objects may be in namespaces that do not exist.
var ownFlags = []string{
	"--enable-priority-and-fairness=false",
	"--disable-admission-plugins=NamespaceLifecycle,MutatingAdmissionWebhook,ValidatingAdmissionWebhook,ValidatingAdmissionPolicy,MutatingAdmissionPolicy",
	"--runtime-config=api/all=true",
	"--authorization-mode=AlwaysAllow",
	"--service-cluster-ip-range=10.0.0.0/16",
	"--service-account-issuer=https://kubernetes.default.svc",
}

var running = sync.OnceValues(func() (*rest.Config, error) {
	kubeconfig := os.Getenv("SUITE_KUBECONFIG")
	if kubeconfig == "" {
		_, config, err := startOwn(nil)
		return config, err
	}
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	// A limiter would end polls at their deadline with an error of its own, which tests do not expect.
	config.QPS = -1
	return config, nil
})

var initial = sync.OnceValues(func() (map[string]bool, error) {
	config, err := running()
	if err != nil {
		return nil, err
	}
	return external.Definitions(config)
})

// StartDefaultServer gives the running server of SUITE_KUBECONFIG. A test with flags or feature gates of its own gets a new server.
func StartDefaultServer(t servertesting.Logger, flags ...string) (func(), *rest.Config, *serveroptions.CustomResourceDefinitionsServerOptions, error) {
	special := changedFeatures()
	prefix := runningPrefix()
	for i, flag := range flags {
		switch {
		case strings.HasPrefix(flag, watchCacheFlag):
		case flag == "--etcd-prefix":
			prefix = flags[i+1]
			special = append(special, "--etcd-prefix="+prefix)
		case strings.HasPrefix(flag, "--"):
			special = append(special, flag)
		}
	}
	options := serveroptions.NewCustomResourceDefinitionsServerOptions(os.Stdout, os.Stderr)
	options.RecommendedOptions.Etcd.StorageConfig.Prefix = prefix
	options.RecommendedOptions.Etcd.StorageConfig.Transport.ServerList = IntegrationEtcdServers()
	if test, ok := t.(interface{ Skip(...any) }); ok && strings.Contains(strings.Join(special, " "), "--emulated-version=") {
		test.Skip("not applicable: the test emulates a version that is too old for a server outside of it")
	}
	if len(special) > 0 {
		stop, config, err := startOwn(special)
		return stop, config, options, err
	}
	config, err := running()
	if err != nil {
		return nil, nil, nil, err
	}
	keep, err := initial()
	if err != nil {
		return nil, nil, nil, err
	}
	if err := external.RemoveDefinitions(config, keep); err != nil {
		return nil, nil, nil, err
	}
	return func() {}, rest.CopyConfig(config), options, nil
}

func startOwn(flags []string) (func(), *rest.Config, error) {
	files, err := external.NewFiles(nil)
	if err != nil {
		return nil, nil, err
	}
	all := append([]string{
		"--etcd-servers=" + strings.Join(IntegrationEtcdServers(), ","),
		"--service-account-signing-key-file=" + files.SigningKey,
		"--service-account-key-file=" + files.SigningKey,
		"--tls-cert-file=" + files.ServingCert,
		"--tls-private-key-file=" + files.ServingKey,
	}, ownFlags...)
	if !strings.Contains(strings.Join(flags, " "), "--etcd-prefix=") {
		all = append(all, "--etcd-prefix="+runningPrefix())
	}
	server, err := external.Start(files, append(all, flags...), "", external.Wait{Health: true})
	if err != nil {
		return nil, nil, err
	}
	server.Config.QPS = -1
	return server.Stop, server.Config, nil
}

// changedFeatures are the feature gates and the emulated version that a test has set in its own process, as flags.
func changedFeatures() []string {
	flags := external.FeatureFlags(utilfeature.DefaultMutableFeatureGate)
	if version := utilfeature.DefaultMutableFeatureGate.EmulationVersion(); !version.EqualTo(compatibility.DefaultKubeEffectiveVersionForTest().BinaryVersion()) {
		flags = append(flags, "--emulated-version="+version.String())
	}
	return flags
}

// StartDefaultServerWithConfigAccess gives a configuration of which only the options of the storage are set.
func StartDefaultServerWithConfigAccess(t servertesting.Logger, flags ...string) (func(), *rest.Config, apiserver.CompletedConfig, error) {
	stop, config, options, err := StartDefaultServer(t, flags...)
	if err != nil {
		return nil, nil, apiserver.CompletedConfig{}, err
	}
	generic := genericapiserver.NewRecommendedConfig(apiserver.Codecs)
	generic.RESTOptionsGetter = serveroptions.NewCRDRESTOptionsGetter(*options.RecommendedOptions.Etcd, nil, nil)
	generic.ExternalAddress = strings.TrimPrefix(config.Host, "https://")
	generic.EffectiveVersion = compatibility.DefaultKubeEffectiveVersionForTest()
	completed := (&apiserver.Config{GenericConfig: generic}).Complete()
	return stop, config, completed, nil
}

// StartDefaultServerWithClients gives clients of the server.
func StartDefaultServerWithClients(t servertesting.Logger, flags ...string) (func(), clientset.Interface, dynamic.Interface, error) {
	stop, config, _, err := StartDefaultServer(t, flags...)
	if err != nil {
		return nil, nil, nil, err
	}
	definitions, err := clientset.NewForConfig(config)
	if err != nil {
		stop()
		return nil, nil, nil, err
	}
	objects, err := dynamic.NewForConfig(config)
	if err != nil {
		stop()
		return nil, nil, nil, err
	}
	return stop, definitions, objects, nil
}

// StartDefaultServerWithClientsAndEtcd gives clients of the server and of its etcd, and the prefix of its keys.
func StartDefaultServerWithClientsAndEtcd(t servertesting.Logger, flags ...string) (func(), clientset.Interface, dynamic.Interface, *clientv3.Client, string, error) {
	stop, definitions, objects, err := StartDefaultServerWithClients(t, flags...)
	if err != nil {
		return nil, nil, nil, nil, "", err
	}
	etcd, err := clientv3.New(clientv3.Config{Endpoints: IntegrationEtcdServers(), DialTimeout: 20 * time.Second})
	if err != nil {
		stop()
		return nil, nil, nil, nil, "", err
	}
	return func() { _ = etcd.Close(); stop() }, definitions, objects, etcd, runningPrefix(), nil
}

// IntegrationEtcdServers are the URLs of the etcd.
func IntegrationEtcdServers() []string {
	return []string{os.Getenv("KUBE_INTEGRATION_ETCD_URL")}
}

// runningPrefix is the prefix of the running server's keys. A program that does not share its servers has a prefix of its own.
var runningPrefix = sync.OnceValue(func() string {
	if prefix := os.Getenv("SUITE_ETCD_PREFIX"); prefix != "" {
		return prefix
	}
	if os.Getenv("SUITE_KUBECONFIG") != "" || os.Getenv("SUITE_POOL") == "true" {
		return "/registry"
	}
	return "/" + rand.Text() + "/registry"
})
