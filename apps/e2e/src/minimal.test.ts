import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createCA, issueServing } from '@apichain/serving/certificates';
import { type Chain, runUp, startChain } from './chain.ts';
import { definitionOf } from './definitions.ts';
import { call } from './http.ts';
import { Kubectl } from './kubectl.ts';
import { requireKubectl } from './requirements.ts';

const served = [
  'configmaps events namespaces resourcequotas secrets serviceaccounts',
  'mutatingadmissionpolicies mutatingadmissionpolicybindings mutatingwebhookconfigurations',
  'validatingadmissionpolicies validatingadmissionpolicybindings validatingwebhookconfigurations',
  'customresourcedefinitions apiservices selfsubjectreviews tokenreviews localsubjectaccessreviews',
  'selfsubjectaccessreviews selfsubjectrulesreviews subjectaccessreviews certificatesigningrequests leases',
  'flowschemas prioritylevelconfigurations clusterrolebindings clusterroles rolebindings roles',
].flatMap((line) => line.split(' '));

const crd = JSON.stringify(definitionOf('example.com', 'Widget'));
const widget = (size: number) => `
apiVersion: example.com/v1
kind: Widget
metadata: {name: w, namespace: shop}
spec: {size: ${size}}
`;

for (const form of [['--in-process', '--memory'], []])
  describe(`apichain up --apis=minimal ${form.join(' ')}`, () => {
    let chain: Chain;
    let kubectl: Kubectl;
    before(async function () {
      requireKubectl(this);
      chain = await startChain({ args: ['--apis=minimal', ...form] });
      kubectl = new Kubectl(chain);
    });
    after(() => chain.stop());

    it('serves namespaces, access, admission and extensions', async () => {
      const listed = (await kubectl.ok(['api-resources', '--no-headers'])).trim().split('\n');
      const names = new Set(listed.map((line) => line.split(' ')[0]));
      assert.deepEqual([...names].toSorted(), served.toSorted());
      const namespaces = await kubectl.ok(['get', 'namespaces', '-o', 'name']);
      assert.deepEqual(namespaces.trim().split('\n').toSorted(), [
        'namespace/default',
        'namespace/kube-public',
        'namespace/kube-system',
      ]);
      assert.doesNotMatch(await kubectl.ok(['get', 'apiservices']), /False|apps|batch/);
      const documented = await kubectl.ok(['get', '--raw', '/openapi/v3']);
      assert.match(documented, /"apis\/rbac.authorization.k8s.io\/v1"/);
      assert.doesNotMatch(documented, /"apis\/apps/);
    });

    it('has no pods, services and workloads', async () => {
      for (const path of [
        '/api/v1/pods',
        '/api/v1/namespaces/default/services/kubernetes',
        '/apis/apps/v1/deployments',
      ])
        assert.equal((await call(chain, 'GET', path)).status, 404, path);
      const post = await call(chain, 'POST', '/api/v1/namespaces/default/pods', { body: '{}' });
      assert.equal(post.status, 404);
    });

    it('serves kinds of CRDs, with watches, and deletes a namespace with its contents', async function () {
      this.timeout(480_000);
      await kubectl.ok(['create', 'namespace', 'shop']);
      await kubectl.ok(['apply', '-f', '-'], crd);
      await kubectl.ok(['wait', '--for=condition=Established', 'crd/widgets.example.com', '--timeout=10s']);
      await kubectl.ok(['apply', '-f', '-'], widget(1));
      const grown = kubectl.ok(['-n', 'shop', 'wait', '--for=jsonpath={.spec.size}=2', 'widget/w', '--timeout=10s']);
      await kubectl.ok(['apply', '-f', '-'], widget(2));
      await grown;
      await kubectl.ok(['delete', 'namespace', 'shop', '--timeout=10s']);
      assert.equal(await kubectl.ok(['get', 'widgets', '-A', '-o', 'name']), '');
    });

    it('authorizes by roles', async () => {
      const jane = ['--as=jane', '-n', 'default'];
      assert.match(
        await kubectl.fails([...jane, 'get', 'secrets']),
        /Forbidden.*User "jane" cannot list resource "secrets"/,
      );
      await kubectl.ok([
        '-n',
        'default',
        'create',
        'rolebinding',
        'jane',
        '--clusterrole=cluster-admin',
        '--user=jane',
      ]);
      await kubectl.ok([...jane, 'get', 'secrets']);
    });

    it('binds no token to a pod', async () => {
      const response = await call(chain, 'POST', '/api/v1/namespaces/default/serviceaccounts/default/token', {
        body: JSON.stringify({
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'TokenRequest',
          spec: { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'p' } },
        }),
      });
      assert.equal(response.status, 404);
      assert.match(response.text, /pods \\"p\\" not found/);
    });

    it('reaches an extension API server at the address of its annotation', async function () {
      this.timeout(480_000);
      const ca = await createCA('fruit-ca');
      const { certificate: cert, key } = await issueServing(ca, 'fruits', ['fruits.default.svc']);
      const extension: Server = createServer({ cert, key }, (request, response) => {
        response.setHeader('content-type', 'application/json');
        const kind = request.url?.endsWith('/fruits') === true ? 'FruitList' : 'APIResourceList';
        const groupVersion = 'fruits.example.com/v1';
        response.end(JSON.stringify({ kind, apiVersion: 'v1', groupVersion, resources: [], items: [] }));
      });
      await new Promise<void>((resolve) => extension.listen(0, '127.0.0.1', resolve));
      try {
        const { port } = extension.address() as AddressInfo;
        const apiService = {
          apiVersion: 'apiregistration.k8s.io/v1',
          kind: 'APIService',
          metadata: { name: 'v1.fruits.example.com', annotations: { 'apichain/address': `127.0.0.1:${port}` } },
          spec: {
            group: 'fruits.example.com',
            version: 'v1',
            service: { namespace: 'default', name: 'fruits' },
            caBundle: Buffer.from(ca.certificate).toString('base64'),
            groupPriorityMinimum: 1000,
            versionPriority: 15,
          },
        };
        await kubectl.ok(['apply', '-f', '-'], JSON.stringify(apiService));
        await kubectl.ok(['wait', '--for=condition=Available', 'apiservice/v1.fruits.example.com', '--timeout=10s']);
        const response = await call(chain, 'GET', '/apis/fruits.example.com/v1/fruits');
        assert.equal(response.status, 200);
        assert.match(response.text, /FruitList/);
      } finally {
        extension.closeAllConnections();
        extension.close();
      }
    });
  });

describe('apichain up --apis', () => {
  const failure = async (...args: readonly string[]) => {
    const child = runUp(args);
    let output = '';
    child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const code = await new Promise((done) => child.once('close', done));
    assert.equal(code, 1);
    return output;
  };

  it('refuses a set that does not exist, and controllers without their resources', async function () {
    this.timeout(480_000);
    assert.match(await failure('--apis=some'), /^apichain: --apis: "some" is not one of all, minimal$/m);
    assert.match(
      await failure('--apis=minimal', '--controllers=ttl-after-finished'),
      /^apichain: --controllers: "ttl-after-finished-controller" needs jobs, which are not served$/m,
    );
  });
});
