import assert from 'node:assert/strict';
import { Agent } from 'node:https';
import { type Chain, startChain, waitFor } from './chain.ts';
import { call, type HttpResponse } from './http.ts';
import { openFrames } from './streams.ts';

const flowControl = '/apis/flowcontrol.apiserver.k8s.io/v1';
const levels = `${flowControl}/prioritylevelconfigurations`;
const schemas = `${flowControl}/flowschemas`;
const schemaHeader = 'x-kubernetes-pf-flowschema-uid';
const levelHeader = 'x-kubernetes-pf-prioritylevel-uid';
const apiVersion = 'flowcontrol.apiserver.k8s.io/v1';

interface Named {
  readonly metadata: { readonly uid: string };
}

for (const form of [[], ['--in-process', '--memory']]) {
  describe(`priority and fairness ${form.join(' ')}`.trim(), () => {
    let chain: Chain;
    const agent = new Agent({ keepAlive: true, maxSockets: 32 });
    before(async () => {
      chain = await startChain({ args: [...form, '--authorization-mode=RBAC', '--controllers=-*'] });
    });
    after(() => {
      agent.destroy();
      return chain?.stop();
    });

    const create = async (path: string, object: unknown): Promise<string> => {
      const response = await call(chain, 'POST', path, { body: JSON.stringify(object) });
      assert.equal(response.status, 201, response.text);
      return response.json<Named>().metadata.uid;
    };
    const as = (user: string, path: string): Promise<HttpResponse> =>
      call(chain, 'GET', path, { headers: { 'Impersonate-User': user }, agent });
    const uidOf = async (path: string): Promise<string> => (await call(chain, 'GET', path)).json<Named>().metadata.uid;

    it('names the flow schema and the priority level of a request', async () => {
      const response = await call(chain, 'GET', '/api/v1/namespaces/default');
      assert.equal(response.headers[schemaHeader], await uidOf(`${schemas}/exempt`));
      assert.equal(response.headers[levelHeader], await uidOf(`${levels}/exempt`));
      const other = await as('bob', '/api/v1/namespaces/default');
      assert.equal(other.status, 403);
      assert.equal(other.headers[schemaHeader], await uidOf(`${schemas}/global-default`));
    });

    it('limits only the requests of a flow schema', async () => {
      const level = await create(levels, {
        apiVersion,
        kind: 'PriorityLevelConfiguration',
        metadata: { name: 'one-at-a-time' },
        spec: {
          type: 'Limited',
          limited: { nominalConcurrencyShares: 0, borrowingLimitPercent: 0, limitResponse: { type: 'Reject' } },
        },
      });
      await create(schemas, {
        apiVersion,
        kind: 'FlowSchema',
        metadata: { name: 'mallory' },
        spec: {
          matchingPrecedence: 50,
          priorityLevelConfiguration: { name: 'one-at-a-time' },
          rules: [
            {
              subjects: [{ kind: 'User', user: { name: 'mallory' } }],
              nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
            },
          ],
        },
      });
      await waitFor(
        async () => (await as('mallory', '/openapi/v2')).headers[levelHeader] === level,
        5_000,
        () => 'the schema has no effect',
      );
      const many = (user: string) => Promise.all(Array.from({ length: 30 }, () => as(user, '/apis')));
      // How many of them are under way at the same time depends on the machine.
      const limited: HttpResponse[] = [];
      const others: HttpResponse[] = [];
      const rejected = () => limited.filter(({ status }) => status === 429);
      await waitFor(
        async () => {
          const [his, those] = await Promise.all([many('mallory'), many('bob')]);
          limited.push(...his);
          others.push(...those);
          return rejected().length > 0;
        },
        30_000,
        () => 'none is rejected',
      );
      assert.ok(rejected().length < limited.length, 'some are served');
      for (const response of rejected()) {
        assert.equal(response.text, 'Too many requests, please try again later.\n');
        assert.match(String(response.headers['retry-after']), /^\d+$/);
        assert.equal(response.headers[levelHeader], level);
      }
      assert.ok(others.every(({ status }) => status === 200));
      const dump = await call(chain, 'GET', '/debug/api_priority_and_fairness/dump_priority_levels');
      assert.match(dump.text, /^one-at-a-time, +0, +true, +false, +0, +0, +[1-9]\d*, +[1-9]\d*, +0, +0$/m);
      const metrics = await call(chain, 'GET', '/metrics');
      assert.match(metrics.text, /^apiserver_flowcontrol_current_limit_seats\{priority_level="one-at-a-time"\} 0$/m);
    });

    /** Retries, because there is only one seat, and it may stay occupied for a moment after a response. */
    const served = (path: string): Promise<void> =>
      waitFor(
        async () => (await as('mallory', path)).status === 200,
        5_000,
        () => `${path} is not served`,
      );

    it('charges a watch until it has begun, and a list by the number of objects', async () => {
      await create('/apis/rbac.authorization.k8s.io/v1/clusterroles', {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: { name: 'reader' },
        rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }],
      });
      await create('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name: 'mallory' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'reader' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'mallory' }],
      });
      const schema = (await call(chain, 'GET', `${schemas}/mallory`)).json<{ spec: { rules: object[] } }>();
      const everyResource = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] };
      const rules = schema.spec.rules.map((rule) => ({ ...rule, resourceRules: [everyResource] }));
      const changed = await call(chain, 'PUT', `${schemas}/mallory`, {
        body: JSON.stringify({ ...schema, spec: { ...schema.spec, rules } }),
      });
      assert.equal(changed.status, 200, changed.text);
      const configMaps = '/api/v1/namespaces/default/configmaps';
      const data = { text: 'x'.repeat(20_000) };
      for (let i = 0; i < 20; i++) {
        await create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `large-${i}` }, data });
      }
      await served(configMaps);
      const watching = await openFrames(chain, `${configMaps}?watch=true`, { 'Impersonate-User': 'mallory' });
      assert.equal(watching.response.statusCode, 200);
      try {
        await served(`${configMaps}/large-0`);
      } finally {
        watching.close();
      }
      for (let i = 0; i < 3; i++) await served(configMaps);
      const { text } = await call(chain, 'GET', '/metrics');
      const seats = /^apiserver_flowcontrol_work_estimated_seats_sum\{[^}]*flow_schema="mallory"[^}]*\} (\d+)$/m.exec(
        text,
      );
      const requests =
        /^apiserver_flowcontrol_work_estimated_seats_count\{[^}]*flow_schema="mallory"[^}]*\} (\d+)$/m.exec(text);
      assert.ok(Number(seats?.[1]) > Number(requests?.[1]) + 3, `${seats?.[1]} seats for ${requests?.[1]} requests`);
    });
  });
}
