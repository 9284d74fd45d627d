import { goQuote } from '@apichain/go-text';
import type { DelegationTarget } from '@apichain/delegation';
import type { Probe } from './probe.ts';

/** The response of the next server of the chain to a probe. */
export interface DelegateHealth {
  /** The lines of its checks, as `?verbose` shows them, by the name of the check. */
  readonly lines: ReadonlyMap<string, string>;
  /** Names of checks that failed. */
  readonly failed: readonly string[];
  /** The excluded names that the next server does not know, quoted. */
  readonly unknown: ReadonlySet<string>;
}

const checkLine = /^\[[+-]\](\S+) .*$/;
const unknownLine = /^warn: some health checks cannot be excluded: no matches for (.*)$/;

/**
 * Probes the next server. For clients the chain is one server with all checks. The liveness of a next server in another process is probed by
 * its own supervisor, and not from here. Undefined if it is not probed. Rejects when it cannot be reached.
 */
export async function delegateHealth(
  delegate: DelegationTarget,
  probe: Probe,
  excluded: ReadonlySet<string>,
): Promise<DelegateHealth | undefined> {
  const inProcess = delegate.serves !== undefined;
  if (!inProcess && probe === 'livez') return undefined;
  const query = new URLSearchParams({ verbose: '' });
  for (const name of excluded) query.append('exclude', name);
  const { status, body } = await delegate.fetch(`/${probe}?${query.toString()}`);
  const lines = new Map<string, string>();
  const failed: string[] = [];
  const unknown = new Set<string>();
  for (const line of body.toString().split('\n')) {
    const name = checkLine.exec(line)?.[1];
    if (name !== undefined) {
      lines.set(name, `${line}\n`);
      if (line.startsWith('[-]')) failed.push(name);
    }
    const names = unknownLine.exec(line)?.[1];
    if (names !== undefined)
      for (const quoted of [...excluded].map(goQuote)) if (`,${names},`.includes(`,${quoted},`)) unknown.add(quoted);
  }
  if (status !== 200 && failed.length === 0)
    throw new Error(`the next server in the chain is not ready: code ${status}`);
  return { lines, failed, unknown };
}
