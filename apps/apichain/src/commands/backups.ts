import type { Command, Flag } from './command.ts';
import { chainName, consoleFlags, dataDir } from './shared-flags.ts';

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

/** The commands that make and look at backups of etcd. */
export const backupCommands: readonly Command[] = [
  {
    name: 'snapshot',
    summary: 'Saves and restores the objects of a chain',
    usage: 'save|restore|list [SNAPSHOT] [flags]',
    description: `save writes what the chain's store holds to a file below snapshots in the data directory, also while the chain runs, and then also that of a chain with --memory. Without a name, the file is named by the time. restore replaces the store of a stopped chain; the former store is kept beside it. SNAPSHOT is a name, or the path of a file, which may also come from \`etcdctl snapshot save\`.

A snapshot is a file of etcd 3.5: \`etcdutl snapshot status\` and \`restore\`, \`apichain open\` and \`apichain diff\` read it.`,
    flags: [dataDir, chainName],
    arguments: [{ name: 'action', values: ['save', 'restore', 'list'] }, { name: 'snapshot' }],
    examples: [
      ['apichain snapshot save before-upgrade', 'saves the objects'],
      ['apichain snapshot restore before-upgrade', 'has them again; the chain must be stopped'],
    ],
    load: async () => (await import('../snapshot/command.ts')).snapshotCommand,
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
      ...consoleFlags,
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
];
