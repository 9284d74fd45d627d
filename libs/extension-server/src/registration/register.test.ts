import assert from 'node:assert/strict';
import { StatusError } from '@apichain/meta';
import { CoreApi } from './core-api.fixture.ts';
import { register, type RegisterOptions } from './register.ts';
import { unregister } from './unregister.ts';

const apiServices = '/apis/apiregistration.k8s.io/v1/apiservices';
const services = '/api/v1/namespaces/default/services';
const caBundle = '-----BEGIN CERTIFICATE-----\n';

describe('registration', () => {
  let api: CoreApi;
  let lines: string[];
  beforeEach(() => {
    api = new CoreApi();
    lines = [];
  });

  const report = (line: string) => void lines.push(line);
  const registering = (options: Partial<RegisterOptions> = {}) =>
    register({
      client: api.client,
      server: 'wardle',
      groupVersions: ['v1alpha1', 'v1beta1'].map((version) => ({ group: 'wardle.example.com', version })),
      target: { address: { namespace: 'default', host: '127.0.0.1', port: 8443 } },
      caBundle,
      report,
      ...options,
    });
  const unregistering = () => unregister({ client: api.client, server: 'wardle', report });
  const specOf = (kind: string, name: string) => api.find(kind, name)?.['spec'];

  it('makes an APIService for each group-version, and a Service for the address', async () => {
    await registering({ user: false });
    assert.deepEqual(specOf('Service', 'wardle'), {
      type: 'ExternalName',
      externalName: '127.0.0.1',
      ports: [{ name: 'https', port: 8443, protocol: 'TCP', targetPort: 8443 }],
    });
    assert.deepEqual(specOf('APIService', 'v1beta1.wardle.example.com'), {
      group: 'wardle.example.com',
      version: 'v1beta1',
      groupPriorityMinimum: 1000,
      versionPriority: 20,
      caBundle: Buffer.from(caBundle).toString('base64'),
      service: { namespace: 'default', name: 'wardle', port: 8443 },
    });
    assert.deepEqual(lines, [
      'Service default/wardle: created',
      'APIService v1alpha1.wardle.example.com: created',
      'APIService v1beta1.wardle.example.com: created',
      'v1alpha1.wardle.example.com is available',
      'v1beta1.wardle.example.com is available',
    ]);
  });

  it('keeps a hash of the resources in the APIServices, so that aggregators notice new ones', async () => {
    const hashOf = () =>
      api.find('APIService', 'v1beta1.wardle.example.com')?.metadata.annotations?.['apichain/resources'];
    const serve = (names: readonly string[]) => {
      for (const version of ['v1alpha1', 'v1beta1'])
        api.documents.set(`/apis/wardle.example.com/${version}`, { resources: names.map((name) => ({ name })) });
    };
    await registering();
    assert.equal(hashOf(), undefined, 'the server cannot be asked');
    serve(['flunders']);
    await registering();
    const first = hashOf();
    assert.match(first ?? '', /^[0-9a-f]{16}$/);
    lines = [];
    await registering();
    assert.equal(hashOf(), first);
    assert.ok(!lines.some((line) => line.includes('configured')), lines.join('\n'));
    serve(['flunders', 'fischers']);
    await registering();
    assert.notEqual(hashOf(), first);
    await registering({ revision: 'given' });
    assert.equal(hashOf(), 'given');
  });

  it('knows the hash of a server that is reached through its first registration', async () => {
    api.available = () => {
      for (const version of ['v1alpha1', 'v1beta1'])
        api.documents.set(`/apis/wardle.example.com/${version}`, { resources: [] });
      return { status: 'True', message: '' };
    };
    await registering();
    const before = [...api.objects.values()];
    await registering();
    assert.deepEqual([...api.objects.values()], before);
    const annotations = api.find('APIService', 'v1alpha1.wardle.example.com')?.metadata.annotations;
    assert.deepEqual(Object.keys(annotations ?? {}), ['apichain/resources']);
  });

  it('labels everything, and applies it as one field manager', async () => {
    await registering();
    for (const { metadata } of api.objects.values()) {
      assert.equal(metadata.labels?.['app.kubernetes.io/managed-by'], 'apichain-register');
      assert.equal(metadata.labels?.['app.kubernetes.io/name'], 'wardle');
    }
    const patches = api.requests.filter((request) => request.startsWith('PATCH '));
    assert.equal(patches.length, api.objects.size);
    for (const patch of patches) assert.match(patch, /\?fieldManager=apichain-register&force=true$/);
  });

  it('is unchanged when only the status of an APIService has changed meanwhile', async () => {
    await registering();
    lines = [];
    api.before = ({ method, path }) => {
      const [target = ''] = path.split('?');
      const present = api.objects.get(target);
      if (method === 'PATCH' && present?.kind === 'APIService')
        api.store(target, { ...present, status: { conditions: [{ type: 'Available', status: 'False' }] } });
    };
    await registering();
    assert.ok(
      lines.every((line) => /: unchanged$| is available$/.test(line)),
      lines.join('\n'),
    );
  });

  it('changes nothing the second time', async () => {
    await registering();
    const before = [...api.objects.values()];
    lines = [];
    await registering();
    assert.deepEqual([...api.objects.values()], before);
    assert.ok(
      lines.every((line) => /: unchanged$| is available$/.test(line)),
      lines.join('\n'),
    );
  });

  it('deletes what an earlier registration made for other group-versions', async () => {
    await registering();
    await registering({ groupVersions: [{ group: 'wardle.example.com', version: 'v1beta1' }] });
    assert.equal(api.find('APIService', 'v1alpha1.wardle.example.com'), undefined);
    assert.ok(lines.includes('APIService v1alpha1.wardle.example.com: deleted'));
  });

  it('refers to a Service that exists, and says when it does not', async () => {
    const target = { service: { namespace: 'wardle', name: 'api', port: 443 } };
    await registering({ user: false, target });
    assert.deepEqual(lines[0], 'note: Service wardle/api does not exist yet');
    assert.equal(api.find('Service', 'wardle'), undefined);
    const metadata = { namespace: 'wardle', name: 'api' };
    const path = '/api/v1/namespaces/wardle/services/api';
    api.store(path, { apiVersion: 'v1', kind: 'Service', metadata, spec: { ports: [{ port: 80 }] } });
    lines = [];
    await registering({ user: false, target });
    assert.deepEqual(lines[0], 'note: Service wardle/api has no port 443');
  });

  describe('of the rights', () => {
    const subjectOf = (kind: string, name: string) => api.find(kind, name)?.['subjects'];

    it('gives them to the user of the kubeconfig', async () => {
      await registering();
      const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'jane' }];
      assert.deepEqual(subjectOf('ClusterRoleBinding', 'apichain-register:wardle'), subjects);
      assert.deepEqual(subjectOf('ClusterRoleBinding', 'apichain-register:wardle:auth-delegator'), subjects);
      const reader = api.find('RoleBinding', 'apichain-register:wardle:auth-reader');
      assert.equal(reader?.metadata.namespace, 'kube-system');
      assert.deepEqual(reader?.['subjects'], subjects);
      assert.match(JSON.stringify(api.find('ClusterRole', 'apichain-register:wardle')), /flowschemas/);
    });

    it('gives them to a ServiceAccount by its user name', async () => {
      await registering({ user: 'system:serviceaccount:wardle:apiserver' });
      const subjects = [{ kind: 'ServiceAccount', namespace: 'wardle', name: 'apiserver' }];
      assert.deepEqual(subjectOf('ClusterRoleBinding', 'apichain-register:wardle'), subjects);
    });

    it('makes none for members of system:masters, and none when told so', async () => {
      api.user = { username: 'admin', groups: ['system:masters'] };
      await registering();
      assert.equal(lines[0], 'no role bindings: admin may do everything as a member of system:masters');
      await registering({ user: false });
      assert.equal(api.find('ClusterRole', 'apichain-register:wardle'), undefined);
    });
  });

  describe('of what others made', () => {
    const foreign = (labels: Record<string, string>) =>
      api.store(`${apiServices}/v1beta1.wardle.example.com`, {
        apiVersion: 'apiregistration.k8s.io/v1',
        kind: 'APIService',
        metadata: { name: 'v1beta1.wardle.example.com', labels },
      });

    it('is refused before anything is changed', async () => {
      foreign({});
      await assert.rejects(
        registering(),
        /^RegistrationError: APIService v1beta1.wardle.example.com exists and was not registered for "wardle": --force takes it over$/,
      );
      assert.equal(api.objects.size, 1);
    });

    it('is refused for what was registered for a server of another name', async () => {
      foreign({ 'app.kubernetes.io/managed-by': 'apichain-register', 'app.kubernetes.io/name': 'other' });
      await assert.rejects(registering(), /was not registered for "wardle"/);
    });

    it('is possible with force', async () => {
      foreign({});
      await registering({ force: true });
      assert.equal(
        api.find('APIService', 'v1beta1.wardle.example.com')?.metadata.labels?.['app.kubernetes.io/name'],
        'wardle',
      );
    });

    it("is refused with force too if it is the API server's own", async () => {
      foreign({ 'kube-aggregator.kubernetes.io/automanaged': 'onstart' });
      await assert.rejects(registering({ force: true }), /belongs to the API server, which serves this group-version/);
    });
  });

  describe('with an API server that refuses external names', () => {
    const refused = { status: 'False', message: 'unsupported service type "ExternalName"' };
    beforeEach(() => {
      api.available = () => {
        const { type } = specOf('Service', 'wardle') as { type: string };
        return type === 'ExternalName' ? refused : { status: 'True', message: '' };
      };
    });

    it('makes an IP address an endpoint, and keeps it', async () => {
      const target = { address: { namespace: 'default', host: '192.0.2.7', port: 8443 } };
      await registering({ user: false, target });
      assert.deepEqual(api.find('EndpointSlice', 'wardle-ipv4')?.['endpoints'], [
        { addresses: ['192.0.2.7'], conditions: { ready: true } },
      ]);
      assert.equal(lines.at(-1), 'v1beta1.wardle.example.com is available');
      lines = [];
      await registering({ user: false, target });
      assert.ok(lines.includes('Service default/wardle: unchanged'), lines.join('\n'));
      await registering({ user: false, target: { address: { ...target.address, host: 'fd00::7' } } });
      assert.equal(api.find('EndpointSlice', 'wardle-ipv4'), undefined, 'nobody listens there any more');
      assert.ok(api.find('EndpointSlice', 'wardle-ipv6'));
    });

    it('says that a loopback address cannot be reached', async () => {
      await registering({ user: false });
      assert.match(lines.at(-1) ?? '', /^note: with --enable-aggregator-routing, the API server reaches only Services/);
      assert.equal(api.find('EndpointSlice', 'wardle-ipv4'), undefined);
    });
  });

  it('waits for an API server that restarts after the registration', async () => {
    let failures = 2;
    api.before = ({ method, path }) => {
      if (method !== 'GET' || !path.endsWith('/apiservices/v1beta1.wardle.example.com')) return;
      if (api.find('APIService', 'v1beta1.wardle.example.com') !== undefined && failures-- > 0)
        throw new Error('connect ECONNREFUSED');
    };
    await registering({ user: false });
    assert.equal(lines.at(-1), 'v1beta1.wardle.example.com is available');
    assert.ok(failures < 1);
  });

  describe('with an API server without Services', () => {
    beforeEach(() => (api.servesServices = false));
    const annotationsOf = (version: string) =>
      api.find('APIService', `${version}.wardle.example.com`)?.metadata.annotations;

    it('annotates the APIServices with the address', async () => {
      await registering({ user: false });
      assert.deepEqual(annotationsOf('v1alpha1'), { 'apichain/address': '127.0.0.1:8443' });
      assert.deepEqual(annotationsOf('v1beta1'), { 'apichain/address': '127.0.0.1:8443' });
      const { service } = specOf('APIService', 'v1beta1.wardle.example.com') as { service: object };
      assert.deepEqual(service, { namespace: 'default', name: 'wardle', port: 8443 });
      assert.deepEqual(lines, [
        'no Service: the API server serves none and takes 127.0.0.1:8443 from an annotation',
        'APIService v1alpha1.wardle.example.com: created',
        'APIService v1beta1.wardle.example.com: created',
        'v1alpha1.wardle.example.com is available',
        'v1beta1.wardle.example.com is available',
      ]);
    });

    it('changes nothing the second time, and follows a new address', async () => {
      const registeringAt = (host: string) =>
        registering({ user: false, target: { address: { namespace: 'default', host, port: 8443 } } });
      await registeringAt('fd00::7');
      const before = [...api.objects.values()];
      await registeringAt('fd00::7');
      assert.deepEqual([...api.objects.values()], before);
      await registeringAt('192.0.2.7');
      assert.deepEqual(annotationsOf('v1beta1'), { 'apichain/address': '192.0.2.7:8443' });
    });

    it('is removed completely', async () => {
      await registering();
      lines = [];
      await unregistering();
      assert.equal(api.objects.size, 0);
      assert.equal(lines.length, 6, lines.join('\n'));
    });

    it('says how a Service is then reached', async () => {
      await registering({ user: false, target: { service: { namespace: 'wardle', name: 'api', port: 8443 } } });
      assert.equal(
        lines[0],
        'note: the API server serves no Services and connects to api.wardle.svc:8443, which it must be able to resolve',
      );
      assert.equal(annotationsOf('v1beta1'), undefined);
      assert.match(lines[1] ?? '', /^APIService/);
    });
  });

  it('fails in one line when the API server refuses something or does not respond', async () => {
    api.before = ({ method, path }) => {
      const message = 'apiservices is forbidden';
      const status = { kind: 'Status' as const, apiVersion: 'v1' as const, metadata: {}, message, code: 403 };
      if (method === 'PATCH' && path.startsWith(apiServices)) throw new StatusError({ ...status, status: 'Failure' });
    };
    await assert.rejects(
      registering(),
      /^RegistrationError: cannot apply APIService v1alpha1.wardle.example.com: apiservices is forbidden$/,
    );
    api.before = () => {
      throw new AggregateError([
        new Error('connect ECONNREFUSED ::1:1'),
        new Error('connect ECONNREFUSED 127.0.0.1:1'),
      ]);
    };
    await assert.rejects(unregistering(), /^RegistrationError: cannot list apiservices: no response .* ::1:1; connect/);
  });

  it('names the flag that helps a user who has no right to give rights', async () => {
    api.before = ({ method, path }) => {
      const status = {
        kind: 'Status' as const,
        apiVersion: 'v1' as const,
        metadata: {},
        message: 'forbidden',
        code: 403,
      };
      if (method === 'GET' && path.includes('/clusterroles/')) throw new StatusError({ ...status, status: 'Failure' });
    };
    await assert.rejects(
      registering({ flagPrefix: 'register-' }),
      /cannot read ClusterRole apichain-register:wardle: forbidden; use --register-rbac=false if an administrator/,
    );
    assert.equal(api.objects.size, 0);
    await registering({ user: false });
  });

  describe('that is removed', () => {
    it('leaves what others made', async () => {
      const metadata = { namespace: 'default', name: 'other', labels: { 'app.kubernetes.io/name': 'wardle' } };
      api.store(`${services}/other`, { apiVersion: 'v1', kind: 'Service', metadata });
      await registering();
      lines = [];
      await unregistering();
      assert.deepEqual([...api.objects.keys()], [`${services}/other`]);
      assert.equal(lines[0], 'APIService v1alpha1.wardle.example.com: deleted');
      assert.equal(lines.length, 7);
      lines = [];
      await unregistering();
      assert.deepEqual(lines, ['nothing is registered for "wardle"']);
    });

    it('is no error when it is deleted by others at the same time', async () => {
      await registering({ user: false });
      api.before = ({ method }) => {
        if (method === 'DELETE') api.objects.clear();
      };
      lines = [];
      await unregistering();
      assert.deepEqual(lines[0], 'APIService v1alpha1.wardle.example.com: already deleted');
    });
  });
});
