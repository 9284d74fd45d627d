import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import type { DelegationTarget } from '@apichain/delegation';
import { PathMux, type RequestContext } from '@apichain/request';
import { pino } from 'pino';
import { HealthChecks, delegateHealth } from './health-checks.ts';
import { PostStartHooks } from './post-start-hooks.ts';

describe('health checks', () => {
  let server: http.Server;
  let paths: PathMux;
  let health: HealthChecks;
  let reported: string[];
  let observed: string[];

  beforeEach(async () => {
    reported = [];
    observed = [];
    health = new HealthChecks(
      (probe, failures) => reported.push(`${probe}: ${failures.join('; ')}`),
      (probe, name, healthy) => observed.push(`${probe} ${name} ${healthy}`),
    );
    paths = new PathMux();
    health.install(paths);
    server = http.createServer((request, response) => {
      const handler = paths.exact(request.url ?? '');
      if (handler === undefined) response.writeHead(404).end();
      else void handler({} as RequestContext, request, response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(async () => {
    server.close();
    await once(server, 'close');
  });

  const ask = async (path: string): Promise<{ status: number; text: string }> => {
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } });
    return { status: response.status, text: await response.text() };
  };

  it('withhold the reason of a failure from those who ask for all, and report it', async () => {
    health.add({
      name: 'disk',
      check: () => {
        throw new Error('it is full');
      },
    });
    const all = await ask('/readyz');
    assert.equal(all.status, 500);
    assert.deepEqual(all.text.trim().split('\n'), [
      '[+]ping ok',
      '[+]log ok',
      '[-]disk failed: reason withheld',
      'readyz check failed',
    ]);
    assert.deepEqual(reported, ['readyz: disk failed: it is full']);
    assert.deepEqual(observed, ['readyz ping true', 'readyz log true', 'readyz disk false']);
    const one = await ask('/livez/disk');
    assert.deepEqual([one.status, one.text.trim()], [500, 'internal server error: it is full']);
  });

  it('belong to the probes for which they are added, the last of a name counts', async () => {
    const failing = (message: string) => () => Promise.reject(new Error(message));
    health.add({ name: 'disk', check: failing('first') });
    health.add({ name: 'disk', check: () => undefined }, ['livez']);
    assert.deepEqual(await ask('/livez'), { status: 200, text: 'ok' });
    assert.equal((await ask('/healthz')).status, 500);
    assert.equal((await ask('/livez/disk')).status, 200);
    assert.equal((await ask('/readyz/disk')).status, 500);
    health.add({ name: 'late', check: () => undefined }, ['readyz']);
    assert.equal((await ask('/readyz/late')).status, 200);
    assert.equal((await ask('/livez/late')).status, 404);
  });

  it('are shown in the order of kube-apiserver: those of all servers first, the shutdown last', async () => {
    for (const name of ['shutdown', 'own', 'etcd']) health.add({ name, check: () => undefined });
    health.add({
      name: 'failing',
      check: () => {
        throw new Error('x');
      },
    });
    const { text } = await ask('/healthz');
    const names = [...text.matchAll(/^\[[+-]\](\S+)/gm)].map(([, name]) => name);
    assert.deepEqual(names, ['ping', 'log', 'etcd', 'own', 'failing', 'shutdown']);
  });

  describe('of hooks that run after the start', () => {
    const hookContext = () => ({
      signal: new AbortController().signal,
      logger: pino({ enabled: false }),
      loopback: {
        url: '',
        token: '',
        ca: '',
        connect: () => {
          throw new Error('no hook of the test connects');
        },
      },
    });

    it('fail until the hook has finished, for /livez after a time of grace', async () => {
      const hooks = new PostStartHooks(health, 3_600_000);
      const gate = Promise.withResolvers<void>();
      hooks.add('slow', () => gate.promise);
      assert.throws(() => hooks.add('slow', () => undefined), /"slow" because it was already registered/);
      const run = hooks.run(hookContext(), () => undefined);
      assert.equal((await ask('/readyz/poststarthook/slow')).text.trim(), 'internal server error: not finished');
      assert.equal((await ask('/livez/poststarthook/slow')).status, 200);
      assert.throws(() => hooks.check(['slow', 'unknown']), /^Error: 1 informers not started yet: \[slow\]$/);
      gate.resolve();
      await run;
      assert.equal((await ask('/readyz')).status, 200);
      hooks.check(['slow']);
    });

    it('know when the work that follows the start is done', async () => {
      const hooks = new PostStartHooks(health);
      const work = Promise.withResolvers<void>();
      const done: string[] = [];
      hooks.add('slow', async ({ whenStarted }) => {
        whenStarted(() => (done.push('begins'), work.promise));
        await new Promise(setImmediate);
        done.push('ready');
      });
      await hooks.run(hookContext(), () => undefined);
      void hooks.rested.then(() => done.push('rests'));
      await new Promise(setImmediate);
      assert.deepEqual(done, ['ready', 'begins']);
      work.resolve();
      await new Promise(setImmediate);
      assert.deepEqual(done, ['ready', 'begins', 'rests']);
    });

    it('fail without grace for /livez too, and stay so when the hook fails', async () => {
      const hooks = new PostStartHooks(health);
      const failed = Promise.withResolvers<string>();
      let isStarted = false;
      hooks.add('broken', ({ whenStarted }) => {
        whenStarted(async () => void (isStarted = true));
        throw new Error('no');
      });
      hooks.add('fine', () => undefined);
      void hooks.run(hookContext(), (name, error) => failed.resolve(`${name}: ${String(error)}`));
      assert.equal(await failed.promise, 'broken: Error: no');
      assert.equal((await ask('/livez/poststarthook/broken')).status, 500);
      assert.equal((await ask('/livez/poststarthook/fine')).status, 200);
      assert.equal(isStarted, false);
    });
  });
});

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
