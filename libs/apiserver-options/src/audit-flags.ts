import type { FlagDefinition } from './flag.ts';

const section = 'Auditing';

type Plugin = 'log' | 'webhook';

/** Both plugins batch and truncate events in the same way. */
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
        'How events are sent: batch buffers them without delay of requests; blocking makes a request wait for its events; blocking-strict also fails a request whose RequestReceived event cannot be stored.',
    }),
    flag('batch-buffer-size', {
      type: 'int',
      default: '10000',
      usage: 'Maximum number of buffered events; further events are dropped. Only in batch mode.',
    }),
    flag('batch-max-size', {
      type: 'int',
      default: isWebhook ? '400' : '1',
      usage: 'Maximum number of events in a batch. Only in batch mode.',
    }),
    flag('batch-max-wait', {
      type: 'duration',
      default: isWebhook ? '30s' : '0s',
      usage: 'How long an event waits for its batch to fill. Only in batch mode.',
    }),
    flag('batch-throttle-enable', {
      type: 'bool',
      default: String(isWebhook),
      usage: 'Whether the number of batches per second is limited. Only in batch mode.',
    }),
    flag('batch-throttle-qps', {
      type: 'float',
      default: isWebhook ? '10' : '0',
      usage: 'Batches per second, on average. Only in batch mode.',
    }),
    flag('batch-throttle-burst', {
      type: 'int',
      default: isWebhook ? '15' : '0',
      usage: 'Maximum burst of batches when few were sent before. Only in batch mode.',
    }),
    flag('truncate-enabled', { type: 'bool', usage: 'Whether large events and batches are truncated.' }),
    flag('truncate-max-batch-size', {
      type: 'int',
      default: '10485760',
      usage: 'Maximum size of a batch in bytes; a larger batch is split.',
    }),
    flag('truncate-max-event-size', {
      type: 'int',
      default: '102400',
      usage: 'Maximum size of an event in bytes; a larger event loses its request and response, or is dropped.',
    }),
    flag('version', {
      type: 'string',
      default: 'audit.k8s.io/v1',
      usage: 'API group and version of the events.',
    }),
  ];
}

/** Flags with the names, meanings and defaults of kube-apiserver: https://kubernetes.io/docs/tasks/debug/debug-cluster/audit/ */
export const auditFlags: readonly FlagDefinition[] = [
  {
    name: 'audit-policy-file',
    type: 'string',
    section,
    usage:
      'File with the audit.k8s.io/v1 Policy that selects the audited requests and their levels; empty = no auditing.',
  },
  {
    name: 'audit-log-path',
    type: 'string',
    section,
    usage: "File to which events are written, one per line; '-' means standard output.",
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
    usage: 'Days to keep old files, by the time in their name; 0 = forever.',
  },
  {
    name: 'audit-log-maxbackup',
    type: 'int',
    default: '100',
    section,
    usage: 'Maximum number of old files to keep; 0 = all.',
  },
  {
    name: 'audit-log-maxsize',
    type: 'int',
    default: '100',
    section,
    usage: 'Maximum size of the file in megabytes before it is rotated; 0 = no limit.',
  },
  { name: 'audit-log-compress', type: 'bool', section, usage: 'Whether old files are compressed with gzip.' },
  ...commonFlags('log'),
  {
    name: 'audit-webhook-config-file',
    type: 'string',
    section,
    usage: 'Kubeconfig of the webhook that receives the events.',
  },
  {
    name: 'audit-webhook-initial-backoff',
    type: 'duration',
    default: '10s',
    section,
    usage: 'Delay before the first of four retries.',
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
