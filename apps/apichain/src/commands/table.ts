import type { Command, Flag } from './command.ts';

const dataDir: Flag = {
  name: 'data-dir',
  value: 'DIR',
  summary: 'the data directory of the chain',
  default: '.apichain',
  complete: 'directory',
};

const controllers = ["'*' all, 'foo' one, '-foo' not this one, '-*' none"].join('');

/** All commands. Help, completion and the parser use this table. */
export const commands: readonly Command[] = [
  {
    name: 'up',
    summary: 'Starts the chain and runs it until Ctrl-C',
    usage: '[flags]',
    description: `Makes a certificate authority and certificates, starts a store and the three services, waits until they are ready, and writes a kubeconfig of an administrator. Everything lies under the data directory and is there again the next time.

Without --etcd-servers the data is kept in an etcd of our own, which needs nothing installed. A directory that holds the data of a real etcd goes on with the etcd found on the PATH; \`apichain migrate\` moves it.

Every other flag is one of kube-apiserver's and goes to the services: --token-auth-file, --runtime-config, --feature-gates, --enable-admission-plugins, --v, ... What is not built yet is accepted with a warning.`,
    flags: [
      { ...dataDir, summary: 'certificates, data, logs, kubeconfig' },
      { name: 'bind-address', value: 'ADDRESS', summary: 'where the API is served', default: '127.0.0.1' },
      { name: 'secure-port', value: 'PORT', summary: 'its port', default: '6443' },
      { name: 'in-process', summary: 'all servers in one process: faster start, less memory' },
      { name: 'memory', summary: 'with --in-process: writes nothing to disk' },
      {
        name: 'apis',
        value: 'SET',
        summary: 'the built-in APIs: all, or minimal: no pods, nodes, services, workloads, storage',
        default: 'all',
      },
      { name: 'etcd-servers', value: 'URL,URL', summary: 'keeps the data in this etcd cluster' },
      {
        name: 'embedded-etcd',
        summary:
          'the store when there is no --etcd-servers: true for the embedded etcd, =false for the one on the PATH',
      },
      {
        name: 'service-cluster-ip-range',
        value: 'CIDR',
        summary: 'addresses of Services',
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
        summary: `controllers that keep the API consistent (garbage collection, namespace deletion, ...): ${controllers}, as of kube-controller-manager`,
        default: '*',
      },
    ],
    examples: [
      ['apichain up', 'on https://127.0.0.1:6443, data under .apichain'],
      ['apichain up --in-process --memory --secure-port 7443', 'one process that forgets everything when it ends'],
      ['apichain up --in-process --memory --apis minimal', 'a control plane for kinds of your own'],
      ['apichain up --etcd-servers http://127.0.0.1:2379 --authorization-mode AlwaysAllow', 'on an etcd of yours'],
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
      'Tells the chain to stop as Ctrl-C does, waits until it has, and ends what a chain that was killed left running. The data stays. It is no error when nothing runs.',
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
      "Prints the administrator's kubeconfig or, with --user, one for another user: a client certificate signed by the chain's authority, valid for a year. What that user may do is up to the authorization mode. With --merge it goes into an existing file as a context of its own, as `kubectl config` would put it.",
    flags: [
      dataDir,
      { name: 'user', value: 'NAME', summary: 'for this user instead of the administrator' },
      { name: 'group', value: 'NAME', list: true, summary: 'with --user: a group of the user; may be repeated' },
      {
        name: 'server',
        value: 'URL',
        summary: 'URL of the API for clients, if it differs from the address it listens on',
      },
      { name: 'merge', value: 'FILE', summary: 'merges it into this file instead of printing it', complete: 'file' },
      {
        name: 'context',
        value: 'NAME',
        summary: "the cluster's name, and the administrator's context; another user's is NAME@it",
        default: 'apichain',
      },
    ],
    examples: [
      ['apichain kubeconfig > admin.kubeconfig', 'a copy of the administrator’s'],
      [
        'apichain kubeconfig --user jane --group developers --merge ~/.kube/config',
        'makes a user and a context for her',
      ],
    ],
    load: async () => (await import('../kubeconfig-command.ts')).kubeconfigCommand,
  },
  {
    name: 'doctor',
    summary: 'Checks a chain and its environment for problems',
    usage: '[flags]',
    description:
      'Checks Node, the data directory, certificates, store, ports, clocks and the tools around them, and prints a line each: ok, warn or FAIL. Changes nothing. Exit code 1 when something is wrong.',
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
    examples: [['apichain doctor', 'why does it not start, or what is it that runs?']],
    load: async () => (await import('../doctor/command.ts')).doctorCommand,
  },
  {
    name: 'migrate',
    summary: 'Copies everything from one etcd or embedded store to another',
    usage: '--from URL|DIR|FILE --to URL|DIR [flags]',
    description: `Copies every key, in the order of its last change, with the leases that remain, and compares both sides afterwards. A DIR is a data directory of a chain, of an embedded etcd, or of a real one (which needs an etcd on the PATH); a target that does not exist is made, as an embedded one. A URL is http://host:port or unix:///path. A FILE is what \`etcdctl snapshot save\` took of an embedded etcd; that of a real one is restored by etcd's own tools.

The source must stand still: stop its chain first. A directory in use is refused, and a source that changes meanwhile makes the command fail. A new directory has the revisions of the source; in an etcd that is there already they are new ones, and clients that watch have to list again, which they do by themselves.

A target that holds keys is refused. A copy into a new directory appears under its name only when it is whole and verified; one into an etcd that was interrupted is done again with --overwrite.`,
    flags: [
      { name: 'from', value: 'URL|DIR|FILE', summary: 'the source', complete: 'file' },
      { name: 'to', value: 'URL|DIR', summary: 'the target', complete: 'directory' },
      { name: 'prefix', value: 'KEY', summary: 'copies only keys that begin with this, e.g. /registry' },
      {
        name: 'overwrite',
        summary: 'accepts a target that holds keys: copied keys are overwritten, others stay',
      },
      { name: 'ca-file', value: 'FILE', summary: 'authority of an https etcd', complete: 'file' },
      { name: 'cert-file', value: 'FILE', summary: 'client certificate for an https etcd', complete: 'file' },
      { name: 'key-file', value: 'FILE', summary: 'its key', complete: 'file' },
    ],
    examples: [
      ['apichain migrate --from .apichain --to http://127.0.0.1:2379', 'grow: from the embedded etcd to a real one'],
      [
        'apichain migrate --from .apichain/etcd --to .apichain/embedded-etcd',
        'from the etcd of a chain to its embedded one',
      ],
    ],
    load: async () => (await import('../migrate/command.ts')).migrateCommand,
  },
  {
    name: 'certificates',
    summary: 'Makes certificates for services that are started separately',
    usage: '--pki-dir DIR [flags]',
    description:
      'Makes the certificates of a chain whose services are started one by one, and keeps those that are there.',
    flags: [
      { name: 'pki-dir', value: 'DIR', summary: 'where the certificates are', complete: 'directory' },
      { name: 'hosts', value: 'A,B', list: true, summary: 'further names and addresses of the services' },
      {
        name: 'server',
        value: 'URL',
        summary: 'with --kubeconfig: URL of the aggregator for clients',
        default: 'https://127.0.0.1:6443',
      },
      { name: 'kubeconfig', value: 'FILE', summary: 'writes a kubeconfig of an administrator', complete: 'file' },
      { name: 'owner', value: 'UID:GID', summary: 'gives the certificates and the kubeconfig to this user' },
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
    description: `Load it in the running shell, or let every new one load it:

  bash:  source <(apichain completion bash)         or into ~/.local/share/bash-completion/completions/apichain
  zsh:   source <(apichain completion zsh)          or into a file _apichain on the $fpath
  fish:  apichain completion fish | source          or into ~/.config/fish/completions/apichain.fish`,
    flags: [],
    argument: { name: 'shell', values: ['bash', 'zsh', 'fish'] },
    examples: [['source <(apichain completion bash)', 'for this bash']],
    load: async () => {
      const { completionCommand } = await import('../completion/command.ts');
      return (given) => completionCommand(commands, given);
    },
  },
];
