import type { Command, Flag } from './command.ts';

const dataDir: Flag = {
  name: 'data-dir',
  value: 'DIR',
  summary: 'the data directory of the chain',
  default: '.apichain',
  complete: 'directory',
};

const controllers = ["'*' all, 'foo' one, '-foo' not this one, '-*' none"].join('');

const kubeconfigFlag: Flag = {
  name: 'kubeconfig',
  value: 'FILE',
  summary: 'of the core API; default: the file of $KUBECONFIG, else ~/.kube/config',
  complete: 'file',
};

const outputOf = (format: string, formats: readonly string[]): Flag => ({
  name: 'output',
  short: 'o',
  value: 'FORMAT',
  summary: formats.join(', '),
  default: format,
  complete: formats,
});

/** The flags with which a backup is found and read. */
const backupFlags: readonly Flag[] = [
  {
    name: 'prefix',
    value: 'KEY',
    summary: 'the prefix of all keys, as --etcd-prefix of its servers',
    default: '/registry',
  },
  {
    name: 'encryption-provider-config',
    value: 'FILE',
    summary: 'decrypts what is encrypted at rest; the file of the servers of the cluster',
    complete: 'file',
  },
  { name: 'show-secrets', summary: 'shows the values of Secrets, which are masked otherwise' },
  { name: 'etcd-cafile', value: 'FILE', summary: 'authority of an https etcd', complete: 'file' },
  { name: 'etcd-certfile', value: 'FILE', summary: 'client certificate for an https etcd', complete: 'file' },
  { name: 'etcd-keyfile', value: 'FILE', summary: 'its key', complete: 'file' },
];

const namespaces: Flag = {
  name: 'namespace',
  short: 'n',
  value: 'NAMESPACE',
  list: true,
  summary: 'only objects in this namespace; may be repeated; default: all, and objects without one',
};

/** All commands. Help, completion and the parser use this table. */
export const commands: readonly Command[] = [
  {
    name: 'up',
    summary: 'Starts the chain and runs it until Ctrl-C',
    usage: '[flags]',
    description: `Creates a certificate authority and certificates, starts a store and the three services, waits until they are ready, and writes a kubeconfig for an administrator. All files are in the data directory and are used again at the next start.

Without --etcd-servers the data is stored in an embedded etcd, which needs no installation. A directory that holds the data of a real etcd is used with the etcd on the PATH; \`apichain migrate\` copies it.

All other flags are those of kube-apiserver and are passed to the services: --token-auth-file, --runtime-config, --feature-gates, --enable-admission-plugins, --v, ... A flag for a part that is not implemented is accepted with a warning.`,
    flags: [
      { ...dataDir, summary: 'certificates, data, logs, kubeconfig' },
      {
        name: 'bind-address',
        value: 'ADDRESS',
        summary: 'the address on which the API is served',
        default: '127.0.0.1',
      },
      { name: 'secure-port', value: 'PORT', summary: 'its port', default: '6443' },
      { name: 'in-process', summary: 'all servers in one process: faster start, less memory' },
      { name: 'memory', summary: 'with --in-process: writes nothing to disk' },
      {
        name: 'apis',
        value: 'SET',
        summary: 'the built-in APIs: all, or minimal: no pods, nodes, services, workloads, storage',
        default: 'all',
      },
      { name: 'etcd-servers', value: 'URL,URL', summary: 'stores the data in this etcd cluster' },
      {
        name: 'embedded-etcd',
        summary: 'the store without --etcd-servers: true for the embedded etcd, =false for the etcd on the PATH',
      },
      {
        name: 'service-cluster-ip-range',
        value: 'CIDR',
        summary: 'range of the cluster IPs of Services',
        default: '10.0.0.0/16',
      },
      {
        name: 'allow-privileged',
        value: 'BOOL',
        summary: 'whether containers may be privileged',
        default: 'true',
      },
      {
        name: 'authorization-mode',
        value: 'LIST',
        summary: 'authorizers, unless --authorization-config is given; with --apis=minimal RBAC by default',
        default: 'Node,RBAC',
      },
      {
        name: 'controllers',
        value: 'LIST',
        summary: `controllers that keep the API consistent (garbage collection, namespace deletion, ...): ${controllers}, as in kube-controller-manager`,
        default: '*',
      },
    ],
    examples: [
      ['apichain up', 'on https://127.0.0.1:6443, data under .apichain'],
      ['apichain up --in-process --memory --secure-port 7443', 'one process, without data on disk'],
      ['apichain up --in-process --memory --apis minimal', 'a control plane for custom kinds'],
      ['apichain up --etcd-servers http://127.0.0.1:2379 --authorization-mode AlwaysAllow', 'on an existing etcd'],
    ],
    passesFlagsOn: true,
    load: async () => {
      const { upCommand } = await import('../up/command.ts');
      return ({ raw }) => upCommand(raw);
    },
  },
  {
    name: 'down',
    summary: 'Stops the chain that runs on a data directory',
    usage: '[flags]',
    description:
      'Stops the chain as Ctrl-C does, waits until it has exited, and ends processes that a killed chain left running. The data remains. It is not an error when no chain is running.',
    flags: [
      dataDir,
      { name: 'timeout', value: 'SECONDS', summary: 'how long to wait before killing it', default: '30' },
    ],
    examples: [['apichain down --data-dir /tmp/chain', 'stops the chain of that directory']],
    load: async () => (await import('../down.ts')).downCommand,
  },
  {
    name: 'kubeconfig',
    summary: 'Prints a kubeconfig for the chain of a data directory',
    usage: '[flags]',
    description:
      "Prints the administrator's kubeconfig or, with --user, one for another user: a client certificate signed by the chain's authority, valid for a year. The authorization mode decides what that user may do. With --merge it is added to an existing file as a separate context, as `kubectl config` does.",
    flags: [
      dataDir,
      { name: 'user', value: 'NAME', summary: 'for this user instead of the administrator' },
      { name: 'group', value: 'NAME', list: true, summary: 'with --user: a group of the user; may be repeated' },
      {
        name: 'server',
        value: 'URL',
        summary: 'URL of the API for clients, if it differs from the address it listens on',
      },
      { name: 'merge', value: 'FILE', summary: 'adds it to this file instead of printing it', complete: 'file' },
      {
        name: 'context',
        value: 'NAME',
        summary: "name of the cluster and of the administrator's context; the context of another user is USER@NAME",
        default: 'apichain',
      },
    ],
    examples: [
      ['apichain kubeconfig > admin.kubeconfig', 'a copy of the administrator’s'],
      [
        'apichain kubeconfig --user jane --group developers --merge ~/.kube/config',
        'creates a user and a context for her',
      ],
    ],
    load: async () => (await import('../kubeconfig-command.ts')).kubeconfigCommand,
  },
  {
    name: 'register',
    summary: 'Registers an extension API server with a core API',
    usage:
      '--name NAME --group-version GROUP/VERSION[,...] (--service NS/NAME[:PORT] | --address HOST:PORT) --ca-file FILE [flags]',
    description: `Applies what the API server needs to send requests for the group-versions to the server, and what the server needs to do its work: an APIService for each group-version, a Service for --address (or an annotation, if the API server serves no Services), and role bindings for the server's user (delegated authentication and authorization, reading what admission needs). May be run again; APIServices of the same name's earlier registrations for other group-versions are deleted.

Works with \`apichain up\` and with kube-apiserver. An address becomes a Service of type ExternalName, which needs neither kube-proxy nor --enable-aggregator-routing.

Everything is labelled app.kubernetes.io/managed-by=apichain-register and app.kubernetes.io/name=NAME. Objects that others made are not changed without --force.`,
    flags: [
      kubeconfigFlag,
      { name: 'name', value: 'NAME', summary: 'name of the server; also that of its Service, if one is made' },
      {
        name: 'group-version',
        value: 'GROUP/VERSION',
        list: true,
        summary: 'what the server serves; may be repeated',
      },
      { name: 'service', value: 'NS/NAME[:PORT]', summary: 'the Service in front of the server; port 443 by default' },
      { name: 'address', value: 'HOST:PORT', summary: 'or the address at which the API server reaches the server' },
      {
        name: 'namespace',
        value: 'NAMESPACE',
        summary: "with --address: the namespace of the Service that is made; default: that of the kubeconfig's context",
      },
      {
        name: 'ca-file',
        value: 'FILE',
        summary: "the authorities of the server's certificate, which must be valid for SERVICE.NAMESPACE.svc",
        complete: 'file',
      },
      {
        name: 'user',
        value: 'USER',
        summary:
          'the user as which the server calls the core API; a ServiceAccount is system:serviceaccount:NAMESPACE:NAME; default: the user of the kubeconfig',
      },
      {
        name: 'rbac',
        value: 'BOOL',
        summary: 'whether role bindings are made for this user',
        default: 'true',
        complete: ['true', 'false'],
      },
      { name: 'force', summary: 'takes over objects of the same names that others made' },
      { name: 'dry-run', summary: 'prints the objects as YAML and changes nothing' },
    ],
    examples: [
      [
        'apichain register --name wardle --group-version wardle.example.com/v1beta1 --address 127.0.0.1:8443 --ca-file ca.crt',
        'a server on this machine',
      ],
      [
        'apichain register --name wardle --group-version wardle.example.com/v1,wardle.example.com/v1beta1 --service wardle/api --ca-file ca.crt --user system:serviceaccount:wardle:apiserver',
        'a server in pods, with a ServiceAccount',
      ],
      [
        'apichain register --name wardle --group-version wardle.example.com/v1 --service wardle/api --ca-file ca.crt --rbac=false --dry-run | kubectl apply -f -',
        'without role bindings, applied by other means',
      ],
    ],
    load: async () => (await import('../register/command.ts')).registerCommand,
  },
  {
    name: 'unregister',
    summary: 'Removes the registration of an extension API server',
    usage: '--name NAME [flags]',
    description:
      'Deletes what `apichain register`, or the server itself, registered for this name. Objects of others remain, and so does the data of the server.',
    flags: [kubeconfigFlag, { name: 'name', value: 'NAME', summary: 'name of the server' }],
    examples: [['apichain unregister --name wardle', 'its group-versions are no longer served']],
    load: async () => (await import('../register/command.ts')).unregisterCommand,
  },
  {
    name: 'init',
    summary: 'Makes a project: an API server, an operator or a control plane',
    usage: 'api|operator|control-plane [FOLDER] [flags]',
    description: `Makes a TypeScript project that builds, runs and is tested on a chain in the process of its tests. FOLDER, by default the current one, must be empty or not exist; its name becomes that of the project.

  api             an extension API server: a stored resource in two versions, a computed resource, and a manifest for a cluster
  operator        a CustomResourceDefinition and a controller that reconciles its objects
  control-plane   an API without pods, with a kind and a controller, in one process

The kind and its group are in the names of the project. Nothing is downloaded: \`npm install\` does that.`,
    flags: [
      { name: 'group', value: 'GROUP', summary: 'the API group of the kind', default: 'example.com' },
      { name: 'kind', value: 'KIND', summary: 'the kind, in CamelCase', default: 'Widget' },
    ],
    arguments: [{ name: 'project', values: ['api', 'operator', 'control-plane'] }, { name: 'folder' }],
    examples: [
      ['apichain init api wardle --group wardle.example.com --kind Flunder', 'an extension API server of Flunders'],
      ['apichain init operator backups --group backups.example.com --kind Backup', 'an operator'],
    ],
    load: async () => (await import('../init/command.ts')).initCommand,
  },
  {
    name: 'doctor',
    summary: 'Checks a chain and its environment for problems',
    usage: '[flags]',
    description:
      'Checks Node, the data directory, certificates, store, ports, clocks and tools, and prints one line for each: ok, warn or FAIL. Changes nothing. The exit code is 1 when a check fails.',
    flags: [
      dataDir,
      {
        name: 'bind-address',
        value: 'ADDRESS',
        summary: 'address on which the API is to be served',
        default: '127.0.0.1',
      },
      { name: 'secure-port', value: 'PORT', summary: 'its port', default: '6443' },
      {
        name: 'etcd-servers',
        value: 'URL,URL',
        summary: 'checks this etcd instead of the store in the data directory',
      },
    ],
    examples: [['apichain doctor', 'finds out why a chain does not start, or what is running']],
    load: async () => (await import('../doctor/command.ts')).doctorCommand,
  },
  {
    name: 'migrate',
    summary: 'Copies everything from one etcd or embedded store to another',
    usage: '--from URL|DIR|FILE --to URL|DIR [flags]',
    description: `Copies every key, in the order of its last change, with the leases that remain, and compares both sides afterwards. A DIR is the data directory of a chain, of an embedded etcd, or of a real one (which needs an etcd on the PATH); a target that does not exist is created for an embedded etcd. A URL is http://host:port or unix:///path. A FILE is a snapshot of an embedded etcd by \`etcdctl snapshot save\`; the tools of etcd restore the snapshot of a real one.

The source must not change: stop its chain first. A directory in use is refused, and the command fails if the source changes meanwhile. A new directory has the revisions of the source. An existing etcd assigns new ones, and clients that watch list again.

A target that holds keys is refused. A new directory appears under its name only when the copy is complete and verified. Repeat an interrupted copy to an etcd with --overwrite.`,
    flags: [
      { name: 'from', value: 'URL|DIR|FILE', summary: 'the source', complete: 'file' },
      { name: 'to', value: 'URL|DIR', summary: 'the target', complete: 'directory' },
      { name: 'prefix', value: 'KEY', summary: 'copies only keys with this prefix, e.g. /registry' },
      {
        name: 'overwrite',
        summary: 'accepts a target that holds keys: copied keys are overwritten, others remain',
      },
      { name: 'ca-file', value: 'FILE', summary: 'authority of an https etcd', complete: 'file' },
      { name: 'cert-file', value: 'FILE', summary: 'client certificate for an https etcd', complete: 'file' },
      { name: 'key-file', value: 'FILE', summary: 'its key', complete: 'file' },
    ],
    examples: [
      ['apichain migrate --from .apichain --to http://127.0.0.1:2379', 'from the embedded etcd to a real one'],
      [
        'apichain migrate --from .apichain/etcd --to .apichain/embedded-etcd',
        'from the etcd of a chain to its embedded one',
      ],
    ],
    load: async () => (await import('../migrate/command.ts')).migrateCommand,
  },
  {
    name: 'open',
    summary: 'Serves a backup of etcd read-only, for kubectl',
    usage: 'BACKUP [flags]',
    description: `BACKUP is a file of \`etcdctl snapshot save\`, the data directory of an etcd, of an embedded store or of a chain, or the URL of a running etcd. Nothing is written to it. A file or a directory is read once; a running etcd is followed.

kubectl get, describe, explain, events, api-resources and auth can-i work as on the cluster: with its CustomResourceDefinitions and custom resources, its roles, and its resourceVersions. What would write or reach a node is refused with 405, also dry runs. No controller, webhook or extension API server is called. The objects of a definition with a conversion webhook are shown in the version in which they are stored.

The values of Secrets are masked without --show-secrets. Values that are encrypted at rest are listed by name without --encryption-provider-config. The kubeconfig and the certificates are in a temporary directory, which Ctrl-C removes.`,
    flags: [
      {
        name: 'bind-address',
        value: 'ADDRESS',
        summary: 'the address on which the backup is served',
        default: '127.0.0.1',
      },
      { name: 'secure-port', value: 'PORT', summary: 'its port', default: '6443' },
      ...backupFlags,
    ],
    arguments: [{ name: 'backup', complete: 'file' }],
    examples: [
      ['apichain open snapshot.db', 'a file of `etcdctl snapshot save`'],
      ['apichain open /var/lib/etcd --encryption-provider-config enc.yaml --show-secrets', 'with decrypted Secrets'],
      [
        'apichain open https://10.0.0.5:2379 --etcd-cafile ca.crt --etcd-certfile client.crt --etcd-keyfile client.key',
        'a running etcd, without its API server',
      ],
    ],
    load: async () => (await import('../open/command.ts')).openCommand,
  },
  {
    name: 'diff',
    summary: 'Compares two backups of etcd, object by object',
    usage: 'BACKUP BACKUP [flags]',
    description: `Prints every object that was created, deleted or changed between the first backup and the second, with a JSON merge patch in YAML. A BACKUP is what \`apichain open\` takes. Objects are equal if only the form in which they are stored differs.

Not compared by default: managedFields, generation and resourceVersion, and the kinds of --ignore-kinds. The values of Secrets are masked without --show-secrets; that they changed is seen in any case.

The exit code is that of diff: 0 when nothing differs, 1 when something does, 2 on trouble.`,
    flags: [
      namespaces,
      {
        name: 'kinds',
        short: 'k',
        value: 'KIND[/NAME]',
        list: true,
        summary: 'only these kinds or objects; may be repeated',
      },
      {
        name: 'ignore-kinds',
        value: 'LIST',
        summary: 'kinds that are left out unless --kinds names them; none = all are compared',
        default: 'events,leases',
      },
      {
        name: 'ignore-managed-fields',
        value: 'BOOL',
        summary: 'leaves out metadata.managedFields',
        default: 'true',
        complete: ['true', 'false'],
      },
      { name: 'ignore-status', summary: 'leaves out status' },
      outputOf('yaml', ['yaml', 'summary', 'json']),
      ...backupFlags,
    ],
    arguments: [
      { name: 'from', complete: 'file' },
      { name: 'to', complete: 'file' },
    ],
    examples: [
      ['apichain diff monday.db tuesday.db -o summary', 'the names of what changed'],
      [
        'apichain diff monday.db tuesday.db -n shop -k deployments,configmaps --ignore-status',
        'patches of one namespace',
      ],
      ['apichain diff snapshot.db http://127.0.0.1:2379', 'what changed since a backup'],
    ],
    errorCode: 2,
    load: async () => (await import('../diff/command.ts')).diffCommand,
  },
  {
    name: 'export',
    summary: 'Prints objects of a backup of etcd as manifests',
    usage: 'BACKUP [KIND[/NAME]...] [flags]',
    description: `Prints YAML for \`kubectl apply\`. A BACKUP is what \`apichain open\` takes. Left out of each object: uid, resourceVersion, generation, creationTimestamp, managedFields, ownerReferences, status, the annotation of the last \`kubectl apply\`, and what a cluster assigns: clusterIP, nodeName, volumeName of claims, podCIDR, the selectors of Jobs, tokens. Node ports stay.

Without KIND everything is exported but what a cluster makes by itself: objects with a controller, events, leases, endpoints, nodes, default roles and accounts, the system namespaces.

Secrets are exported with masked values without --show-secrets.`,
    flags: [
      namespaces,
      {
        name: 'selector',
        short: 'l',
        value: 'SELECTOR',
        summary: 'only objects whose labels match, e.g. app=web,tier!=db',
      },
      ...backupFlags,
    ],
    arguments: [
      { name: 'backup', complete: 'file' },
      { name: 'kind', complete: 'none', many: true },
    ],
    examples: [
      ['apichain export snapshot.db deployments,services -n shop > shop.yaml', 'two kinds of one namespace'],
      [
        'apichain export snapshot.db secrets/registry -n shop --show-secrets | kubectl apply -f -',
        'one Secret, restored',
      ],
    ],
    load: async () => (await import('../export/command.ts')).exportCommand,
  },
  {
    name: 'certificates',
    summary: 'Creates certificates for services that are started separately',
    usage: '--pki-dir DIR [flags]',
    description: 'Creates the certificates of a chain whose services are started separately, and keeps existing ones.',
    flags: [
      { name: 'pki-dir', value: 'DIR', summary: 'the directory of the certificates', complete: 'directory' },
      { name: 'hosts', value: 'A,B', list: true, summary: 'further names and addresses of the services' },
      {
        name: 'server',
        value: 'URL',
        summary: 'with --kubeconfig: URL of the aggregator for clients',
        default: 'https://127.0.0.1:6443',
      },
      { name: 'kubeconfig', value: 'FILE', summary: 'writes a kubeconfig for an administrator', complete: 'file' },
      { name: 'owner', value: 'UID:GID', summary: 'changes the owner of the certificates and the kubeconfig' },
    ],
    examples: [
      [
        'apichain certificates --pki-dir pki --kubeconfig admin.kubeconfig --hosts kube-core.internal',
        'for three hosts',
      ],
    ],
    load: async () => (await import('../certificates/command.ts')).certificatesCommand,
  },
  {
    name: 'probe',
    summary: 'Probes a health path, for container health checks',
    usage: '--url URL --ca-file FILE',
    description: 'Exit code 0 when the URL answers 200.',
    flags: [
      { name: 'url', value: 'URL', summary: 'URL to probe, e.g. https://127.0.0.1:6443/readyz' },
      { name: 'ca-file', value: 'FILE', summary: 'the authority of its certificate', complete: 'file' },
    ],
    examples: [],
    load: async () => (await import('../probe-command.ts')).probeCommand,
  },
  {
    name: 'version',
    summary: 'Prints the version',
    usage: '',
    description: '',
    flags: [],
    examples: [],
    load: async () => {
      const { versionText } = await import('../version.ts');
      return async () => console.log(versionText());
    },
  },
  {
    name: 'completion',
    summary: 'Prints a script that lets a shell complete apichain commands',
    usage: 'bash|zsh|fish',
    description: `Load it in the current shell, or in every new one:

  bash:  source <(apichain completion bash)         or into ~/.local/share/bash-completion/completions/apichain
  zsh:   source <(apichain completion zsh)          or into a file _apichain on the $fpath
  fish:  apichain completion fish | source          or into ~/.config/fish/completions/apichain.fish`,
    flags: [],
    arguments: [{ name: 'shell', values: ['bash', 'zsh', 'fish'] }],
    examples: [['source <(apichain completion bash)', 'for this bash']],
    load: async () => {
      const { completionCommand } = await import('../completion/command.ts');
      return (given) => completionCommand(commands, given);
    },
  },
];
