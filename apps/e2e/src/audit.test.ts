import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Chain, runUp, startChain, waitFor } from './chain.ts';
import { call } from './http.ts';
import { freePort } from '@apichain/meta';

interface Event {
  readonly kind?: string;
  readonly stage: string;
  readonly auditID: string;
  readonly verb: string;
  readonly user: { readonly username?: string };
  readonly objectRef?: { readonly resource: string; readonly name?: string };
  readonly responseStatus?: { readonly code: number; readonly reason?: string };
  readonly requestObject?: Readonly<Record<string, unknown>>;
  readonly responseObject?: unknown;
  readonly annotations?: Readonly<Record<string, string>>;
}

const policy = `
apiVersion: audit.k8s.io/v1
kind: Policy
rules:
  - level: Metadata
    resources: [{group: authorization.k8s.io}]
  - level: None
    users: ["system:apiserver"]
  - level: RequestResponse
    resources:
      - group: ""
        resources: [configmaps]
      - group: apiextensions.k8s.io
  - level: Metadata
    omitStages: [RequestReceived]
`;

/** A server that records every body sent with POST. */
class Webhook {
  readonly events: Event[] = [];
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const list = JSON.parse(Buffer.concat(chunks).toString()) as { kind: string; items: Event[] };
        assert.equal(list.kind, 'EventList');
        assert.equal(request.url, '/audit?for=test');
        this.events.push(...list.items);
        response.end();
      });
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/audit?for=test`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

const kubeconfig = (server: string) => `
apiVersion: v1
kind: Config
clusters: [{name: sink, cluster: {server: "${server}"}}]
users: [{name: api, user: {}}]
contexts: [{name: audit, context: {cluster: sink, user: api}}]
current-context: audit
`;

const configMaps = '/api/v1/namespaces/default/configmaps';
const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { x: 'ü' } };
const crd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'ships.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'ships', kind: 'Ship' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};

for (const [mode, flags] of [
  ['three services', []],
  ['one process', ['--in-process', '--memory']],
] as const) {
  describe(`auditing of ${mode}`, () => {
    let directory: string;
    let chain: Chain;
    let log: string;
    const webhook = new Webhook();
    const events = () =>
      readFileSync(log, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Event);

    before(async function () {
      this.timeout(480_000);
      directory = mkdtempSync(join(tmpdir(), 'apichain-audit-'));
      log = join(directory, 'logs', 'audit.log');
      const file = (name: string, text: string) => {
        writeFileSync(join(directory, name), text);
        return join(directory, name);
      };
      chain = await startChain({
        args: [
          ...flags,
          '--controllers=-*',
          '--authorization-mode=RBAC',
          `--audit-policy-file=${file('policy.yaml', policy)}`,
          `--audit-log-path=${log}`,
          `--audit-webhook-config-file=${file('webhook.kubeconfig', kubeconfig(await webhook.listen()))}`,
        ],
      });
    });
    after(async () => {
      webhook.close();
      await chain?.stop();
      rmSync(directory, { recursive: true, force: true });
    });

    /** The events of a request, once its last event has been recorded. That may be after the client has received the response. */
    const about = async (auditID: string | string[] | undefined) => {
      const known = () => events().filter((event) => event.auditID === auditID);
      await waitFor(
        () => known().some(({ stage, responseStatus: status }) => stage === 'ResponseComplete' || status?.code === 401),
        5_000,
        () => `no event tells how ${String(auditID)} was answered`,
      );
      return known();
    };

    it('has one event a stage, whichever service serves the request', async () => {
      for (const [path, body] of [
        [configMaps, configMap],
        [crds, crd],
      ] as const) {
        const response = await call(chain, 'POST', path, { body: JSON.stringify(body) });
        assert.equal(response.status, 201, response.text);
        const [received, complete, ...others] = await about(response.headers['audit-id']);
        assert.deepEqual(others, []);
        assert.deepEqual([received?.stage, complete?.stage], ['RequestReceived', 'ResponseComplete']);
        assert.equal(complete?.user.username, 'kubernetes-admin');
        assert.equal(complete.objectRef?.name, body.metadata.name);
        assert.equal(complete.responseStatus?.code, 201);
        assert.deepEqual(complete.responseObject, response.json());
        assert.equal(complete.annotations?.['authorization.k8s.io/decision'], 'allow');
      }
      const sent = (kind: string) =>
        events().flatMap(({ requestObject: object }) => (object?.['kind'] === kind ? [object] : []));
      assert.deepEqual(sent('ConfigMap'), [configMap]);
      const names = sent('CustomResourceDefinition')[0]?.['spec'] as { names: object };
      assert.deepEqual(names.names, { ...crd.spec.names, singular: 'ship', listKind: 'ShipList' });
    });

    it('includes refusals and annotations of kube-core', async () => {
      const refused = await call(chain, 'GET', '/api/v1/namespaces/default/secrets/none');
      const [complete, ...others] = await about(refused.headers['audit-id']);
      assert.deepEqual(others, []);
      assert.deepEqual(
        [complete?.stage, complete?.responseStatus?.code, complete?.responseStatus?.reason],
        ['ResponseComplete', 404, 'NotFound'],
      );
      const deprecated = await call(chain, 'GET', '/api/v1/namespaces/default/endpoints');
      const [listed] = await about(deprecated.headers['audit-id']);
      assert.equal(listed?.annotations?.['k8s.io/deprecated'], 'true');
    });

    it('includes access reviews of callers, not those of the chain itself', async () => {
      const pods = await call(chain, 'GET', '/api/v1/pods', { admin: false });
      assert.equal(pods.status, 403);
      const [refused] = await about(pods.headers['audit-id']);
      assert.equal(refused?.annotations?.['authorization.k8s.io/decision'], 'forbid');
      const spec = { user: 'bob', nonResourceAttributes: { path: '/', verb: 'get' } };
      const review = await call(chain, 'POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', {
        body: JSON.stringify({ apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec }),
      });
      await about(review.headers['audit-id']);
      const asked = events().filter(({ objectRef }) => objectRef?.resource === 'subjectaccessreviews');
      assert.deepEqual(new Set(asked.map(({ auditID }) => auditID)), new Set([review.headers['audit-id']]));
    });

    it('includes requests that fail authentication', async () => {
      const headers = { authorization: 'Bearer wrong' };
      const response = await call(chain, 'GET', configMaps, { admin: false, headers });
      assert.equal(response.status, 401);
      const [event, ...others] = await about(response.headers['audit-id']);
      assert.deepEqual(others, []);
      assert.deepEqual([event?.stage, event?.user, event?.responseStatus?.code], ['ResponseStarted', {}, 401]);
    });

    it('counts events and levels', async () => {
      const { text } = await call(chain, 'GET', '/metrics');
      assert.match(text, /^apiserver_audit_event_total [1-9]/m);
      assert.match(text, /^apiserver_audit_level_total\{level="RequestResponse"\} [1-9]/m);
    });

    it('sends the remaining events to the webhook at shutdown', async () => {
      assert.equal(await chain.stop(), 0);
      const key = ({ auditID, stage }: Event) => `${auditID} ${stage}`;
      assert.deepEqual(webhook.events.map(key).sort(), events().map(key).sort());
      assert.equal(webhook.events[0]?.kind, undefined);
    });
  });
}

describe('auditing that cannot start', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'apichain-audit-'));
    mkdirSync(join(directory, 'data'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  it('is refused in one line', async () => {
    const path = join(directory, 'policy.yaml');
    writeFileSync(path, 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- level: Everything\n');
    const port = await freePort();
    const child = runUp([
      '--in-process',
      '--memory',
      `--data-dir=${join(directory, 'data')}`,
      `--secure-port=${port}`,
      `--audit-policy-file=${path}`,
      '--audit-log-path=-',
    ]);
    let stderr = '';
    child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    assert.equal(await new Promise((resolve) => child.once('close', resolve)), 1);
    assert.equal(
      stderr,
      `apichain: loading audit policy file: rules[0].level: Unsupported value: "Everything": supported values: "None", "Metadata", "Request", "RequestResponse": from file ${path} (see apichain up --help)\n`,
    );
  });
});
