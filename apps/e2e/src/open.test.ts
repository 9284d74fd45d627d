import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { freePort } from '@apichain/meta';
import { repository, startChain, waitFor, type Chain } from './chain.ts';
import { apichain } from './command-line.ts';
import { Kubectl } from './kubectl.ts';
import { requireKubectl } from './requirements.ts';

const program = join(repository, 'apps/apichain/src/main.ts');

/** A backup that is served. */
interface Opened {
  readonly kubectl: Kubectl;
  readonly output: () => string;
  /** Interrupts it. It must exit well and leave nothing. */
  close(): Promise<void>;
}

async function open(...args: string[]): Promise<Opened> {
  const port = await freePort();
  const child = spawn(process.execPath, [program, 'open', ...args, `--secure-port=${port}`], { cwd: repository });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  await waitFor(
    () => output.includes('try: ') || child.exitCode !== null,
    30_000,
    () => `apichain open is not ready:\n${output}`,
  );
  const kubeconfig = /^kubeconfig: (.*)$/m.exec(output)?.[1] ?? '';
  assert.ok(existsSync(kubeconfig), output);
  return {
    kubectl: new Kubectl({ kubeconfig, dataDirectory: dirname(kubeconfig) }),
    output: () => output,
    close: async () => {
      child.kill('SIGINT');
      assert.equal(await exited, 0, output);
      assert.equal(existsSync(dirname(kubeconfig)), false, 'its temporary directory is removed');
    },
  };
}

const widgets = (conversion: string, versions: string) => `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList, shortNames: [wi]}
  ${conversion}
  versions:
${versions}`;
const version = (name: string, storage: boolean, field: string) => `
  - name: ${name}
    served: true
    storage: ${storage}
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {${field}: {type: string, description: the ${field}}}}}}}
`;
/** Its objects are written before there is a webhook, which is never there. */
const plainCrd = widgets('', version('v1beta1', true, 'hostPort'));
const convertedCrd = widgets(
  'conversion: {strategy: Webhook, webhook: {clientConfig: {url: "https://127.0.0.1:1/"}, conversionReviewVersions: [v1]}}',
  version('v1', false, 'host') + version('v1beta1', true, 'hostPort'),
);

/** An object as a cluster of Kubernetes 1.24 has left it. */
const removedPolicy = '{"apiVersion":"policy/v1beta1","kind":"PodSecurityPolicy","metadata":{"name":"restricted"}}';

const objects = `
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: v1
kind: Secret
metadata: {name: login, namespace: shop}
stringData: {password: hunter2}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: shop, labels: {app: web}}
data: {color: blue}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop, labels: {app: web}}
spec: {type: NodePort, selector: {app: web}, ports: [{port: 80}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, labels: {app: web}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: "web:1"}]}}
---
apiVersion: v1
kind: Pod
metadata: {name: alone, namespace: shop}
spec: {nodeName: node-1, containers: [{name: main, image: "main:1"}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: once, namespace: shop}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: "main:1"}]}}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader, namespace: shop}
rules: [{apiGroups: [""], resources: [pods], verbs: [get, list]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: jane, namespace: shop}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}
subjects: [{kind: User, name: jane, apiGroup: rbac.authorization.k8s.io}]
---
apiVersion: v1
kind: Event
metadata: {name: alone.1, namespace: shop}
involvedObject: {kind: Pod, name: alone, namespace: shop}
reason: Scheduled
message: it found its place
type: Normal
lastTimestamp: "2026-01-01T00:00:00Z"
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1beta1.metrics.k8s.io}
spec:
  group: metrics.k8s.io
  version: v1beta1
  groupPriorityMinimum: 100
  versionPriority: 100
  insecureSkipTLSVerify: true
  service: {name: metrics-server, namespace: kube-system}
`;

const widget = `
apiVersion: example.com/v1beta1
kind: Widget
metadata: {name: small, namespace: shop}
spec: {hostPort: "a:1"}
`;

const digest = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

describe('a backup of etcd', function () {
  this.timeout(480_000);
  let directory: string;
  let earlier: string;
  let later: string;
  let revision: string;

  before(async function () {
    requireKubectl(this);
    directory = mkdtempSync(join(tmpdir(), 'apichain-backup-'));
    earlier = join(directory, 'earlier.db');
    later = join(directory, 'later.db');
    const chain = await startChain({
      args: ['--in-process', '--embedded-etcd=false', '--storage-media-type=application/vnd.kubernetes.protobuf'],
    });
    try {
      const kubectl = new Kubectl(chain);
      await kubectl.ok(['apply', '-f', '-'], `${objects}---${plainCrd}`);
      await kubectl.ok(['wait', '--for=condition=Established', 'crd/widgets.example.com']);
      await kubectl.ok(['apply', '-f', '-'], widget);
      await kubectl.ok(['apply', '-f', '-'], convertedCrd);
      etcdctl(chain, 'put', '/registry/podsecuritypolicy/restricted', removedPolicy);
      save(chain, earlier);
      revision = await kubectl.ok(['-n', 'shop', 'get', 'pod', 'alone', '-o', 'jsonpath={.metadata.resourceVersion}']);
      await kubectl.ok(['-n', 'shop', 'delete', 'job', 'once']);
      await kubectl.ok(['-n', 'shop', 'scale', 'deployment', 'web', '--replicas=5']);
      await kubectl.ok(['-n', 'shop', 'patch', 'secret', 'login', '-p', '{"stringData":{"password":"hunter3"}}']);
      await kubectl.ok(['-n', 'shop', 'create', 'configmap', 'more', '--from-literal=a=b']);
      save(chain, later);
    } finally {
      await chain.stop();
    }
  });
  after(() => {
    rmSync(directory, { recursive: true, force: true });
  });

  /** As an operator does, with etcd's own tool. */
  const save = (chain: Chain, file: string): void => etcdctl(chain, 'snapshot', 'save', file);
  function etcdctl({ dataDirectory }: Chain, ...args: string[]): void {
    const url = readFileSync(join(dataDirectory, 'store-url'), 'utf8').trim();
    const { status, stderr } = spawnSync('etcdctl', [`--endpoints=${url}`, ...args], {
      env: { ...process.env, ETCDCTL_API: '3' },
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
  }

  describe('that is opened', () => {
    let opened: Opened;
    let bytes: string;

    before(async () => {
      bytes = digest(earlier);
      opened = await open(earlier, `--console-port=${await freePort()}`);
    });
    after(async () => {
      await opened.close();
      assert.equal(digest(earlier), bytes, 'the file is not written');
    });

    it('is looked at with kubectl, as its cluster was', async () => {
      const { kubectl, output } = opened;
      const shop = (...args: string[]) => kubectl.ok(['-n', 'shop', ...args]);
      assert.match(output(), /earlier\.db: etcd snapshot, revision \d+, \d+ keys/);
      assert.match(
        await shop('get', 'all'),
        /pod\/alone[^]*service\/web[^]*deployment.apps\/web +0\/2[^]*job.batch\/once/,
      );
      assert.match(await shop('describe', 'pod', 'alone'), /Node: +node-1\//);
      assert.match(await shop('events'), /Scheduled +Pod\/alone +it found its place/);
      assert.equal(await shop('get', 'pod', 'alone', '-o', 'jsonpath={.metadata.resourceVersion}'), revision);
      // Nothing of the opener's own is mixed in: this cluster has no namespace that its bootstrap did not make.
      assert.match(await kubectl.ok(['get', 'apiservices']), /v1beta1.metrics.k8s.io +kube-system\/metrics-server/);
      assert.equal(await kubectl.ok(['auth', 'can-i', 'list', 'pods', '-n', 'shop', '--as=jane']), 'yes\n');
      assert.match((await kubectl.run(['auth', 'can-i', 'list', 'secrets', '-n', 'shop', '--as=jane'])).stdout, /^no/);
      // No webhook converts: the version in which the objects are stored is the one that is served.
      assert.match(await kubectl.ok(['api-resources', '--api-group=example.com']), /widgets +wi +example.com\/v1beta1/);
      assert.equal(
        await shop('get', 'wi', 'small', '-o', 'jsonpath={.apiVersion} {.spec.hostPort}'),
        'example.com/v1beta1 a:1',
      );
      assert.match(await kubectl.ok(['explain', 'widget.spec']), /hostPort\t<string>\s+the hostPort/);
    });

    it('refuses what would write or reach a node', async () => {
      const { kubectl } = opened;
      const refusals = [
        ['create', 'namespace', 'x'],
        ['-n', 'shop', 'delete', 'pod', 'alone'],
        ['-n', 'shop', 'scale', 'deployment', 'web', '--replicas=1'],
        ['-n', 'shop', 'label', 'pod', 'alone', 'a=b', '--dry-run=server'],
        ['-n', 'shop', 'annotate', 'widget', 'small', 'a=b'],
        ['-n', 'shop', 'logs', 'alone'],
        ['-n', 'shop', 'exec', 'alone', '--', 'true'],
      ];
      for (const args of refusals)
        assert.match(await kubectl.fails(args), /is not possible: the data is opened read-only/, args.join(' '));
      assert.match(await kubectl.ok(['-n', 'shop', 'get', 'pods']), /alone/);
    });

    it('is shown in the console, to whom the printed URL logs in', async () => {
      const url = new URL(/^console: (http:\S+)$/m.exec(opened.output())?.[1] ?? '');
      const code = new URLSearchParams(url.hash.slice(1)).get('code');
      assert.match(await (await fetch(url.origin)).text(), /<!doctype html>/i);
      const login = await fetch(`${url.origin}/console/session`, {
        method: 'POST',
        headers: { origin: url.origin, 'content-type': 'application/json' },
        body: JSON.stringify({ code }),
      });
      assert.equal(login.status, 200);
      const { proof } = (await login.json()) as { proof: string };
      const headers = {
        cookie: login.headers.get('set-cookie')?.split(';')[0] ?? '',
        'x-console-proof': proof,
        origin: url.origin,
      };
      const pod = `${url.origin}/api/v1/namespaces/shop/pods/alone`;
      assert.equal((await fetch(pod, { headers })).status, 200);
      assert.equal((await fetch(pod, { method: 'DELETE', headers })).status, 405);
    });

    it('tells of what has no server here, and asks nothing of this host', async () => {
      assert.match(
        opened.output(),
        /^apichain: .*: 1 objects are of APIs that are not served, .*: policy\/v1beta1 PodSecurityPolicy \(1\)$/m,
      );
      assert.match(
        opened.output(),
        /^apichain: .*: not in a backup are objects of extension API servers: metrics\.k8s\.io\/v1beta1$/m,
      );
      assert.match(await opened.kubectl.fails(['get', 'nodes.metrics.k8s.io']), /doesn't have a resource type/);
      const statuses = await opened.kubectl.ok(['get', '--raw', '/api/v1/componentstatuses']);
      assert.deepEqual((JSON.parse(statuses) as { items: unknown }).items, []);
    });

    it('shows the values of Secrets only if they are asked for', async () => {
      const secret = ['-n', 'shop', 'get', 'secret', 'login', '-o', 'yaml'];
      for (const args of [secret, ['-n', 'shop', 'get', 'secrets', '-o', 'yaml']]) {
        const shown = await opened.kubectl.ok(args);
        assert.match(shown, /password: Kioq/);
        assert.doesNotMatch(shown, /hunter2|aHVudGVyMg/);
      }
      const withSecrets = await open(later, '--show-secrets');
      assert.match(await withSecrets.kubectl.ok(secret), /password: aHVudGVyMw==/);
      await withSecrets.close();
    });
  });

  it('is compared with a later one', async () => {
    const same = await apichain('diff', earlier, earlier);
    assert.deepEqual([same.code, same.stdout], [0, '']);
    const unserved = `apichain: ${earlier}: 1 objects are of APIs that are not served`;
    assert.deepEqual(
      same.stderr.split('\n').map((line) => line.startsWith(unserved)),
      [true, true, false],
    );
    const names = await apichain('diff', earlier, later, '-o', 'summary');
    assert.equal(names.code, 1, names.stderr);
    assert.equal(
      names.stdout,
      [
        ...['configmaps in shop', '  + more', 'deployments.apps in shop', '  ~ web', 'jobs.batch in shop', '  - once'],
        ...['secrets in shop', '  ~ login', '1 created, 1 deleted, 2 changed', ''],
      ].join('\n'),
    );
    const patches = await apichain('diff', earlier, later, '-n', 'shop', '-k', 'secrets,deploy/web');
    assert.match(patches.stdout, /name: web\nnamespace: shop\npatch:\n {2}spec:\n {4}replicas: 5\n/);
    assert.match(patches.stdout, /patch:\n {2}data:\n {4}password: Kioq\n/);
    assert.doesNotMatch(patches.stdout, /configmaps|hunter|aHVudGVy/);
    const list = JSON.parse((await apichain('diff', earlier, later, '-o', 'json')).stdout) as { change: string }[];
    assert.deepEqual(
      list.map(({ change }) => change),
      ['created', 'changed', 'deleted', 'changed'],
    );
    const trouble = await apichain('diff', earlier, join(directory, 'none.db'));
    assert.equal(trouble.code, 2);
    assert.match(trouble.stderr, /none\.db cannot be read: no such file or directory\n$/);
  });

  it('is exported as manifests that another cluster accepts', async () => {
    const { code, stdout, stderr } = await apichain('export', earlier, '-n', 'shop', '--show-secrets');
    assert.equal(code, 0, stderr);
    assert.doesNotMatch(stdout, /uid:|resourceVersion|managedFields|creationTimestamp|status:|clusterIP|nodeName/);
    const selected = await apichain('export', earlier, 'configmaps', 'svc', '-l', 'app=web');
    assert.deepEqual(selected.stdout.match(/^kind: .*$/gm), ['kind: ConfigMap', 'kind: Service']);
    const masked = await apichain('export', earlier, 'secret/login');
    assert.match(masked.stdout, /password: Kioq/);
    assert.match(masked.stderr, /the values of 1 Secrets are masked/);

    const chain = await startChain({ args: ['--in-process', '--memory'] });
    try {
      const kubectl = new Kubectl(chain);
      await kubectl.ok(['create', 'namespace', 'shop']);
      await kubectl.ok(['apply', '-f', '-'], plainCrd);
      await kubectl.ok(['wait', '--for=condition=Established', 'crd/widgets.example.com']);
      const applied = await kubectl.ok(['apply', '-f', '-'], stdout);
      for (const name of ['secret/login', 'configmap/settings', 'service/web', 'deployment.apps/web', 'pod/alone'])
        assert.ok(applied.includes(`${name} created`), applied);
      for (const name of ['job.batch/once', 'widget.example.com/small', 'rolebinding.rbac.authorization.k8s.io/jane'])
        assert.ok(applied.includes(`${name} created`), applied);
      const password = ['-n', 'shop', 'get', 'secret', 'login', '-o', 'jsonpath={.data.password}'];
      assert.equal(await kubectl.ok(password), 'aHVudGVyMg==');
    } finally {
      await chain.stop();
    }
  });

  it('is refused in one line when it is none', async () => {
    const foreign = join(directory, 'foreign.db');
    writeFileSync(foreign, 'no database of etcd\n'.repeat(1_000));
    const cut = join(directory, 'cut.db');
    writeFileSync(cut, readFileSync(earlier).subarray(0, 100_000));
    for (const file of [foreign, cut, join(directory, 'none.db'), directory]) {
      const { code, stdout, stderr } = await apichain('open', file, `--secure-port=${await freePort()}`);
      assert.deepEqual([code, stdout, stderr.trim().split('\n').length], [1, '', 1], stderr);
      assert.ok(stderr.startsWith(`apichain: ${file} `), stderr);
    }
  });
});
