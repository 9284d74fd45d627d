import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { hasErrorCode } from '@apichain/meta';
import { namespaceFile } from '../in-cluster.ts';

/** Replicas of a manager elect one of them with a Lease. */
export interface LeaderElection {
  /** The name of the Lease: that of the program, with a domain. */
  readonly id: string;
  /** Its namespace. Default: that of the pod. */
  readonly namespace?: string;
  /** The name of this replica. Default: that of the host, with random letters. */
  readonly identity?: string;
  /** How long the others wait for a leader that shows no sign of life. Default: 15,000. */
  readonly leaseDurationMs?: number;
  /** For how long a leader tries to renew the Lease before it gives up. Default: 10,000. */
  readonly renewDeadlineMs?: number;
  /** Default: 2,000. */
  readonly retryPeriodMs?: number;
}

/** The election with its defaults. Throws Error outside of a pod if no namespace is given, and for times that do not fit together. */
export function electionOf(election: LeaderElection | undefined) {
  if (election === undefined) return undefined;
  const {
    id,
    namespace = podNamespace(),
    identity = `${hostname()}_${randomUUID()}`,
    leaseDurationMs = 15_000,
    renewDeadlineMs = 10_000,
    retryPeriodMs = 2_000,
  } = election;
  if (leaseDurationMs <= renewDeadlineMs) throw new Error('leaseDuration must be greater than renewDeadline');
  if (renewDeadlineMs <= retryPeriodMs) throw new Error('renewDeadline must be greater than retryPeriod');
  return { name: id, namespace, identity, leaseDurationMs, renewDeadlineMs, retryPeriodMs };
}

function podNamespace(): string {
  try {
    return readFileSync(namespaceFile, 'utf8').trim();
  } catch (error) {
    if (!hasErrorCode(error, 'ENOENT')) throw error;
    throw new Error('not running in-cluster, please specify the namespace of the leader election', { cause: error });
  }
}
