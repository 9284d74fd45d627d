import assert from 'node:assert/strict';
import type { DelegationTarget } from '@apichain/delegation';
import { delegateHealth } from './delegate-checks.ts';

/** The next server: responds to every path like this. */
function target(status: number, lines: readonly string[], { inProcess = false } = {}) {
  const asked: string[] = [];
  const delegate: DelegationTarget = {
    handle: () => undefined,
    close: () => undefined,
    fetch: (path) => {
      asked.push(path);
      return Promise.resolve({ status, headers: {}, body: Buffer.from(lines.join('\n')) });
    },
    ...(inProcess ? { serves: () => false } : {}),
  };
  return { delegate, asked };
}

const nothing: ReadonlySet<string> = new Set();

describe('the health of the next server', () => {
  it('has a line for each check, and the names of those that failed', async () => {
    const { delegate, asked } = target(500, ['[+]ping ok', '[-]etcd failed: reason withheld', 'readyz check failed']);
    const health = await delegateHealth(delegate, 'readyz', nothing);
    assert.deepEqual(asked, ['/readyz?verbose=']);
    assert.deepEqual(
      [...(health?.lines ?? [])],
      [
        ['ping', '[+]ping ok\n'],
        ['etcd', '[-]etcd failed: reason withheld\n'],
      ],
    );
    assert.deepEqual(health?.failed, ['etcd']);
  });

  it('says which of the excluded checks it does not have', async () => {
    const warning = 'warn: some health checks cannot be excluded: no matches for "a","b"';
    const { delegate, asked } = target(200, ['[+]etcd excluded: ok', warning, 'readyz check passed']);
    const health = await delegateHealth(delegate, 'readyz', new Set(['etcd', 'a', 'b']));
    assert.deepEqual(asked, ['/readyz?verbose=&exclude=etcd&exclude=a&exclude=b']);
    assert.deepEqual([...(health?.unknown ?? [])], ['"a"', '"b"']);
  });

  it('is not asked for its liveness in another process, whose supervisor does that', async () => {
    const other = target(200, ['[+]ping ok']);
    assert.equal(await delegateHealth(other.delegate, 'livez', nothing), undefined);
    assert.deepEqual(other.asked, []);
    const own = target(200, ['[+]ping ok'], { inProcess: true });
    assert.equal((await delegateHealth(own.delegate, 'livez', nothing))?.lines.size, 1);
  });

  it('is an error when it names no check that failed', async () => {
    const { delegate } = target(503, ['upstream connect error']);
    await assert.rejects(delegateHealth(delegate, 'readyz', nothing), /not ready: code 503$/);
  });
});
