import type { Registry } from 'prom-client';
import { exponentialBuckets, PreparedCounter, PreparedHistogram } from './prepared.ts';

type AuthenticationOutcome = 'success' | 'failure' | 'error';
/** The label `decision` of the authorization metrics. */
export type AuthorizationOutcome = 'allowed' | 'denied' | 'no-opinion' | 'error';

/** Users with a separate series. All other users share one series, so that clients cannot create series. */
const known: readonly string[] = [
  'admin',
  'client',
  'kube_proxy',
  'kubelet',
  'system:serviceaccount:kube-system:default',
];
const hour = 3600;
const day = 24 * hour;
const lifetimes = [
  0,
  hour / 2,
  hour,
  2 * hour,
  6 * hour,
  12 * hour,
  day,
  2 * day,
  4 * day,
  7 * day,
  30 * day,
  90 * day,
];
const email = 'email_id';
const other = 'other';

/** Metrics of authentication and authorization: https://kubernetes.io/docs/reference/instrumentation/metrics/ */
export class AccessMetrics {
  readonly #authentication;
  readonly #authorization;
  readonly #users;
  readonly #expirations;

  constructor(registry: Registry) {
    const seconds = exponentialBuckets(0.001, 2, 15);
    const users = new PreparedCounter({
      name: 'authenticated_user_requests',
      help: 'Requests by the kind of user that made them.',
      labelNames: ['username'],
      registry,
    });
    this.#users = byName([...known, email, other], (username) => users.prepare({ username }));
    this.#expirations = new PreparedHistogram({
      name: 'apiserver_client_certificate_expiration_seconds',
      help: 'Seconds until the certificate ends that a request was made with.',
      labelNames: [],
      buckets: [...lifetimes, 180 * day, 360 * day],
      registry,
    }).prepare({});
    const outcomes = <Outcome extends string>(what: string, counter: string, results: readonly Outcome[]) => {
      const labelNames = ['result'] as const;
      const attempts = new PreparedCounter({ name: counter, help: `Outcomes of ${what}.`, labelNames, registry });
      const durations = new PreparedHistogram({
        name: `${what}_duration_seconds`,
        help: `How long ${what} took, in seconds.`,
        labelNames,
        buckets: seconds,
        registry,
      });
      return byName(results, (result) => ({
        attempts: attempts.prepare({ result }),
        duration: durations.prepare({ result }),
      }));
    };
    this.#authentication = outcomes('authentication', 'authentication_attempts', ['success', 'failure', 'error']);
    this.#authorization = outcomes('authorization', 'authorization_attempts_total', [
      'allowed',
      'denied',
      'no-opinion',
      'error',
    ]);
  }

  /** `username` is the authenticated user. */
  authenticated(outcome: AuthenticationOutcome, seconds: number, username = ''): void {
    record(this.#authentication.get(outcome), seconds);
    if (outcome !== 'success') return;
    const users = this.#users;
    const series = users.get(username) ?? users.get(username.includes('@') ? email : other);
    if (series !== undefined) series.value++;
  }

  /** Records a request authenticated by a certificate that expires in `seconds`. */
  certificateUsed(seconds: number): void {
    this.#expirations.observe(seconds);
  }

  authorized(outcome: AuthorizationOutcome, seconds: number): void {
    record(this.#authorization.get(outcome), seconds);
  }
}

const byName = <Name extends string, Value>(names: readonly Name[], make: (name: Name) => Value) =>
  new Map<string, Value>(names.map((name) => [name, make(name)]));

interface OutcomeSeries {
  readonly attempts: { value: number };
  readonly duration: { observe(seconds: number): void };
}

function record(series: OutcomeSeries | undefined, seconds: number): void {
  if (series === undefined) return;
  series.attempts.value++;
  series.duration.observe(seconds);
}
