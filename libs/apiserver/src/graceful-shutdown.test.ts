import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { alwaysAllow } from '@apichain/authz';
import type { HookContext } from '@apichain/observability';
import { defaultLimits } from './server-config.ts';
import { call, createTestServer, installEcho, TestServers } from './server.fixture.ts';
import type { GenericApiServer } from './server.ts';

/** `/apis/g/v1/things?watch=true` calls `begun` and lasts until it is ended. */
function installWatch(server: GenericApiServer, begun: () => void = () => undefined): void {
  server.setGroupVersion(
    { group: 'g', version: 'v1' },
    {
      handle: async (context, _request, response) => {
        response.writeHead(200);
        response.write('first\n');
        begun();
        await new Promise((resolve) => context.signal.addEventListener('abort', resolve));
        response.end('last\n');
      },
    },
    [],
    { groupPriorityMinimum: 1, versionPriority: {} },
  );
}

describe('graceful shutdown', () => {
  const servers = new TestServers();

  it('keeps post-start hooks running while requests are served', async () => {
    let context: HookContext | undefined;
    const target = await servers.start({ limits: { ...defaultLimits, shutdownDelayMs: 200 } }, (server) => {
      server.addPostStartHook('follower', (given) => void (context = given));
    });
    await target.server.started;
    const stopped = target.server.shutdown();
    assert.equal(target.server.stopping.aborted, true);
    assert.equal((await call(target, '/readyz/shutdown', { as: servers.certificates.admin })).status, 500);
    assert.equal(context?.signal.aborted, false);
    await stopped;
    assert.equal(context?.signal.aborted, true);
  });

  it('runs pre-shutdown hooks while it serves, and post-shutdown hooks after that', async () => {
    const seen: string[] = [];
    const target = await servers.start();
    const ask = async () => (await call(target, '/livez', { as: servers.certificates.admin })).status;
    target.server.addPreShutdownHook('fails', () => Promise.reject(new Error('no matter')));
    target.server.addPreShutdownHook('before', async () => void seen.push(`before ${await ask()}`));
    target.server.addPostShutdownHook('after', async () => {
      await assert.rejects(ask());
      seen.push('after');
    });
    await target.server.shutdown();
    assert.deepEqual(seen, ['before 200', 'after']);
  });

  it('refuses new watches after requests are drained, and still serves health checks', async () => {
    const limits = { ...defaultLimits, shutdownSendRetryAfter: true, requestTimeoutMs: 1_000 };
    const begun = Promise.withResolvers<void>();
    const target = await servers.start({ limits }, (server) => {
      installWatch(server);
      server.paths.handle('/short', async (_context, _request, response) => {
        begun.resolve();
        await delay(400);
        response.end('done');
      });
    });
    const { admin } = servers.certificates;
    const short = call(target, '/short', { as: admin });
    await begun.promise;
    const stopped = target.server.shutdown();
    await delay(50);
    assert.equal((await call(target, '/apis/g/v1/things?watch=true', { as: admin })).status, 429);
    assert.equal((await call(target, '/livez', { as: admin })).status, 200);
    assert.equal((await short).text, 'done');
    await stopped;
  });

  it('spreads the end of watches over the grace period', async () => {
    const limits = { ...defaultLimits, shutdownWatchGraceMs: 5_000 };
    let watches = 0;
    const allBegun = Promise.withResolvers<void>();
    const count = 30;
    const target = await servers.start({ limits }, (server) =>
      installWatch(server, () => {
        if (++watches === count) allBegun.resolve();
      }),
    );
    const ended: number[] = [];
    const open = Array.from({ length: count }, async () => {
      const response = await call(target, '/apis/g/v1/things?watch=true', { as: servers.certificates.admin });
      ended.push(Date.now());
      return response.text;
    });
    await allBegun.promise;
    const stopped = target.server.shutdown();
    assert.deepEqual(new Set(await Promise.all(open)), new Set(['first\nlast\n']));
    // 200 watches per second: 10 at a time, 50 ms apart.
    const spread = Math.max(...ended) - Math.min(...ended);
    assert.ok(spread >= 60, `all ended within ${spread} ms`);
    await stopped;
  });

  it('does not wait in a server without a port', async () => {
    const limits = { ...defaultLimits, shutdownDelayMs: 60_000 };
    const { server } = createTestServer(servers.certificates, { limits });
    server.startWithoutPort('https://127.0.0.1:1');
    await server.shutdown();
  });

  it('serves during --shutdown-delay-duration, then answers 429 with --shutdown-send-retry-after', async () => {
    const limits = { ...defaultLimits, shutdownDelayMs: 1_000, shutdownSendRetryAfter: true };
    const begun = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const target = await servers.start({ limits, authorizer: alwaysAllow }, (server) => {
      installEcho(server);
      server.paths.handle('/held', async (_context, _request, response) => {
        begun.resolve();
        await held.promise;
        response.end('done');
      });
    });
    const { admin } = servers.certificates;
    const occupying = call(target, '/held', { as: admin });
    await begun.promise;
    const stopsServingAt = performance.now() + limits.shutdownDelayMs;
    const stopped = target.server.shutdown();
    assert.equal((await call(target, '/readyz', { as: admin })).status, 500);
    let sent = await call(target, '/livez', { as: admin });
    while (performance.now() < stopsServingAt || sent.status === 200) {
      assert.equal(sent.status, 200);
      sent = await call(target, '/whoami', { as: admin });
    }
    assert.equal(sent.status, 429);
    assert.equal(sent.headers['retry-after'], '5');
    assert.equal(sent.headers['connection'], 'close');
    assert.equal(sent.text, 'The apiserver is shutting down, please try again later.\n');
    held.resolve();
    assert.equal((await occupying).text, 'done');
    await stopped;
  });

  it('drains short requests and ends watches when it stops', async () => {
    const began = { short: Promise.withResolvers<void>(), watch: Promise.withResolvers<void>() };
    const target = await servers.start({}, (server) => {
      server.paths.handle('/short', async (_context, _request, response) => {
        began.short.resolve();
        await delay(200);
        response.end('done');
      });
      installWatch(server, () => began.watch.resolve());
    });
    const watch = call(target, '/apis/g/v1/things?watch=true', { as: servers.certificates.admin });
    const short = call(target, '/short', { as: servers.certificates.admin });
    await Promise.all([began.short.promise, began.watch.promise]);
    const stopped = target.server.shutdown();
    assert.equal((await short).text, 'done');
    assert.equal((await watch).text, 'first\nlast\n');
    await stopped;
    await assert.rejects(call(target, '/livez'));
  });
});
