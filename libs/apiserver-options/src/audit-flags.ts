import type { FlagDefinition } from './flag.ts';

const section = 'Auditing';

type Plugin = 'log' | 'webhook';

/** The events of both plugins are collected and cut alike. */
function commonFlags(plugin: Plugin): FlagDefinition[] {
  const isWebhook = plugin === 'webhook';
  const flag = (name: string, rest: Omit<FlagDefinition, 'name' | 'section'>): FlagDefinition => ({
    name: `audit-${plugin}-${name}`,
    section,
    ...rest,
  });
  return [
    flag('mode', {
      type: 'string',
      default: isWebhook ? 'batch' : 'blocking',
      usage:
        'How events are sent: batch collects them and nobody waits; with blocking a request waits for its events; with blocking-strict it fails when the first cannot be stored.',
    }),
    flag('batch-buffer-size', {
      type: 'int',
      default: '10000',
      usage: 'Events that are held at most; what comes beyond is lost. Only in batch mode.',
    }),
    flag('batch-max-size', {
      type: 'int',
      default: isWebhook ? '400' : '1',
      usage: 'Events that a batch has at most. Only in batch mode.',
    }),
    flag('batch-max-wait', {
      type: 'duration',
      default: isWebhook ? '30s' : '0s',
      usage: 'How long an event waits for its batch to become full. Only in batch mode.',
    }),
    flag('batch-throttle-enable', {
      type: 'bool',
      default: String(isWebhook),
      usage: 'Whether the number of batches in a second is limited. Only in batch mode.',
    }),
    flag('batch-throttle-qps', {
      type: 'float',
      default: isWebhook ? '10' : '0',
      usage: 'Batches per second, on average. Only in batch mode.',
    }),
    flag('batch-throttle-burst', {
      type: 'int',
      default: isWebhook ? '15' : '0',
      usage: 'Batches that may be sent at once when there were few before. Only in batch mode.',
    }),
    flag('truncate-enabled', { type: 'bool', usage: 'Whether large events and batches are cut.' }),
    flag('truncate-max-batch-size', {
      type: 'int',
      default: '10485760',
      usage: 'Bytes of a batch at most; a larger one is sent in parts.',
    }),
    flag('truncate-max-event-size', {
      type: 'int',
      default: '102400',
      usage: 'Bytes of an event at most; a larger one loses what was sent and answered, or is dropped.',
    }),
    flag('version', {
      type: 'string',
      default: 'audit.k8s.io/v1',
      usage: 'API group and version of the events.',
    }),
  ];
}

/** Names, meanings and defaults of kube-apiserver: https://kubernetes.io/docs/tasks/debug/debug-cluster/audit/ */
export const auditFlags: readonly FlagDefinition[] = [
  {
    name: 'audit-policy-file',
    type: 'string',
    section,
    usage: 'File with the audit.k8s.io/v1 Policy that says which requests are told of, and how fully; empty = none.',
  },
  {
    name: 'audit-log-path',
    type: 'string',
    section,
    usage: "File to which events are written, a line each; '-' means standard out.",
  },
  {
    name: 'audit-log-format',
    type: 'string',
    default: 'json',
    section,
    usage: 'json writes each event as an object, legacy as a line of text.',
  },
  {
    name: 'audit-log-maxage',
    type: 'int',
    default: '366',
    section,
    usage: 'Days for which old files are kept, by the time in their name; 0 = for ever.',
  },
  {
    name: 'audit-log-maxbackup',
    type: 'int',
    default: '100',
    section,
    usage: 'Old files that are kept at most; 0 = all.',
  },
  {
    name: 'audit-log-maxsize',
    type: 'int',
    default: '100',
    section,
    usage: 'Megabytes that the file has at most before a new one is begun; 0 = no limit.',
  },
  { name: 'audit-log-compress', type: 'bool', section, usage: 'Whether old files are compressed with gzip.' },
  ...commonFlags('log'),
  {
    name: 'audit-webhook-config-file',
    type: 'string',
    section,
    usage: 'File in kubeconfig format that says where events are POSTed.',
  },
  {
    name: 'audit-webhook-initial-backoff',
    type: 'duration',
    default: '10s',
    section,
    usage: 'How long to wait before the first of the four retries.',
  },
  {
    name: 'audit-webhook-batch-initial-backoff',
    type: 'duration',
    default: '10s',
    section,
    usage: 'Deprecated, use --audit-webhook-initial-backoff instead.',
  },
  ...commonFlags('webhook'),
];
