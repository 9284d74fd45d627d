import type { Command, Flag } from './command.ts';
import { chainName, consoleFlags, dataDir, outputFlag } from './shared-flags.ts';

const controllers = ["'*' all, 'foo' one, '-foo' not this one, '-*' none"].join('');

const stopTimeout: Flag = {
  name: 'timeout',
  value: 'SECONDS',
  summary: 'how long to wait before killing it',
  default: '30',
};

/** The commands that start, look at and stop a chain. */
export const lifecycleCommands: readonly Command[] = [
  {
    name: 'up',
    summary: 'Starts the chain and runs it until Ctrl-C',
    usage: '[flags]',
    description: `Creates a certificate authority and certificates, starts a store and the three services, waits until they are ready, and writes a kubeconfig for an administrator. All files are in the data directory and are used again at the next start.

Without --etcd-servers the data is stored in an embedded etcd, which needs no installation. A directory that holds the data of a real etcd is used with the etcd on the PATH; \`apichain migrate\` copies it.

On a terminal, keys control the chain while it runs: r restarts it, l prints its logs, o tells where the console is, q stops it, as does Ctrl-C.

All other flags are those of kube-apiserver and are passed to the services: --token-auth-file, --runtime-config, --feature-gates, --enable-admission-plugins, --v, ... A flag for a part that is not implemented is accepted with a warning.

The controllers take flags of kube-controller-manager: --concurrent-deployment-syncs, --node-monitor-grace-period, --terminated-pod-gc-threshold, ...`,
    flags: [
      { ...dataDir, summary: 'certificates, data, logs, kubeconfig' },
      chainName,
      { name: 'detach', summary: 'runs in the background; returns when the chain is ready' },
      { name: 'dry-run', summary: 'checks the flags, and makes and starts nothing' },
      {
        name: 'show-requests',
        summary:
          'prints a line for each request: time, status code, duration, service that answered, verb, user, path; for a watch when it opens and when it ends. Those of the controllers are only in the logs',
      },
      {
        name: 'filename',
        short: 'f',
        value: 'FILE|DIR',
        summary:
          'applies the manifests of this file or folder when the chain is ready, and deletes what an earlier start applied and none of them has any more; may be repeated',
        complete: 'file',
      },
      { name: 'recursive', short: 'R', summary: 'with -f: also the folders below folders' },
      {
        name: 'watch',
        summary: 'with -f: applies what changes in the files while the chain runs, and deletes what leaves',
      },
      {
        name: 'status-line',
        value: 'BOOL',
        summary:
          'on a terminal: whether its last line shows the address, the console, the number of objects and the requests per second',
        default: 'true',
        complete: ['true', 'false'],
      },
      {
        name: 'merge-kubeconfig',
        value: 'FILE',
        summary:
          'adds a context to this kubeconfig while the chain runs, and makes it the current one; without FILE to the files of KUBECONFIG or to ~/.kube/config, as kubectl config does',
        complete: 'file',
      },
      {
        name: 'bind-address',
        value: 'ADDRESS',
        summary: 'the address on which the API is served',
        default: '127.0.0.1',
      },
      { name: 'secure-port', value: 'PORT', summary: 'its port; default: 6443, or the next free one' },
      { name: 'in-process', summary: 'all servers in one process: faster start, less memory' },
      { name: 'memory', summary: 'with --in-process: writes nothing to disk' },
      {
        name: 'workers',
        value: 'N|auto',
        summary: 'processes that serve each service, or with --in-process the chain; auto: processors less one',
        default: '1',
      },
      ...consoleFlags,
      {
        name: 'simulate',
        value: 'NODES',
        summary:
          'simulates so many nodes (3 without a value), which run pods without containers, and starts a scheduler and the controllers of Deployments, Jobs and other workloads',
      },
      {
        name: 'stages',
        value: 'FILE',
        summary: 'with --simulate: further stages of simulated objects, in YAML; may be repeated',
        complete: 'file',
      },
      {
        name: 'scheduler',
        value: 'BOOL',
        summary: 'with --simulate: whether its scheduler runs; false leaves pods to another one',
        default: 'true',
      },
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
        name: 'enable-admission-plugins',
        value: 'LIST',
        summary:
          'admission plugins beside those that are on by default. NodeRestriction is on unless --disable-admission-plugins names it, and with --simulate ServiceAccount',
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
      ['apichain up --detach --name dev --merge-kubeconfig', 'in the background, for plain kubectl'],
      ['apichain up --in-process --memory --secure-port 7443', 'one process, without data on disk'],
      ['apichain up --in-process --memory --console', 'with the console'],
      ['apichain up --in-process -f manifests/ --watch', 'with what stands in the manifests, and follows them'],
      ['apichain up --in-process --simulate', 'with three nodes: Deployments become ready'],
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
      'Stops the chain as Ctrl-C does, waits until it has exited, and ends processes that a killed chain left running. The data remains without --delete. It is not an error when no chain is running.',
    flags: [
      dataDir,
      chainName,
      stopTimeout,
      { name: 'delete', summary: 'deletes the data of the chain, its certificates, logs and snapshots' },
    ],
    examples: [
      ['apichain down --data-dir /tmp/chain', 'stops the chain of that directory'],
      ['apichain down --delete', 'stops the chain of this folder; the next one begins anew'],
    ],
    load: async () => (await import('../down.ts')).downCommand,
  },
  {
    name: 'delete',
    summary: 'Stops named chains and deletes their data',
    usage: 'NAME... [flags]',
    description:
      'Stops the chains of these names as `apichain down` does, and deletes their data, certificates, logs and snapshots, and their contexts in the files of KUBECONFIG or in ~/.kube/config. `apichain list` has the names. `apichain down --delete` does it for a data directory.',
    flags: [stopTimeout],
    arguments: [{ name: 'name', complete: 'chain', many: true }],
    examples: [['apichain delete dev', 'it is no longer listed']],
    load: async () => (await import('../down.ts')).deleteCommand,
  },
  {
    name: 'reset',
    summary: 'Brings a chain back to its seed',
    usage: '[flags]',
    description:
      'The seed is what a chain holds when it has started with an empty store and its manifests (`apichain up -f`) are applied. Certificates, kubeconfig, logs and snapshots stay.\n\nA chain in one process that started with an empty store runs on: watches report what is gone and what is back. Any other chain that runs starts again with an empty store, in the same process. Of one that does not run, the store is removed.\n\nThe etcd of --etcd-servers is never emptied.',
    flags: [dataDir, chainName],
    examples: [['apichain reset --name dev', 'what was changed since its start is gone']],
    load: async () => (await import('../lifecycle/reset-command.ts')).resetCommand,
  },
  {
    name: 'use',
    summary: 'Makes a named chain the one that kubectl uses',
    usage: 'NAME',
    description:
      'Makes the context of a chain that runs the current one, as `kubectl config use-context` does, and adds it before if it is not there. It is removed when the chain stops.',
    flags: [],
    arguments: [{ name: 'name', complete: 'chain' }],
    examples: [['apichain use dev', 'kubectl get namespaces shows those of dev']],
    load: async () => (await import('../lifecycle/use-command.ts')).useCommand,
  },
  {
    name: 'console',
    summary: 'Prints a URL that logs in to the console of a chain',
    usage: '[flags]',
    description:
      'The chain must run with --console. The URL logs in once, within ten minutes, as the administrator. It is of use on this machine only.',
    flags: [dataDir, chainName],
    examples: [['xdg-open "$(apichain console)"', 'opens the console']],
    load: async () => (await import('../console-command.ts')).consoleCommand,
  },
  {
    name: 'status',
    summary: 'Shows whether a chain runs, where, and with which processes',
    usage: '[flags]',
    description:
      'Prints the state of the chain, its URL, store and kubeconfig, and its processes with their memory. The exit code is 0 when the chain is ready.',
    flags: [dataDir, chainName, outputFlag],
    examples: [['apichain status --output json', 'for programs']],
    load: async () => (await import('../lifecycle/status-command.ts')).statusCommand,
  },
  {
    name: 'list',
    summary: 'Lists the named chains and the chain of this folder',
    usage: '[flags]',
    description: 'Prints a line for each: name, state, age, URL and data directory.',
    flags: [outputFlag],
    examples: [['apichain list', 'which chains there are']],
    load: async () => (await import('../lifecycle/list-command.ts')).listCommand,
  },
  {
    name: 'profile',
    summary: 'Takes a profile of a running service',
    usage: 'cpu|heap aggregator|kube-core|apiextensions [flags]',
    description: `Writes a profile of V8 of a service of the chain, for the developer tools of Chrome and for editors. Of a chain in one process it is that of all services, of a service with --workers that of the first worker.

  cpu    where the processor time goes for --seconds: SERVICE.cpuprofile
  heap   a snapshot of what is in memory: SERVICE.heapsnapshot. It stops the service for a second for each 100 MB or so, needs as much memory again, and has the keys and tokens of the service in it

One profile of a service is taken at a time. The command reads from a Unix socket in the data directory, which only the user of the chain can open. Servers that were started otherwise have profiles at /debug/v8/ and /debug/pprof/.`,
    flags: [
      dataDir,
      chainName,
      { name: 'seconds', value: 'N', summary: 'how long the processor is watched, up to 300', default: '10' },
      { name: 'output', value: 'FILE', summary: 'the file to write; it must not exist', complete: 'file' },
    ],
    arguments: [
      { name: 'profile', values: ['cpu', 'heap'] },
      { name: 'service', values: ['aggregator', 'kube-core', 'apiextensions'] },
    ],
    examples: [
      ['apichain profile cpu kube-core --seconds 30', 'kube-core.cpuprofile, of the next 30 seconds'],
      ['apichain profile heap kube-core --name dev --output before.heapsnapshot', 'of the chain "dev"'],
    ],
    load: async () => (await import('../profile/command.ts')).profileCommand,
  },
  {
    name: 'logs',
    summary: 'Prints the logs of a chain',
    usage: '[SERVICE] [flags]',
    description:
      'Prints the last lines of all processes in the order of time, or those of one service: aggregator, kube-core, apiextensions, controllers, etcd. In the files below logs in the data directory a line is a JSON object.',
    flags: [
      dataDir,
      chainName,
      { name: 'follow', short: 'f', summary: 'goes on with what is written, until Ctrl-C' },
      { name: 'tail', value: 'LINES', summary: 'how many lines', default: '200' },
      { ...outputFlag, summary: 'text, or json for the lines as they stand in the files' },
    ],
    arguments: [
      {
        name: 'service',
        values: ['aggregator', 'kube-core', 'apiextensions', 'controllers', 'etcd', 'apichain', 'up'],
      },
    ],
    examples: [['apichain logs kube-core --follow', 'what kube-core does']],
    load: async () => (await import('../lifecycle/logs-command.ts')).logsCommand,
  },
  {
    name: 'wait',
    summary: 'Waits until a chain is ready',
    usage: '[flags]',
    description:
      'Returns when the chain is ready, or with --stopped when none runs. The exit code is 1 after the timeout.',
    flags: [
      dataDir,
      chainName,
      { name: 'timeout', value: 'SECONDS', summary: 'how long to wait', default: '60' },
      { name: 'stopped', summary: 'waits until the chain has stopped' },
    ],
    examples: [['apichain wait --timeout 10', 'before a script uses the chain']],
    load: async () => (await import('../lifecycle/wait-command.ts')).waitCommand,
  },
  {
    name: 'kubeconfig',
    summary: 'Prints a kubeconfig for the chain of a data directory',
    usage: '[flags]',
    description:
      "Prints the administrator's kubeconfig or, with --user, one for another user: a client certificate signed by the chain's authority, valid for a year. The authorization mode decides what that user may do. With --merge it is added to an existing file as a separate context, as `kubectl config` does.",
    flags: [
      dataDir,
      chainName,
      { name: 'user', value: 'NAME', summary: 'for this user instead of the administrator' },
      { name: 'group', value: 'NAME', list: true, summary: 'with --user: a group of the user; may be repeated' },
      {
        name: 'server',
        value: 'URL',
        summary: 'URL of the API for clients, if it differs from the address it listens on',
      },
      {
        name: 'merge',
        value: 'FILE',
        summary: 'adds it to this file, or to files as in KUBECONFIG, instead of printing it',
        complete: 'file',
      },
      {
        name: 'context',
        value: 'NAME',
        summary:
          "name of the cluster and of the administrator's context; the context of another user is USER@NAME; default: the name of the chain, or apichain",
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
];
