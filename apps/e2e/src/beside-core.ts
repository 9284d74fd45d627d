import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApiServer, defineResource, Type, type RunningApiServer } from '@apichain/extension-server';
import { freePort } from '@apichain/meta';
import { createCA, issueServing } from '@apichain/serving/certificates';
import { Accounts, namespace, type Account } from './accounts.ts';
import { startChain, type Chain } from './chain.ts';
import { call, type HttpResponse } from './http.ts';
import { startWebhooks, type TestWebhooks } from './webhook-server.ts';

export const group = 'wardle.example.com';
/** The path of the flunders in a namespace. */
export const path = (inNamespace: string): string => `/apis/${group}/v1/namespaces/${inNamespace}/flunders`;
export const flunder = (name: string, fields: Record<string, unknown> = {}): string =>
  JSON.stringify({ apiVersion: `${group}/v1`, kind: 'Flunder', metadata: { name }, ...fields });
export const mayUseFlunders = { apiGroups: [group], resources: ['flunders'], verbs: ['get', 'list', 'create'] };

/** An extension API server beside a chain, whose API it uses: alice may use flunders, a stranger may not. */
export class BesideCore {
  readonly #directory = mkdtempSync(join(tmpdir(), 'apichain-core-api-'));
  readonly accounts = new Accounts(() => this.chain);
  #port = 0;
  #chain: Chain | undefined;
  #started:
    | {
        readonly extension: FlunderServer;
        readonly alice: Account;
        readonly stranger: Account;
        readonly servingCa: string;
      }
    | undefined;
  #webhooks: TestWebhooks | undefined;

  get chain(): Chain {
    if (this.#chain === undefined) throw new Error('the chain is not started');
    return this.#chain;
  }

  /** Another chain on the same port, which the test has started. */
  set chain(chain: Chain) {
    this.#chain = chain;
  }

  get extension(): FlunderServer {
    return this.#parts.extension;
  }

  get alice(): Account {
    return this.#parts.alice;
  }

  get stranger(): Account {
    return this.#parts.stranger;
  }

  get servingCa(): string {
    return this.#parts.servingCa;
  }

  get webhooks(): TestWebhooks {
    if (this.#webhooks === undefined) throw new Error('the webhooks are not started');
    return this.#webhooks;
  }

  get #parts() {
    if (this.#started === undefined) throw new Error('the extension API server is not started');
    return this.#started;
  }

  async start(): Promise<void> {
    this.#port = await freePort();
    this.#chain = await this.startCore();
    this.#webhooks = await startWebhooks();
    const { accounts } = this;
    await accounts.make('/api/v1/namespaces', { metadata: { name: namespace } });
    const server = await accounts.account(
      'server',
      { apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: ['admissionregistration.k8s.io'], resources: ['*'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: ['flowcontrol.apiserver.k8s.io'], resources: ['*'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
      { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
    );
    await accounts.make('/apis/rbac.authorization.k8s.io/v1/namespaces/kube-system/rolebindings', {
      metadata: { name: 'wardle-auth-reader' },
      roleRef: {
        apiGroup: 'rbac.authorization.k8s.io',
        kind: 'Role',
        name: 'extension-apiserver-authentication-reader',
      },
      subjects: [{ kind: 'ServiceAccount', namespace, name: 'server' }],
    });
    const alice = await accounts.account('alice', mayUseFlunders);
    const stranger = await accounts.account('stranger');
    const ca = await createCA('wardle-ca');
    const pair = await issueServing(ca, 'wardle', ['localhost', '127.0.0.1', 'wardle.default.svc']);
    const [certificate, key] = [join(this.#directory, 'tls.crt'), join(this.#directory, 'tls.key')];
    writeFileSync(certificate, pair.certificate);
    writeFileSync(key, pair.key);
    const extension = await startFlunderServer([
      ...this.kubeconfigFlags(this.kubeconfigOf('server', server)),
      `--tls-cert-file=${certificate}`,
      `--tls-private-key-file=${key}`,
      '--authorization-webhook-cache-unauthorized-ttl=100ms',
    ]);
    this.#started = { extension, alice, stranger, servingCa: ca.certificate };
    await extension.ready();
  }

  async stop(): Promise<void> {
    this.#webhooks?.close();
    await this.#started?.extension.close();
    await this.#chain?.stop();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  /** A chain with the same data, on the same port each time. */
  async startCore(): Promise<Chain> {
    const args = ['--in-process', `--secure-port=${this.#port}`];
    const started = await startChain({ dataDirectory: join(this.#directory, 'data'), args });
    return { ...started, url: `https://127.0.0.1:${this.#port}` };
  }

  /** A kubeconfig of a service account. */
  kubeconfigOf(name: string, account: Account): string {
    const file = join(this.#directory, `${name}.kubeconfig`);
    const token = join(this.#directory, `${name}.token`);
    writeFileSync(token, account.token);
    writeFileSync(join(this.#directory, 'ca.crt'), this.chain.admin.ca);
    const cluster = { server: `https://127.0.0.1:${this.#port}`, 'certificate-authority': 'ca.crt' };
    const config = {
      clusters: [{ name: 'core', cluster }],
      users: [{ name: 'server', user: { tokenFile: token } }],
      contexts: [{ name: 'core', context: { cluster: 'core', user: 'server' } }],
      'current-context': 'core',
    };
    writeFileSync(file, JSON.stringify(config));
    return file;
  }

  kubeconfigFlags(file: string): string[] {
    return ['kubeconfig', 'authentication-kubeconfig', 'authorization-kubeconfig'].map((flag) => `--${flag}=${file}`);
  }

  /** A request to the extension API server itself. */
  direct(
    method: string,
    target: string,
    { as, body, headers }: { as?: Account; body?: string; headers?: Record<string, string> } = {},
  ): Promise<HttpResponse> {
    return call(this.#extensionServer, method, target, {
      admin: false,
      headers: { ...(as === undefined ? {} : { authorization: `Bearer ${as.token}` }), ...headers },
      body,
    });
  }

  asAdmin(method: string, target: string, body?: string): Promise<HttpResponse> {
    return call(this.#extensionServer, method, target, body === undefined ? {} : { body });
  }

  get #extensionServer() {
    const { extension, servingCa } = this.#parts;
    return { url: extension.url, admin: { ...this.chain.admin, ca: servingCa } };
  }
}

const flunders = defineResource({
  ...{ group: 'wardle.example.com', version: 'v1', kind: 'Flunder', plural: 'flunders', scope: 'Namespaced' },
  schema: Type.Object({ color: Type.Optional(Type.String()) }),
});

/** An extension API server in this process. */
interface FlunderServer extends Pick<RunningApiServer, 'url' | 'ready' | 'close'> {
  readonly port: number;
  /** The lines of its log. */
  readonly log: readonly string[];
}

/** Starts an extension API server of flunders, in memory, with the access and the admission of the core API. Resolves when it listens. */
export async function startFlunderServer(argv: readonly string[]): Promise<FlunderServer> {
  const log: string[] = [];
  const server = createApiServer({ name: 'wardle', resources: [flunders] });
  const flags = ['--memory', '--bind-address=127.0.0.1', '--secure-port=0', ...argv];
  const running = await server.start(flags, { log: (line) => log.push(line) });
  return { ...running, log, port: Number(new URL(running.url).port) };
}
