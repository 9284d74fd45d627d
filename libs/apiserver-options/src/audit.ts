import { errorMessage } from '@apichain/meta';
import { statSync } from 'node:fs';
import { httpTransport, loadKubeconfig } from '@apichain/client';
import { goQuote } from '@apichain/go-text';
import { AuditMetrics } from '@apichain/audit';
import { Audit } from '@apichain/audit';
import { ignoringErrors, unionOf, type AuditBackend, type AuditFailure } from '@apichain/audit';
import { BatchBackend } from '@apichain/audit';
import { logBackend, logFormats, standardOutput, type LineWriter, type LogFormat } from '@apichain/audit';
import { AuditPolicyEvaluator } from '@apichain/audit';
import { goReason, loadPolicyFile } from '@apichain/audit';
import { RotatingFile } from '@apichain/audit';
import { truncating } from '@apichain/audit';
import { WebhookBackend } from '@apichain/audit';
import type { Logger } from '@apichain/request';
import type { Worker } from '@apichain/workers';
import { FlagError } from './flag.ts';
import type { ParsedFlags } from './parse-flags.ts';

type Plugin = 'log' | 'webhook';

const modes: readonly string[] = ['batch', 'blocking', 'blocking-strict'];
const version = 'audit.k8s.io/v1';
const megabyte = 1024 * 1024;
/** The limit of concurrent batches for a slow webhook. Further events wait in the buffer. */
const concurrency = 64;

/**
 * The audit that the flags configure; undefined = no audit, because there is no policy or no backend. Throws FlagError with the text of
 * kube-apiserver when a file cannot be read or a value is invalid. The workers of a service share the file of the log. After k8s.io/apiserver/pkg/server/options/audit.go.
 */
export function auditOf(flags: ParsedFlags, logger: Logger, worker?: Worker): Audit | undefined {
  const problems = [...logProblems(flags), ...webhookProblems(flags)];
  if (problems.length > 0)
    throw new FlagError(problems.length === 1 ? (problems[0] ?? '') : `[${problems.join(', ')}]`);
  const evaluator = evaluatorOf(flags, logger);
  if (evaluator === undefined) return undefined;
  const metrics = new AuditMetrics();
  const failed: AuditFailure = (plugin, error, events) => {
    metrics.failed(plugin, events.length);
    logger.error({ plugin, err: error, events: events.map(({ legacy }) => legacy) }, 'audit events were lost');
  };
  const backends: AuditBackend[] = [];
  if (flags.string('audit-log-path') !== '') backends.push(logOf(flags, failed, logger, worker));
  if (flags.string('audit-webhook-config-file') !== '') backends.push(webhookOf(flags, failed));
  return backends.length === 0 ? undefined : new Audit(evaluator, unionOf(backends), metrics);
}

function evaluatorOf(flags: ParsedFlags, logger: Logger): AuditPolicyEvaluator | undefined {
  const path = flags.string('audit-policy-file');
  if (path === '') return undefined;
  try {
    const { policy, warnings } = loadPolicyFile(path);
    if (warnings.length > 0) logger.warn({ file: path, problems: warnings }, 'the audit policy has unknown fields');
    return new AuditPolicyEvaluator(policy);
  } catch (error) {
    throw new FlagError(`loading audit policy file: ${errorMessage(error)}`);
  }
}

function logProblems(flags: ParsedFlags): string[] {
  if (flags.string('audit-log-path') === '') return [];
  const problems = pluginProblems(flags, 'log');
  const format = flags.string('audit-log-format');
  if (!logFormats.some((known) => known === format))
    problems.push(`invalid audit log format ${format}, allowed formats are ${goQuote(logFormats.join(','))}`);
  for (const name of ['audit-log-maxage', 'audit-log-maxbackup', 'audit-log-maxsize'])
    if (flags.number(name) < 0) problems.push(`--${name} ${flags.number(name)} can't be a negative number`);
  return problems;
}

const webhookProblems = (flags: ParsedFlags): string[] =>
  flags.string('audit-webhook-config-file') === '' ? [] : pluginProblems(flags, 'webhook');

function pluginProblems(flags: ParsedFlags, plugin: Plugin): string[] {
  const problems = [batchProblem(flags, plugin), truncateProblem(flags, plugin)];
  if (flags.string(`audit-${plugin}-version`) !== version)
    problems.push(`invalid group version, allowed versions are [${goQuote(version)}]`);
  return problems.filter((problem) => problem !== undefined);
}

function batchProblem(flags: ParsedFlags, plugin: Plugin): string | undefined {
  const mode = flags.string(`audit-${plugin}-mode`);
  if (!modes.includes(mode))
    return `invalid audit ${plugin} mode ${mode}, allowed modes are ${goQuote(modes.join(','))}`;
  if (mode !== 'batch') return undefined;
  const isThrottled = flags.bool(`audit-${plugin}-batch-throttle-enable`);
  const needed: readonly (readonly [flag: string, what: string])[] = [
    ['batch-buffer-size', 'buffer size'],
    ['batch-max-size', 'max batch size'],
    ...(isThrottled
      ? ([
          ['batch-throttle-qps', 'throttle QPS'],
          ['batch-throttle-burst', 'throttle burst'],
        ] as const)
      : []),
  ];
  const bad = needed.find(([flag]) => flags.number(`audit-${plugin}-${flag}`) <= 0);
  if (bad === undefined) return undefined;
  const value = flags.number(`audit-${plugin}-${bad[0]}`);
  return `invalid audit batch ${plugin} ${bad[1]} ${value}, must be a positive number`;
}

function truncateProblem(flags: ParsedFlags, plugin: Plugin): string | undefined {
  const event = flags.number(`audit-${plugin}-truncate-max-event-size`);
  const batch = flags.number(`audit-${plugin}-truncate-max-batch-size`);
  if (event <= 0) return `invalid audit truncate ${plugin} max event size ${event}, must be a positive number`;
  if (batch >= event) return undefined;
  return `invalid audit truncate ${plugin} max batch size ${batch}, must be greater than max event size (${event})`;
}

function logOf(flags: ParsedFlags, failed: AuditFailure, logger: Logger, worker: Worker | undefined): AuditBackend {
  const format: LogFormat = flags.string('audit-log-format') === 'legacy' ? 'legacy' : 'json';
  return wrapped(flags, 'log', logBackend(logWriter(flags, logger, worker), format, failed), failed);
}

function logWriter(flags: ParsedFlags, logger: Logger, worker: Worker | undefined): LineWriter {
  const path = flags.string('audit-log-path');
  if (path === '-') return standardOutput;
  try {
    return new RotatingFile(
      path,
      {
        maxBytes: flags.number('audit-log-maxsize') * megabyte,
        maxAgeDays: flags.number('audit-log-maxage'),
        maxBackups: flags.number('audit-log-maxbackup'),
        compress: flags.bool('audit-log-compress'),
        shared: worker && { isKeeper: worker.leads },
      },
      (error) => logger.error({ err: error, file: path }, 'old audit logs could not be removed'),
    );
  } catch (error) {
    throw new FlagError(`ensureLogFile: ${goReason(path, error)}`);
  }
}

function webhookOf(flags: ParsedFlags, failed: AuditFailure): AuditBackend {
  const path = flags.string('audit-webhook-config-file');
  const old = 'audit-webhook-batch-initial-backoff';
  const backoff = flags.isSet(old) ? old : 'audit-webhook-initial-backoff';
  try {
    if (statSync(path, { throwIfNoEntry: false }) === undefined)
      throw new Error(`stat ${path}: no such file or directory`);
    const config = loadKubeconfig(path);
    const { origin, pathname, search } = new URL(config.url);
    const backend = new WebhookBackend(
      {
        transport: httpTransport({ ...config, url: origin }),
        path: `${pathname}${search}`,
        initialBackoffMs: flags.duration(backoff),
      },
      failed,
    );
    return wrapped(flags, 'webhook', backend, failed);
  } catch (error) {
    throw new FlagError(`initializing audit webhook: ${errorMessage(error)}`);
  }
}

/** Events are truncated before they are batched, so that a batch never exceeds the size limit. */
function wrapped(flags: ParsedFlags, plugin: Plugin, backend: AuditBackend, failed: AuditFailure): AuditBackend {
  const inMode = modeOf(flags, plugin, backend, failed);
  if (!flags.bool(`audit-${plugin}-truncate-enabled`)) return inMode;
  const options = {
    maxEventSize: flags.number(`audit-${plugin}-truncate-max-event-size`),
    maxBatchSize: flags.number(`audit-${plugin}-truncate-max-batch-size`),
  };
  return truncating(inMode, options, failed);
}

function modeOf(flags: ParsedFlags, plugin: Plugin, backend: AuditBackend, failed: AuditFailure): AuditBackend {
  const mode = flags.string(`audit-${plugin}-mode`);
  if (mode === 'blocking-strict') return backend;
  if (mode === 'blocking') return ignoringErrors(backend);
  const number = (name: string) => flags.number(`audit-${plugin}-batch-${name}`);
  const throttle = { qps: number('throttle-qps'), burst: number('throttle-burst') };
  return new BatchBackend(
    backend,
    {
      bufferSize: number('buffer-size'),
      maxBatchSize: number('max-size'),
      maxBatchWaitMs: flags.duration(`audit-${plugin}-batch-max-wait`),
      ...(flags.bool(`audit-${plugin}-batch-throttle-enable`) ? { throttle } : {}),
      concurrency,
    },
    failed,
  );
}
