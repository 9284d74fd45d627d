import assert from 'node:assert/strict';
import { controller } from './controller.ts';
import { FakeApi, startTest, until, widget, widgets } from './fake-api.fixture.ts';

const inDefault = { ...widgets, namespace: 'default' };
const local = '127.0.0.1:0';
const leases = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases', namespace: 'system' };

describe('the endpoints of a manager', () => {
  it('are health checks and metrics', async () => {
    const api = new FakeApi();
    await api.client.create(inDefault, widget('a'));
    let calls = 0;
    const { manager } = await startTest(
      api,
      [
        controller({ for: widgets, maxConcurrentReconciles: 2 }).reconcile(async () => {
          if (++calls === 1) throw new Error('first');
          if (calls === 2) throw new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') });
          if (calls === 3) new URL('no URL');
          if (calls === 4) assert.ok(Reflect.get({}, 'missing').name);
          return { requeueAfter: '1h' };
        }),
      ],
      {
        healthProbeBindAddress: local,
        metricsBindAddress: local,
        healthzChecks: { disk: () => undefined },
        readyzChecks: { mail: () => Promise.reject(new Error('no mail')) },
      },
    );
    const get = async (port: number | undefined, path: string) => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`);
      return `${response.status} ${await response.text()}`;
    };
    await until(() => calls === 5);
    assert.equal(await get(manager.healthPort, '/healthz'), '200 ok');
    assert.equal(
      await get(manager.healthPort, '/readyz'),
      '500 [+]synced ok\n[-]mail failed: reason withheld\nreadyz check failed\n',
    );
    const metrics = await get(manager.metricsPort, '/metrics');
    for (const line of [
      'controller_runtime_reconcile_total{controller="widget",result="error"} 4',
      'controller_runtime_reconcile_total{controller="widget",result="requeue_after"} 1',
      'controller_runtime_reconcile_errors_total{controller="widget"} 4',
      'controller_runtime_reconcile_panics_total{controller="widget"} 1',
      'controller_runtime_max_concurrent_reconciles{controller="widget"} 2',
      'controller_runtime_active_workers{controller="widget"} 0',
      'workqueue_adds_total{name="widget"} 5',
      'workqueue_depth{name="widget"} 0',
    ])
      assert.ok(metrics.includes(`\n${line}\n`), `${line}\n${metrics}`);
    assert.match(metrics, /\nprocess_cpu_seconds_total /);
    const { healthPort } = manager;
    await manager.stop();
    await assert.rejects(get(healthPort, '/healthz'));
  });

  it('have addresses that can be used', async () => {
    const starting = (options: object) => startTest(new FakeApi(), [], options);
    await assert.rejects(
      starting({ metricsBindAddress: '8080' }),
      /^Error: metricsBindAddress: "8080" is not an address and a port such as :8081$/,
    );
    const { manager } = await starting({ healthProbeBindAddress: local });
    await assert.rejects(starting({ healthProbeBindAddress: `127.0.0.1:${manager.healthPort}` }), /EADDRINUSE/);
    await manager.stop();
  });
});

describe('the election of a manager', () => {
  const election = (identity: string) => ({
    leaderElection: {
      ...{ id: 'widgets.example.com', namespace: 'system', identity },
      ...{ leaseDurationMs: 400, renewDeadlineMs: 300, retryPeriodMs: 5 },
    },
  });
  const noting = (seen: string[], text: string) =>
    controller({ for: widgets }).reconcile(async ({ object }) => void seen.push(`${text} ${object.metadata.name}`));

  it('lets one replica reconcile, and the next one when it has stopped', async () => {
    const api = new FakeApi();
    const seen: string[] = [];
    const first = await startTest(api, [noting(seen, 'first')], election('a'));
    await first.manager.elected;
    const second = await startTest(api, [noting(seen, 'second')], election('b'));
    await api.client.create(inDefault, widget('x'));
    await until(() => seen.length === 1);
    await first.manager.stop();
    await second.manager.elected;
    await until(() => seen.length === 2);
    await second.manager.stop();
    assert.deepEqual(seen, ['first x', 'second x']);
  });

  it('ends the manager that loses its lease', async () => {
    const api = new FakeApi();
    const { manager } = await startTest(api, [noting([], '')], election('a'));
    await manager.elected;
    api.before = ({ path }) => {
      if (path.includes('/leases/')) throw new Error('no server');
    };
    await assert.rejects(manager.stopped, /^Error: leader election lost$/);
    api.before = () => undefined;
    const { spec } = await api.client.get(leases, 'widgets.example.com');
    assert.equal((spec as { holderIdentity: string }).holderIdentity, 'a');
  });

  it('has a namespace, and times that fit together', async () => {
    const refused = (options: object, message: RegExp) =>
      assert.rejects(startTest(new FakeApi(), [], { leaderElection: { id: 'a', ...options } }), message);
    await refused({}, /not running in-cluster, please specify the namespace of the leader election/);
    await refused({ namespace: 'a', leaseDurationMs: 10 }, /leaseDuration must be greater than renewDeadline/);
    await refused({ namespace: 'a', retryPeriodMs: 10_000 }, /renewDeadline must be greater than retryPeriod/);
  });
});
