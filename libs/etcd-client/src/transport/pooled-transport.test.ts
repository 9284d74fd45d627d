import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { wasNeverSent } from '../etcd-error.ts';
import { OutagePace, probeEndpoint } from './pooled-transport.ts';

describe('the pace of attempts during an outage', () => {
  /** The times at which endpoints are tried in `milliseconds` of an outage. */
  function attempts(endpoints: number, milliseconds: number, random: () => number): number[] {
    const pace = new OutagePace(endpoints, random);
    const times: number[] = [];
    for (let now = 1_000; now < 1_000 + milliseconds;) {
      now += pace.waitAt(now);
      times.push(now - 1_000);
      pace.tried(now);
      // An attempt takes a moment.
      now += 1;
    }
    return times;
  }

  it('slows down to all endpoints in half a second', () => {
    for (const endpoints of [1, 3]) {
      const times = attempts(endpoints, 60_000, () => 0.5);
      const lastMinute = times.filter((time) => time >= 30_000).length;
      assert.ok(Math.abs(lastMinute / (30 * 2 * endpoints) - 1) < 0.1, `${endpoints} endpoints: ${lastMinute}`);
    }
  });

  it('is fast when the outage is short', () => {
    const waits = (times: readonly number[]) => times.map((time, at) => time - (times[at - 1] ?? 0));
    for (const random of [() => 0, () => 0.999])
      assert.ok(Math.max(...waits(attempts(3, 1_000, random))) < 60, 'a third of an eighth of a second');
  });

  it('differs from server to server, and begins anew after an outage', () => {
    const waitOf = (random: () => number) => {
      const pace = new OutagePace(1, random);
      pace.waitAt(0);
      pace.tried(10_000);
      return [pace, pace.waitAt(10_000)] as const;
    };
    assert.equal(waitOf(() => 0)[1], 375);
    const [pace, wait] = waitOf(() => 0.5);
    assert.equal(wait, 500);
    pace.end();
    assert.equal(pace.waitAt(10_001), 0);
  });
});

describe('probeEndpoint', () => {
  const dir = mkdtempSync(join(tmpdir(), 'apichain-probe-'));
  after(() => rmSync(dir, { recursive: true }));

  it('tells whether something listens at a URL or a Unix socket, and leaves no connection', async () => {
    const server = createServer((socket) => socket.on('error', () => undefined));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const local = createServer();
    local.listen(join(dir, 'socket'));
    await once(local, 'listening');
    const endpoints = [`http://127.0.0.1:${port}`, `https://127.0.0.1:${port}`, `unix://${dir}/socket`];
    for (const endpoint of endpoints) await probeEndpoint(endpoint, 1_000);
    // Ends only when no connection is left.
    for (const each of [server, local]) await new Promise((resolve) => each.close(resolve));
    for (const endpoint of endpoints) await assert.rejects(probeEndpoint(endpoint, 1_000), wasNeverSent);
  });

  it('does not wait longer than it may', async () => {
    // An address of a network for documentation, which nobody has (RFC 5737).
    await assert.rejects(probeEndpoint('http://192.0.2.1:2379', 50), wasNeverSent);
  });
});
