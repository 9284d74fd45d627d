import { connect } from 'node:http2';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@apichain/meta';
import { issueClient, issueServing } from '@apichain/serving/certificates';
import { serveWebhooks, type WebhookServer } from '@apichain/testing';
import { Recording } from '../../comparison/recording.ts';
import { Kubectl } from '../../servers/kubectl.ts';
import { Process, waitFor } from '../../servers/process.ts';
import { repository, type CorePlatform } from './platform.ts';
import * as manifests from './manifests.ts';

const timeoutMs = 60_000;

/** The clients and servers of a session. */
class Session {
  readonly platform: CorePlatform;
  readonly transcript = new Recording();
  readonly #users: ReadonlyMap<string, Kubectl>;
  readonly #ports: Readonly<Record<string, number>>;

  private constructor(
    platform: CorePlatform,
    users: ReadonlyMap<string, Kubectl>,
    ports: Readonly<Record<string, number>>,
  ) {
    this.platform = platform;
    this.#users = users;
    this.#ports = ports;
  }

  static async open(platform: CorePlatform): Promise<Session> {
    const users = new Map([['admin', new Kubectl(await platform.kubeconfigOf('admin', ['system:masters']))]]);
    for (const user of ['server', 'alice', 'bob']) users.set(user, new Kubectl(await platform.kubeconfigOf(user)));
    return new Session(platform, users, { wardle: await freePort(), metrics: await freePort() });
  }

  kubectl(user = 'admin'): Kubectl {
    const kubectl = this.#users.get(user);
    if (kubectl === undefined) throw new Error(`there is no user ${user}`);
    return kubectl;
  }

  /** Runs kubectl and records what it prints. */
  async step(command: string, { input = '', user = 'admin', times = '' } = {}): Promise<void> {
    const text = await this.kubectl(user).run(command.split(' '), input);
    this.transcript.text(`${user}: kubectl ${command}${times}`, text);
  }

  /** Runs kubectl, which must succeed. */
  ok(command: string, input = ''): Promise<string> {
    return this.kubectl().output(command.split(' '), input);
  }

  /** Waits until kubectl prints a text. Other texts are not recorded. */
  async prints(command: string, pattern: RegExp, input = ''): Promise<void> {
    let last = '';
    const isPrinted = async () => pattern.test((last = await this.kubectl().run(command.split(' '), input)));
    await waitFor(isPrinted, timeoutMs, () => `kubectl ${command} printed ${last}`);
  }

  portOf = (name: string): number => this.#ports[name] ?? 0;

  startServer(name: string, program: string, ...flags: readonly string[]): Process {
    const kubeconfigs = ['', 'authentication-', 'authorization-'].map(
      (use) => `--${use}kubeconfig=${this.kubectl('server').kubeconfig}`,
    );
    const data = join(this.platform.directory, name);
    const serving = ['--bind-address=127.0.0.1', `--secure-port=${this.portOf(name)}`, `--data-dir=${data}`];
    return new Process(
      [process.execPath, join(repository, program), ...kubeconfigs, ...serving, '--register', ...flags],
      join(this.platform.directory, `${name}.log`),
    ).start();
  }
}

const wardle = 'apps/sample-apiserver/src/main.ts';
const available = 'wait --for=condition=Available --timeout=60s';

/** What the session shows of a core API. The steps are the same for all. */
export async function runSession(platform: CorePlatform): Promise<Recording> {
  const session = await Session.open(platform);
  const webhook = await startWebhook(platform);
  await session.ok('apply -f -', manifests.access);
  let servers = [session.startServer('wardle', wardle), session.startServer('metrics', 'examples/metrics/main.ts')];
  try {
    const services = ['v1beta1.wardle.example.com', 'v1alpha1.wardle.example.com', 'v1beta1.metrics.k8s.io'];
    for (const name of services) await session.prints(`get apiservice ${name}`, /True/);
    // kube-apiserver reads the OpenAPI documents of other servers in the background.
    await session.prints('explain flunders', /KIND: +Flunder/);
    await session.prints('explain fischer --output=plaintext-openapiv2', /KIND: +Fischer/);
    await discovery(session);
    await writes(session);
    await access(session);
    await watches(session);
    await admission(session, `https://127.0.0.1:${webhook.port}/`);
    await metrics(session);
    await http2(session);
    await servers[0]?.stop();
    await session.prints('get apiservice v1beta1.wardle.example.com', /FailedDiscovery|False/);
    await session.step('get flunders', { times: ' (stopped)' });
    servers = [session.startServer('wardle', wardle), ...servers.slice(1)];
    await session.ok(`${available} apiservice/v1beta1.wardle.example.com`);
    await session.step('get flunders -A', { times: ' (restarted)' });
    await platform.restart();
    await session.ok(`${available} apiservice/v1beta1.wardle.example.com`);
    await session.prints('create --dry-run=server -f -', /created/, manifests.flunder('after-restart'));
    await session.step('create -f -', { input: manifests.flunder('after-restart'), times: ' (core API restarted)' });
    await session.step('get flunders', { user: 'alice', times: ' (core API restarted)' });
    await servers[0]?.stop();
    servers = [session.startServer('wardle', wardle, '--unregister-on-exit'), ...servers.slice(1)];
    await session.prints('get apiservice v1beta1.wardle.example.com', /True/);
    await session.prints('get flunders', /^(?!exit )/);
    await servers[0]?.stop();
    await session.prints('api-resources', /^(?![^]*wardle)/);
    await session.step('get flunders', { times: ' (unregistered)' });
    const kinds = 'apiservices,services,clusterroles,clusterrolebindings,rolebindings';
    await session.step(`get ${kinds} -A -l app.kubernetes.io/name=wardle -o name`);
    return session.transcript;
  } finally {
    for (const server of servers) await server.stop();
    await webhook.close();
  }
}

async function discovery(session: Session): Promise<void> {
  await session.step('api-resources --api-group=wardle.example.com -o wide');
  await session.step('api-resources --api-group=metrics.k8s.io -o wide');
  await session.step('get --raw=/apis/wardle.example.com');
  await session.step('get --raw=/apis/wardle.example.com/v1beta1');
  for (const path of [
    'flunders',
    'flunders.spec',
    'flunders.spec.flunderReference --api-version=wardle.example.com/v1beta1',
  ])
    await session.step(`explain ${path}`);
  await session.step('explain flunders --recursive --api-version=wardle.example.com/v1alpha1');
  await session.step('explain fischer --output=plaintext-openapiv2');
  const selection = '-l app.kubernetes.io/managed-by=apichain-register -o name';
  await session.step(`get apiservices,services,clusterroles,clusterrolebindings,rolebindings -A ${selection}`);
}

async function writes(session: Session): Promise<void> {
  await session.step('create -f -', { input: manifests.flunder('one'), times: ' (one)' });
  await session.step('create -f -', { input: manifests.flunder('one'), times: ' (one again)' });
  await session.step('create -f -', {
    input: manifests.flunder('lost', { namespace: 'nowhere' }),
    times: ' (nowhere)',
  });
  await session.step('create -f -', { input: manifests.unknownField, times: ' (unknown field)' });
  await session.step('create -f - --validate=ignore', { input: manifests.wrongType, times: ' (wrong type)' });
  await session.step('create -f -', { input: manifests.bothReferences, times: ' (invalid)' });
  await session.step('apply -f -', { input: manifests.flunder('client-side'), times: ' (first)' });
  await session.step('apply -f -', {
    input: manifests.flunder('client-side', { reference: 'two' }),
    times: ' (second)',
  });
  await session.step('diff -f -', { input: manifests.flunder('client-side', { reference: 'two' }), times: ' (none)' });
  const serverSide = 'apply --server-side --field-manager';
  await session.step(`${serverSide}=a -f -`, { input: manifests.flunder('server-side'), times: ' (a)' });
  const other = manifests.flunder('server-side', { reference: 'two' });
  await session.step(`${serverSide}=b -f -`, { input: other, times: ' (conflict)' });
  await session.step(`${serverSide}=b --force-conflicts -f -`, { input: other, times: ' (forced)' });
  await session.step('patch fl one --type=merge -p {"spec":{"flunderReference":"patched"}}');
  await session.step('patch fl one --type=json -p [{"op":"add","path":"/metadata/labels","value":{"a":"b"}}]');
  await session.step('patch fl one -p {"metadata":{"labels":{"c":"d"}}}');
  // Managers are in the order of the seconds in which they wrote, then of their names.
  await sleep(1_100);
  await session.step('label fl one color=red');
  await sleep(1_100);
  await session.step('annotate fl one note=x');
  await session.step('get flunders');
  await session.step('get fl -o wide --show-labels');
  await session.step('get flunders -l color=red -o name');
  await session.step('get flunders --field-selector=metadata.name=one -o name');
  await session.step('get flunders --field-selector=spec.nothing=one');
  await session.step('get flunders.v1alpha1.wardle.example.com one -o yaml');
  await session.step('get flunder one -o yaml --show-managed-fields');
  await session.step('describe flunder one');
  await session.step('get flunder missing');
  await session.step('create -f -', { input: manifests.fischer, times: ' (fischer)' });
  await session.step('get fischers');
  await session.step('create -f -', { input: manifests.flunder('banned'), times: ' (banned)' });
  await session.step('get namespaces,flunders -o name');
  await session.step('delete flunder client-side');
  await session.step('delete flunders -l color=none');
}

async function access(session: Session): Promise<void> {
  for (const user of ['alice', 'bob']) {
    await session.step('get flunders', { user });
    await session.step('get flunders -n other', { user });
    await session.step('create -f -', { user, input: manifests.flunder(`of-${user}`) });
    await session.step('delete flunder one', { user });
    await session.step('auth can-i create flunders.wardle.example.com', { user });
    await session.step('auth can-i delete fischers.wardle.example.com', { user });
    await session.step('auth can-i --list -n default', { user });
    await session.step('get fischers', { user });
    await session.step('get flunders --as=carol', { user });
  }
  await session.step('get flunders --as=carol');
  await session.step('get flunders --as=carol --as-group=system:masters');
}

async function watches(session: Session): Promise<void> {
  const watch = ['get', 'flunders', '--watch', '--output-watch-events'];
  const text = await session.kubectl('alice').watched(watch, async () => {
    await session.ok('create -f -', manifests.flunder('watched'));
    await session.ok('label flunder watched seen=yes');
    await session.ok('delete flunder watched');
  });
  session.transcript.text('watch', text);
}

async function admission(session: Session, url: string): Promise<void> {
  await session.ok('apply -f -', manifests.policy);
  const refused = manifests.flunder('policy');
  await session.prints('create --dry-run=server -f -', /ValidatingAdmissionPolicy/, refused);
  await session.step('create -f -', { input: refused, times: ' (policy)' });
  const hook = manifests.webhook(url, session.platform.pem('ca.crt'));
  await session.ok('apply -f -', hook);
  await session.prints('create --dry-run=server -f -', /denied the request/, manifests.flunder('hooked'));
  await session.step('create -f -', { input: manifests.flunder('hooked'), times: ' (webhook)' });
  await session.step('create -f -', { input: manifests.flunder('allowed'), times: ' (allowed)' });
}

async function metrics(session: Session): Promise<void> {
  await session.ok('apply -f -', manifests.nodesAndPods);
  await session.ok('replace --raw=/api/v1/nodes/one/status -f -', manifests.nodeStatus);
  await session.step('top nodes');
  await session.step('top pods');
  await session.step('top pods -A --containers --sort-by=cpu');
  await session.step('top pod web');
  await session.step('top pod missing');
  await session.step('top nodes', { user: 'alice' });
  await session.step('get nodes.metrics.k8s.io');
  await session.step('get pods.metrics.k8s.io web -o yaml');
  await session.step('get pods.metrics.k8s.io -n nowhere');
  await session.step('delete nodes.metrics.k8s.io one');
}

/** Requests over HTTP/2: of a client to the core API, and to the server itself. */
async function http2(session: Session): Promise<void> {
  const { platform } = session;
  const { certificate: cert, key } = await issueClient(platform.ca, 'admin', ['system:masters']);
  for (const [name, url] of [
    ['core API', platform.url],
    ['server', `https://127.0.0.1:${session.portOf('wardle')}`],
  ] as const) {
    const connection = connect(url, { cert, key, rejectUnauthorized: false });
    const request = connection.request({ ':path': '/apis/wardle.example.com/v1beta1/namespaces/default/flunders/one' });
    let status = 0;
    request.once('response', (headers) => (status = headers[':status'] ?? 0));
    let body = '';
    for await (const chunk of request) body += String(chunk);
    connection.close();
    session.transcript.text(`HTTP/2 to the ${name}`, `${status} ${body}`);
  }
}

/** A validating webhook that refuses objects called `hooked`. */
async function startWebhook({ ca }: CorePlatform): Promise<WebhookServer> {
  const { certificate: cert, key } = await issueServing(ca, 'webhook', ['127.0.0.1']);
  return serveWebhooks({
    ...{ cert, key },
    handlers: {
      '/': ({ request: { name, userInfo } }) => ({
        allowed: name !== 'hooked',
        status: { message: `${userInfo.username} may not call it ${name}` },
      }),
    },
  });
}
