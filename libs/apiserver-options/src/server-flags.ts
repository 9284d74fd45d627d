import type { FlagDefinition } from './flag.ts';

const serving = 'Secure serving';
const etcd = 'Etcd';
const delegation = 'Delegation';
const generic = 'Generic';
const features = 'Features';
const apiEnablement = 'API enablement';
const logging = 'Logs';

/** Flags of every server, with the names, meanings, defaults and groups of kube-apiserver. */
export const servingFlags: readonly FlagDefinition[] = [
  {
    name: 'bind-address',
    type: 'ip',
    default: '0.0.0.0',
    section: serving,
    usage: 'The IP address on which to listen for --secure-port.',
  },
  {
    name: 'secure-port',
    type: 'int',
    default: '6443',
    section: serving,
    usage: 'The port on which to serve HTTPS with authentication and authorization.',
  },
  {
    name: 'tls-cert-file',
    type: 'string',
    section: serving,
    usage: 'File containing the x509 certificate for HTTPS; without it a self-signed one is created.',
  },
  {
    name: 'tls-private-key-file',
    type: 'string',
    section: serving,
    usage: 'File containing the private key matching --tls-cert-file.',
  },
  {
    name: 'tls-sni-cert-key',
    type: 'namedCertKey',
    section: serving,
    usage:
      'Certificate and key file for other host names: cert,key or cert,key:example.com,*.example.com; without names those in the certificate. May be given several times.',
  },
  {
    name: 'tls-min-version',
    type: 'string',
    section: serving,
    usage: 'The minimum TLS version: VersionTLS10, VersionTLS11, VersionTLS12, the default, or VersionTLS13.',
  },
  {
    name: 'tls-curve-preferences',
    type: 'strings',
    section: serving,
    usage: 'IDs of the key exchange groups that are allowed, e.g. 23, 29 or 4588. Empty = the defaults of Node.',
  },
  {
    name: 'tls-cipher-suites',
    type: 'strings',
    section: serving,
    usage: 'Cipher suites for versions before TLS 1.3, by their names in Go. Empty = the defaults of Node.',
  },
  {
    name: 'http2-max-streams-per-connection',
    type: 'int',
    default: '0',
    section: serving,
    usage: 'The limit of concurrent streams of an HTTP/2 connection; 0 = 100.',
  },
  {
    name: 'disable-http2-serving',
    type: 'bool',
    section: serving,
    usage: 'Serve HTTP/1.1 only.',
  },
  {
    name: 'strict-transport-security-directives',
    type: 'strings',
    section: generic,
    usage: 'Directives for the HSTS header; empty = no header.',
  },
  {
    name: 'cors-allowed-origins',
    type: 'strings',
    section: generic,
    usage: 'Regular expressions of origins allowed for CORS; empty = CORS is off.',
  },
];

export const etcdFlags: readonly FlagDefinition[] = [
  {
    name: 'etcd-servers',
    type: 'strings',
    section: etcd,
    usage: 'List of etcd servers to connect with (scheme://ip:port), comma separated.',
  },
  {
    name: 'etcd-servers-overrides',
    type: 'strings',
    section: etcd,
    usage:
      'Per-resource etcd servers, as group/resource#servers, servers separated by semicolons; built-in resources only, e.g. /events#http://etcd4:2379;http://etcd5:2379.',
  },
  {
    name: 'etcd-prefix',
    type: 'string',
    default: '/registry',
    section: etcd,
    usage: 'The prefix to prepend to all resource paths in etcd.',
  },
  {
    name: 'etcd-cafile',
    type: 'string',
    section: etcd,
    usage: 'SSL Certificate Authority file used to secure etcd communication.',
  },
  {
    name: 'etcd-certfile',
    type: 'string',
    section: etcd,
    usage: 'SSL certification file used to secure etcd communication.',
  },
  { name: 'etcd-keyfile', type: 'string', section: etcd, usage: 'SSL key file used to secure etcd communication.' },
  {
    name: 'etcd-compaction-interval',
    type: 'duration',
    default: '5m0s',
    section: etcd,
    usage: 'The interval of compaction requests; 0 = none.',
  },
  {
    name: 'etcd-healthcheck-timeout',
    type: 'duration',
    default: '2s',
    section: etcd,
    usage: 'The timeout to use when checking etcd health.',
  },
  {
    name: 'etcd-readycheck-timeout',
    type: 'duration',
    default: '2s',
    section: etcd,
    usage: 'The timeout to use when checking etcd readiness.',
  },
  {
    name: 'lease-reuse-duration-seconds',
    type: 'int',
    default: '60',
    section: etcd,
    usage: 'The time in seconds during which a lease is reused for new objects.',
  },
  {
    name: 'encryption-provider-config',
    type: 'string',
    section: etcd,
    usage: 'The file containing configuration for encryption providers to be used for storing secrets in etcd.',
  },
  {
    name: 'encryption-provider-config-automatic-reload',
    type: 'bool',
    default: 'false',
    section: etcd,
    usage: 'Follow changes of the file set by --encryption-provider-config.',
  },
  {
    name: 'watch-cache',
    type: 'bool',
    default: 'true',
    section: etcd,
    usage: 'Enable watch caching in the apiserver.',
  },
  {
    name: 'watch-cache-sizes',
    type: 'strings',
    section: etcd,
    usage: 'Whether resources have a watch cache, as resource[.group]#size: 0 = none. By default events have none.',
  },
  {
    name: 'delete-collection-workers',
    type: 'int',
    default: '1',
    section: etcd,
    usage: 'Number of workers spawned for a DeleteCollection call.',
  },
];

export const delegationFlags: readonly FlagDefinition[] = [
  {
    name: 'delegate-url',
    type: 'string',
    section: delegation,
    usage:
      'Base URL of the next server in the chain, or unix:///path, its --front-proxy-socket; empty = this is the last one. A host name may have the addresses of several replicas.',
  },
  {
    name: 'front-proxy-socket',
    type: 'string',
    section: delegation,
    usage:
      'Unix socket to serve the previous server in the chain on, without TLS. Whoever can open the socket is trusted as a front proxy: keep it in a private directory.',
  },
  {
    name: 'delegate-ca-file',
    type: 'string',
    section: delegation,
    usage: "Authorities of the next server's certificate.",
  },
  {
    name: 'delegate-server-name',
    type: 'string',
    section: delegation,
    usage: "Name to expect in the next server's certificate instead of the host of --delegate-url.",
  },
  {
    name: 'proxy-client-cert-file',
    type: 'string',
    section: delegation,
    usage: 'Client certificate that proves to other servers that this one is a front proxy.',
  },
  {
    name: 'proxy-client-key-file',
    type: 'string',
    section: delegation,
    usage: 'Private key of --proxy-client-cert-file.',
  },
];

/** Flags of the services of the chain that are not those of kube-apiserver. */
export const workersFlags: readonly FlagDefinition[] = [
  {
    name: 'workers',
    type: 'string',
    default: '1',
    section: generic,
    usage:
      'The number of processes that serve together on the port of the service, or auto: one less than the machine has processors, at most what its memory allows. SIGHUP replaces them one by one.',
  },
];

export const genericFlags: readonly FlagDefinition[] = [
  {
    name: 'request-timeout',
    type: 'duration',
    default: '1m0s',
    section: generic,
    usage: 'Timeout of a request. Watches and other long-running requests have none.',
  },
  {
    name: 'min-request-timeout',
    type: 'int',
    default: '1800',
    section: generic,
    usage: 'Minimum time in seconds that a watch stays open.',
  },
  {
    name: 'max-requests-inflight',
    type: 'int',
    default: '400',
    section: generic,
    usage:
      'This and --max-mutating-requests-inflight are summed to the total concurrency limit of priority and fairness. Without it: reads served at a time; more get 429, 0 = no limit.',
  },
  {
    name: 'max-mutating-requests-inflight',
    type: 'int',
    default: '200',
    section: generic,
    usage:
      'This and --max-requests-inflight are summed to the total concurrency limit of priority and fairness. Without it: writes served at a time; more get 429, 0 = no limit.',
  },
  {
    name: 'enable-priority-and-fairness',
    type: 'bool',
    default: 'true',
    section: features,
    usage:
      'Replace the two max-in-flight limits by queues and seats, configured by FlowSchemas and PriorityLevelConfigurations.',
  },
  {
    name: 'goaway-chance',
    type: 'float',
    default: '0',
    section: generic,
    usage:
      'The fraction of HTTP/2 requests that close their connection (GOAWAY), so that a load balancer spreads clients over the servers. 0 = none, at most 0.02.',
  },
  {
    name: 'livez-grace-period',
    type: 'duration',
    default: '0s',
    section: generic,
    usage: 'How long after the start /livez ignores post-start hooks that have not finished.',
  },
  {
    name: 'shutdown-send-retry-after',
    type: 'bool',
    section: generic,
    usage:
      'Keep the port open during shutdown until all active requests have their responses. Reject new requests with 429 and Retry-After.',
  },
  {
    name: 'shutdown-delay-duration',
    type: 'duration',
    default: '0s',
    section: generic,
    usage: 'Time between failing readiness and refusing requests.',
  },
  {
    name: 'shutdown-watch-termination-grace-period',
    type: 'duration',
    default: '0s',
    section: generic,
    usage: 'Time over which watches are ended at shutdown.',
  },
  {
    name: 'debug-socket-path',
    type: 'string',
    section: features,
    usage: 'Serve profiles and the log verbosity on this Unix socket, for every user who can open it.',
  },
  {
    name: 'heap-snapshots',
    type: 'bool',
    default: 'false',
    section: features,
    usage:
      'With --profiling: let clients with the right to get /debug/v8/heap read snapshots of the heap. A snapshot has the keys of the server and the tokens of its clients in it, and stops the server for seconds.',
  },
  {
    name: 'profiling',
    type: 'bool',
    default: 'true',
    section: features,
    usage:
      'Serve profiles under /debug/pprof/ and /debug/v8/, the verbosity of logs at /debug/flags/v, and let DELETE /metrics reset them.',
  },
  {
    name: 'show-requests',
    type: 'bool',
    section: logging,
    usage:
      'Log a line for each finished request of a client, and for each watch that begins: user, verb, path, status code, and the time that each service of the chain took.',
  },
  {
    name: 'tracing-config-file',
    type: 'string',
    section: 'Traces',
    usage: 'File of a TracingConfiguration: the OTLP collector of spans and the sampling rate.',
  },
  { name: 'feature-gates', type: 'map', section: generic, usage: 'Feature=true|false pairs.' },
];

/** Flags about the built-in resources. */
export const builtinApiFlags: readonly FlagDefinition[] = [
  {
    name: 'apis',
    type: 'string',
    default: 'all',
    section: apiEnablement,
    usage:
      'The built-in APIs: all, or minimal for a control plane without pods, nodes, services, workloads and storage. Every service of a chain needs the same value.',
  },
  {
    name: 'runtime-config',
    type: 'map',
    section: apiEnablement,
    usage:
      'Turns APIs on or off: api/all, api/ga, api/beta, api/alpha, group/version, group/version/resource = true|false.',
  },
  {
    name: 'event-ttl',
    type: 'duration',
    default: '1h0m0s',
    section: 'Misc',
    usage: 'Amount of time to retain events.',
  },
];

export const loggingFlags: readonly FlagDefinition[] = [
  {
    name: 'v',
    shorthand: 'v',
    type: 'int',
    default: '0',
    section: logging,
    usage: 'Number for the log level verbosity: 3 logs requests.',
  },
  { name: 'help', shorthand: 'h', type: 'bool', section: 'Global', usage: 'Print this text and exit.' },
  {
    name: 'version',
    type: 'string',
    bare: 'true',
    section: 'Global',
    usage: '--version=true prints the version and exits; --version=raw all of it.',
  },
];
