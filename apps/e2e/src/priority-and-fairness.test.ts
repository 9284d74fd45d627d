import assert from 'node:assert/strict';
import { Agent } from 'node:https';
import { type Chain, startChain, waitFor } from './chain.ts';
import { call, type Answer } from './http.ts';

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
      chain = await startChain({ args: [...form, '--authorization-mode=RBAC'] });
    });
    after(() => {
      agent.destroy();
      return chain?.stop();
    });

    const create = async (path: string, object: unknown): Promise<string> => {
      const answer = await call(chain, 'POST', path, { body: JSON.stringify(object) });
      assert.equal(answer.status, 201, answer.text);
      return answer.json<Named>().metadata.uid;
    };
    const as = (user: string, path: string): Promise<Answer> =>
      call(chain, 'GET', path, { headers: { 'Impersonate-User': user }, agent });
    const uidOf = async (path: string): Promise<string> => (await call(chain, 'GET', path)).json<Named>().metadata.uid;

    it('tells by which objects a request was let in', async () => {
      const answer = await call(chain, 'GET', '/api/v1/namespaces/default');
      assert.equal(answer.headers[schemaHeader], await uidOf(`${schemas}/exempt`));
      assert.equal(answer.headers[levelHeader], await uidOf(`${levels}/exempt`));
      const other = await as('bob', '/api/v1/namespaces/default');
      assert.equal(other.status, 403);
      assert.equal(other.headers[schemaHeader], await uidOf(`${schemas}/global-default`));
    });

    it('limits the requests of a flow schema, and no others', async () => {
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
      const both = (user: string) => Promise.all(Array.from({ length: 30 }, () => as(user, '/apis')));
      const [limited, others] = await Promise.all([both('mallory'), both('bob')]);
      const rejected = limited.filter(({ status }) => status === 429);
      assert.ok(rejected.length > 0, 'some are rejected');
      assert.ok(rejected.length < limited.length, 'some are served');
      for (const answer of rejected) {
        assert.equal(answer.text, 'Too many requests, please try again later.\n');
        assert.match(String(answer.headers['retry-after']), /^\d+$/);
        assert.equal(answer.headers[levelHeader], level);
      }
      assert.ok(others.every(({ status }) => status === 200));
      const dump = await call(chain, 'GET', '/debug/api_priority_and_fairness/dump_priority_levels');
      assert.match(dump.text, /^one-at-a-time, +0, +true, +false, +0, +0$/m);
      const metrics = await call(chain, 'GET', '/metrics');
      assert.match(metrics.text, /^apiserver_flowcontrol_current_limit_seats\{priority_level="one-at-a-time"\} 0$/m);
    });
  });
}
