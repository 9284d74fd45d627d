import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Plain } from '@apichain/meta';
import { Accounts, namespace, rbac } from './accounts.ts';
import { type Chain, startChain, waitFor } from './chain.ts';
import { type HttpResponse, call } from './http.ts';
import { defineWidgets } from './definitions.ts';

const registration = 'admissionregistration.k8s.io/v1';
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const services = '/apis/apiregistration.k8s.io/v1/apiservices';
const widgets = `/apis/example.com/v1/namespaces/${namespace}/widgets`;
const configMaps = `/api/v1/namespaces/${namespace}/configmaps`;
const leases = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;

const widget = (name: string, more: Plain = {}) => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name, ...more },
});
const configMap = (name: string, more: Plain = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...more },
});
const definition = (plural: string) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.rights.example.com` },
  spec: {
    group: 'rights.example.com',
    scope: 'Namespaced',
    names: { plural, singular: plural.slice(0, -1), kind: plural.toUpperCase() },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
});
const apiService = (name: string) => ({
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name: `v1.${name}` },
  spec: {
    group: name,
    version: 'v1',
    groupPriorityMinimum: 100,
    versionPriority: 100,
    insecureSkipTLSVerify: true,
    service: { namespace, name: 'nowhere' },
  },
});

/** Rules for the resources of this file. A test selects the verbs. */
const widgetRule = (...verbs: string[]) => ({ apiGroups: ['example.com'], resources: ['widgets'], verbs });
const mapRule = (...verbs: string[]) => ({ apiGroups: [''], resources: ['configmaps'], verbs });

const forms: readonly (readonly [string, readonly string[]])[] = [
  ['three services', []],
  ['one process', ['--in-process']],
];

for (const [form, args] of forms) {
  describe(`rights of service accounts in ${form}`, function () {
    this.timeout(480_000);
    let chain: Chain;
    const accounts = new Accounts(() => chain);
    before(async () => {
      const plugins = '--enable-admission-plugins=OwnerReferencesPermissionEnforcement';
      chain = await startChain({ args: [...args, '--controllers=-*', plugins] });
      await accounts.make('/api/v1/namespaces', { metadata: { name: namespace } });
      await defineWidgets(chain);
    });
    after(async () => {
      await chain.stop();
    });

    /** Objects of each server of the chain, and a rule that selects their resource. */
    const applied: readonly (readonly [string, string, (name: string) => Plain & { metadata: Plain }, Plain])[] = [
      ['custom resources', widgets, widget, { apiGroups: ['example.com'], resources: ['widgets'] }],
      [
        'CustomResourceDefinitions',
        definitions,
        definition,
        { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'] },
      ],
      ['built-in objects', configMaps, configMap, { apiGroups: [''], resources: ['configmaps'] }],
      [
        'APIServices',
        services,
        (name) => apiService(`${name}.example.org`),
        { apiGroups: ['apiregistration.k8s.io'], resources: ['apiservices'] },
      ],
    ];
    for (const [index, [what, directory, object, resources]] of applied.entries()) {
      it(`an apply creates ${what} with the right to create, as soon as it is granted`, async () => {
        const name = `applier-${index}`;
        const account = await accounts.account(name, { ...resources, verbs: ['get', 'patch'] });
        const [first, second] = [object('firsts'), object('seconds')];
        const refused = await account.apply(directory, first);
        assert.equal(refused.status, 403, refused.text);
        assert.match(refused.text, /cannot create resource/);
        await accounts.grant(name, { ...resources, verbs: ['create'] });
        const created = await account.apply(directory, first);
        assert.equal(created.status, 201, created.text);
        const again = await account.apply(directory, first);
        assert.equal(again.status, 200, again.text);
        const other = await accounts.account(`${name}-other`, { ...resources, verbs: ['get', 'patch'] });
        assert.equal((await other.apply(directory, first)).status, 200);
        assert.equal((await other.apply(directory, second)).status, 403);
      });
    }

    it('an update creates with the right to create', async () => {
      const rule = { apiGroups: ['coordination.k8s.io'], resources: ['leases'] };
      const account = await accounts.account('updater', { ...rule, verbs: ['update'] });
      const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'a', namespace } };
      assert.equal((await account.send('PUT', `${leases}/a`, lease)).status, 403);
      await accounts.grant('updater', { ...rule, verbs: ['create'] });
      assert.equal((await account.send('PUT', `${leases}/a`, lease)).status, 201);
    });

    it('policies, mutations and match conditions of webhooks authorize the writing user', async () => {
      const secrets = `authorizer.group('').resource('secrets').namespace('${namespace}')`;
      const resourceRules = [
        { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] },
        { apiGroups: ['example.com'], apiVersions: ['v1'], resources: ['widgets'], operations: ['CREATE'] },
      ];
      const policies = `/apis/${registration}/validatingadmissionpolicies`;
      await accounts.make(policies, {
        metadata: { name: 'asks' },
        spec: {
          matchConstraints: { resourceRules },
          matchConditions: [{ name: 'asks', expression: `!${secrets}.check('skip').allowed()` }],
          validations: [
            {
              expression: `authorizer.requestResource.check('approve').allowed() && !${secrets}.check('never').allowed()`,
              message: 'not approved',
            },
          ],
        },
      });
      await accounts.make(`${policies.replace('policies', 'policybindings')}`, {
        metadata: { name: 'asks' },
        spec: { policyName: 'asks', validationActions: ['Deny'] },
      });
      await accounts.make(`/apis/${registration}/mutatingadmissionpolicies`, {
        metadata: { name: 'marks' },
        spec: {
          matchConstraints: { resourceRules },
          matchConditions: [{ name: 'asks', expression: `${secrets}.check('mark').allowed()` }],
          reinvocationPolicy: 'Never',
          mutations: [
            {
              patchType: 'ApplyConfiguration',
              applyConfiguration: {
                expression: `Object{metadata: Object.metadata{labels: {'sees': string(${secrets}.check('get').allowed())}}}`,
              },
            },
          ],
        },
      });
      await accounts.make(`/apis/${registration}/mutatingadmissionpolicybindings`, {
        metadata: { name: 'marks' },
        spec: { policyName: 'marks' },
      });
      await accounts.make(`/apis/${registration}/validatingwebhookconfigurations`, {
        metadata: { name: 'guard' },
        webhooks: [
          {
            name: 'guard.example.com',
            admissionReviewVersions: ['v1'],
            sideEffects: 'None',
            timeoutSeconds: 1,
            clientConfig: { url: 'https://127.0.0.1:9/' },
            rules: resourceRules,
            matchConditions: [{ name: 'asks', expression: `!${secrets}.check('breakglass').allowed()` }],
          },
        ],
      });
      const maySecrets = (...verbs: string[]) => ({ apiGroups: [''], resources: ['secrets'], verbs });
      const base = [widgetRule('create'), mapRule('create')];
      const approver = await accounts.account(
        'approver',
        ...base,
        widgetRule('approve'),
        mapRule('approve'),
        maySecrets('breakglass', 'mark', 'get'),
      );
      const skipper = await accounts.account('skipper', ...base, maySecrets('breakglass', 'mark', 'skip'));
      const plain = await accounts.account('plain', ...base, maySecrets('breakglass'));
      const guarded = await accounts.account('guarded', ...base, maySecrets('skip'));
      for (const [directory, object] of [
        [widgets, widget],
        [configMaps, configMap],
      ] as const) {
        // The servers watch policies, so a policy takes effect a moment after it is written.
        await waitFor(
          async () => (await plain.send('POST', `${directory}?dryRun=All`, object('waiting'))).status !== 201,
          10_000,
          () => 'the policy has no effect',
        );
        const refused = await plain.send('POST', directory, object('plain'));
        assert.equal(refused.status, 422, refused.text);
        assert.match(refused.text, /not approved/);
        const labelOf = (response: HttpResponse) => {
          assert.equal(response.status, 201, response.text);
          return response.json<{ metadata: { labels?: Record<string, string> } }>().metadata.labels?.['sees'];
        };
        assert.equal(labelOf(await approver.send('POST', directory, object('approver'))), 'true');
        assert.equal(labelOf(await skipper.send('POST', directory, object('skipper'))), 'false');
        const called = await guarded.send('POST', directory, object('guarded'));
        assert.equal(called.status, 500, called.text);
        assert.match(called.text, /failed calling webhook/);
      }
      for (const path of [
        'validatingadmissionpolicybindings/asks',
        'mutatingadmissionpolicybindings/marks',
        'validatingwebhookconfigurations/guard',
      ])
        assert.equal((await call(chain, 'DELETE', `/apis/${registration}/${path}`)).status, 200);
    });

    it('blockOwnerDeletion needs the right to update the finalizers of the owner', async () => {
      const uid = async (response: Promise<HttpResponse>) =>
        (await response).json<{ metadata: { uid: string } }>().metadata.uid;
      const map = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner' };
      const custom = { apiVersion: 'example.com/v1', kind: 'Widget', name: 'owner' };
      const owners = [
        { ...map, uid: await uid(accounts.make(configMaps, configMap('owner'))), blockOwnerDeletion: true },
        { ...custom, uid: await uid(accounts.make(widgets, widget('owner'))), blockOwnerDeletion: true },
      ];
      const base = [widgetRule('create', 'get', 'patch'), mapRule('create', 'get', 'patch')];
      const without = await accounts.account('without', ...base);
      const finalizers = { apiGroups: ['', 'example.com'], resources: ['configmaps/finalizers', 'widgets/finalizers'] };
      const owner = await accounts.account('owner', ...base, { ...finalizers, verbs: ['update'] });
      for (const [at, reference] of owners.entries())
        for (const [directory, object] of [
          [widgets, widget],
          [configMaps, configMap],
        ] as const) {
          const owned = object(`owned-${at}`, { ownerReferences: [reference] });
          for (const refused of [await without.send('POST', directory, owned), await without.apply(directory, owned)]) {
            assert.equal(refused.status, 403, refused.text);
            assert.match(refused.text, /cannot set blockOwnerDeletion/);
          }
          const applied = await owner.apply(directory, owned);
          assert.equal(applied.status, 201, applied.text);
        }
    });

    it('roles contain only permissions of their writer', async () => {
      const roles = { apiGroups: ['rbac.authorization.k8s.io'], resources: ['clusterroles'] };
      const account = await accounts.account(
        'granter',
        { ...roles, verbs: ['create', 'patch'] },
        widgetRule('get', 'list'),
      );
      const role = (name: string, ...verbs: string[]) => ({
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: { name },
        rules: [widgetRule(...verbs)],
      });
      assert.equal((await account.apply(`${rbac}/clusterroles`, role('less', 'get'))).status, 201);
      const more = await account.apply(`${rbac}/clusterroles`, role('more', 'get', 'delete'));
      assert.equal(more.status, 403, more.text);
      await accounts.grant('granter', widgetRule('delete'));
      assert.equal((await account.apply(`${rbac}/clusterroles`, role('more', 'get', 'delete'))).status, 201);
    });

    if (args.length > 0) return;
    it('are the last known ones while etcd does not respond', async () => {
      const { etcd = 0 } = chain.pids();
      assert.ok(etcd > 0);
      const statusOf = async (path: string, admin: boolean) => (await call(chain, 'GET', path, { admin })).status;
      process.kill(etcd, 'SIGSTOP');
      try {
        const paths = [
          configMaps,
          widgets,
          definitions,
          services,
          '/debug/pprof/',
          '/apis/nobody.example.com/v1/things',
        ];
        assert.deepEqual(
          await Promise.all(paths.map((path) => statusOf(path, false))),
          paths.map(() => 403),
        );
        assert.equal(await statusOf('/version', false), 200);
        assert.equal(await statusOf('/debug/pprof/', true), 200);
      } finally {
        process.kill(etcd, 'SIGCONT');
      }
      await waitFor(
        async () => (await statusOf(configMaps, true)) === 200,
        20_000,
        () => 'the chain does not respond again',
      );
    });

    const addressOf = (service: string) => {
      const pid = chain.pids()[service] ?? 0;
      const found = /--secure-port=(\d+)/.exec(readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
      return `https://127.0.0.1:${found?.[1] ?? ''}`;
    };

    it('are not granted while etcd cannot confirm the account of a token', async () => {
      const account = await accounts.account('unknown', widgetRule('get'));
      const { etcd = 0 } = chain.pids();
      const url = addressOf('apiextensions');
      process.kill(etcd, 'SIGSTOP');
      try {
        const response = await account.send('GET', `${widgets}/none`, undefined, {}, url);
        assert.equal(response.status, 503, response.text);
        assert.equal(response.headers['retry-after'], '1');
        assert.match(response.text, /who calls cannot be told now: serviceaccounts unknown cannot be looked up/);
      } finally {
        process.kill(etcd, 'SIGCONT');
      }
      await waitFor(
        async () => (await account.send('GET', `${widgets}/none`, undefined, {}, url)).status === 404,
        20_000,
        () => 'the account is not known again',
      );
    });

    it('each service gives the same response when it is called directly', async () => {
      const account = await accounts.account('direct', widgetRule('get', 'patch'));
      const urls = ['aggregator', 'kube-core', 'apiextensions'].map(addressOf);
      for (const url of urls) {
        const refused = await account.apply(widgets, widget('direct'), url);
        assert.equal(refused.status, 403, refused.text);
        assert.match(refused.text, /cannot create resource/);
        assert.equal((await account.send('DELETE', `${widgets}/direct`, undefined, {}, url)).status, 403);
      }
      await accounts.grant('direct', widgetRule('create', 'delete'));
      for (const url of urls.toReversed()) {
        assert.equal((await account.apply(widgets, widget('direct'), url)).status, 201, url);
        assert.equal((await account.send('DELETE', `${widgets}/direct`, undefined, {}, url)).status, 200, url);
      }
    });
  });
}
