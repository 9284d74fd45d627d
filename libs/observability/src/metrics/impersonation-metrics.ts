import type { Registry } from 'prom-client';
import { exponentialBuckets, PreparedCounter, PreparedHistogram } from './prepared.ts';

/** The label `mode`: how the user may be impersonated; empty = no mode allowed it. */
export type ImpersonationModeLabel =
  | ''
  | 'legacy'
  | 'associated-node'
  | 'arbitrary-node'
  | 'serviceaccount'
  | 'user-info';

const modes: readonly ImpersonationModeLabel[] = [
  'legacy',
  'associated-node',
  'arbitrary-node',
  'serviceaccount',
  'user-info',
];
const decisions = ['allowed', 'denied'] as const;
const labelNames = ['mode', 'decision'] as const;

type Record = (mode: ImpersonationModeLabel, isAllowed: boolean, seconds: number) => void;

/** The metrics `apiserver_impersonation_*` of impersonated requests, and of the authorization checks that impersonation makes. */
export class ImpersonationMetrics {
  /** One request with a user to impersonate. */
  readonly attempted: Record;
  /** One authorization check. */
  readonly checked: Record;

  constructor(registry: Registry) {
    this.attempted = recorder(registry, 'attempts', 'Requests that impersonate a user');
    this.checked = recorder(registry, 'authorization_attempts', 'Authorization checks for impersonation');
  }
}

function recorder(registry: Registry, name: string, help: string): Record {
  const prefix = `apiserver_impersonation_${name}`;
  const counter = new PreparedCounter({
    name: `${prefix}_total`,
    help: `${help}, by mode and decision.`,
    labelNames,
    registry,
  });
  const histogram = new PreparedHistogram({
    name: `${prefix}_duration_seconds`,
    help: `${help}: how long they took, in seconds.`,
    labelNames,
    buckets: exponentialBuckets(0.001, 2, 15),
    registry,
  });
  const series = new Map(
    ['', ...modes].flatMap((mode) =>
      decisions.map((decision) => {
        const labels = { mode, decision };
        return [`${mode} ${decision}`, { count: counter.prepare(labels), time: histogram.prepare(labels) }] as const;
      }),
    ),
  );
  return (mode, isAllowed, seconds) => {
    const found = series.get(`${mode} ${decisions[isAllowed ? 0 : 1]}`);
    if (found === undefined) return;
    found.count.value++;
    found.time.observe(seconds);
  };
}
