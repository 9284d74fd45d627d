import { backupCommands } from './backups.ts';
import type { Command } from './command.ts';
import { lifecycleCommands } from './lifecycle.ts';
import { chainName, dataDir, kubeconfigFlag } from './shared-flags.ts';

/** All commands. Help, completion and the parser use this table. */
export const commands: readonly Command[] = [
  ...lifecycleCommands,
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
    name: 'generate',
    summary: 'Makes TypeScript types of kinds, for controllers and clients',
    usage: 'types FILES...|--server [flags]',
    description: `Prints a module of TypeScript with a type and a constant for each kind: of the CustomResourceDefinitions in FILES (YAML or JSON), or of a server, from its OpenAPI v3. With them, controllers and clients of \`apichain/client\` are typed:

  import { Widget } from './widget.ts';
  controller({ for: Widget }).reconcile(async ({ object }) => ...)
  await client.get({ ...Widget, namespace: 'default' }, 'a')

All versions that are served are in it. The most preferred one has the name of the kind, others have the version behind it. The types of the kinds of Kubernetes need not be generated: they are \`kinds\` in \`apichain/client\`.`,
    flags: [
      { ...kubeconfigFlag, summary: 'of the server; default: the file of $KUBECONFIG, else ~/.kube/config' },
      { name: 'server', summary: 'takes the kinds of a server instead of files' },
      {
        name: 'group',
        value: 'GROUP',
        list: true,
        summary:
          'with --server: only kinds of this group (core = the group of Pods); may be repeated. Default: all that are not of Kubernetes',
      },
      {
        name: 'output',
        value: 'FILE',
        summary: 'writes the module to a file instead of standard output',
        complete: 'file',
      },
    ],
    arguments: [
      { name: 'what', values: ['types'] },
      { name: 'file', complete: 'file', many: true },
    ],
    examples: [
      ['apichain generate types config/crd.yaml --output src/widget.ts', 'a kind of your own'],
      ['apichain generate types --server --group cert-manager.io', 'kinds of others that a cluster has'],
    ],
    load: async () => (await import('../generate/command.ts')).generateCommand,
  },
  {
    name: 'doctor',
    summary: 'Checks a chain and its environment for problems',
    usage: '[flags]',
    description:
      'Checks Node, the data directory, certificates, store, ports, clocks and tools, and prints a line for each problem: warn or FAIL. Changes nothing. The exit code is 1 when a check fails.\n\nWith --repair, a damaged embedded store of a chain that does not run goes on with the writes before the damage. What is kept and what is lost is said first, and the damaged files stay in a directory beside it.',
    flags: [
      dataDir,
      chainName,
      { name: 'all', summary: 'prints a line for each check, also for those without a problem' },
      { name: 'repair', summary: 'repairs the embedded store instead, if it is damaged' },
      { name: 'yes', summary: 'with --repair: does not ask' },
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
    examples: [
      ['apichain doctor', 'finds out why a chain does not start, or what is running'],
      ['apichain doctor --repair', 'keeps what is whole of a damaged store'],
    ],
    load: async () => (await import('../doctor/command.ts')).doctorCommand,
  },
  {
    name: 'migrate',
    summary: 'Copies everything from one etcd or embedded store to another',
    usage: '--from URL|DIR|FILE --to URL|DIR [flags]',
    description: `Copies every key, in the order of its last change, with the leases that remain, and compares both sides afterwards. A DIR is the data directory of a chain, of an embedded etcd, or of a real one (which needs an etcd on the PATH); a target that does not exist is created for an embedded etcd. A URL is http://host:port or unix:///path. A FILE is a snapshot by \`etcdctl snapshot save\`, of an embedded etcd or of a real one.

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
  ...backupCommands,
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
      {
        name: 'kubeconfig',
        value: 'FILE',
        summary: 'writes a kubeconfig for an administrator; if root does, it belongs to the owner of its folder',
        complete: 'file',
      },
      {
        name: 'services-server',
        value: 'URL',
        summary: 'writes services.kubeconfig beside the certificates: this URL of the aggregator, for the controllers',
      },
      { name: 'owner', value: 'UID:GID', summary: 'changes the owner of the certificates' },
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
    usage: '--url URL [--ca-file FILE]',
    description: 'Exit code 0 when the URL returns 200.',
    flags: [
      { name: 'url', value: 'URL', summary: 'URL to probe, e.g. https://127.0.0.1:6443/readyz' },
      {
        name: 'ca-file',
        value: 'FILE',
        summary: 'the authority of its certificate, if it begins with https',
        complete: 'file',
      },
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
