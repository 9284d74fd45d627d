import { RestClient, type TransportRequest } from '@apichain/client';
import { deepEqual, isRecord, parseJson, stringifyJson, type KubeObject } from '@apichain/meta';

/** A core API in memory: just enough of it for registrations. Server-side apply replaces what the applied object contains. */
export class CoreApi {
  /** By path. */
  readonly objects = new Map<string, KubeObject>();
  readonly requests: string[] = [];
  /** Discovery of extension servers, by path. */
  readonly documents = new Map<string, unknown>();
  servesServices = true;
  user = { username: 'jane', groups: ['developers'] };
  /** The Available condition of an APIService. */
  available: (apiService: KubeObject) => { status: string; message: string } = () => ({ status: 'True', message: '' });
  /** Is called before each request. What it throws is the failure of the connection. */
  before: (request: TransportRequest) => void = () => undefined;
  #revision = 0;

  readonly client = new RestClient({
    send: async (request) => {
      this.before(request);
      this.requests.push(`${request.method} ${request.path}`);
      const [status, body] = this.#respond(request);
      const text = Buffer.from(stringifyJson(body));
      const chunks = {
        dump: async () => undefined,
        [Symbol.asyncIterator]: async function* () {
          yield text;
        },
      };
      return { status, headers: {}, body: chunks };
    },
    close: async () => undefined,
  });

  /** The object of a kind and name. */
  find(kind: string, name: string): KubeObject | undefined {
    return [...this.objects.values()].find((object) => object.kind === kind && object.metadata.name === name);
  }

  /** Stores an object as another client would. */
  store(path: string, object: KubeObject): KubeObject {
    const uid = this.objects.get(path)?.metadata.uid ?? `uid-${++this.#revision}`;
    const metadata = { ...object.metadata, uid, resourceVersion: String(++this.#revision) };
    const stored = { ...object, metadata };
    this.objects.set(path, stored);
    return stored;
  }

  #respond({ method, path: target, body }: TransportRequest): [number, unknown] {
    const { pathname: path, searchParams } = new URL(target, 'https://core');
    const sent = body === undefined ? undefined : (parseJson(body) as KubeObject);
    if (path.endsWith('/selfsubjectreviews')) return [201, { ...sent, status: { userInfo: this.user } }];
    if (path === '/api/v1') return [200, this.#discovery()];
    const document = this.documents.get(path);
    if (document !== undefined) return [200, document];
    if (!this.servesServices && /\/(services|endpointslices)(\/|$)/.test(path)) return refusal(404, 'NotFound');
    const present = this.objects.get(path);
    if (method === 'GET' && searchParams.has('labelSelector')) return [200, this.#list(path, searchParams)];
    if (method === 'POST' && sent !== undefined) {
      const own = `${path}/${sent.metadata.name}`;
      return this.objects.has(own) ? refusal(409, 'AlreadyExists') : [201, this.store(own, sent)];
    }
    if (method === 'PATCH' && sent !== undefined) return this.#apply(path, sent);
    if (present === undefined) return refusal(404, 'NotFound');
    if (method === 'PUT' && sent !== undefined) {
      const isCurrent = sent.metadata.resourceVersion === present.metadata.resourceVersion;
      return isCurrent ? [200, this.store(path, sent)] : refusal(409, 'Conflict');
    }
    if (method === 'DELETE') {
      const { preconditions } = (sent ?? {}) as { preconditions?: { uid?: string } };
      if (preconditions?.uid !== present.metadata.uid) return refusal(409, 'Conflict');
      this.objects.delete(path);
      return [200, { kind: 'Status', status: 'Success' }];
    }
    return [200, this.#withStatus(present)];
  }

  #discovery() {
    const names = ['namespaces', ...(this.servesServices ? ['services'] : [])];
    const resources = names.map((name) => ({ name }));
    return { kind: 'APIResourceList', groupVersion: 'v1', resources };
  }

  #apply(path: string, sent: KubeObject): [number, unknown] {
    const present = this.objects.get(path);
    if (present === undefined) return [201, this.store(path, sent)];
    const merged = merge(present, sent) as KubeObject;
    return [200, deepEqual(merged, present) ? present : this.store(path, merged)];
  }

  #list(path: string, query: URLSearchParams) {
    const wanted = (query.get('labelSelector') ?? '').split(',').map((label) => label.split('='));
    const [, prefix = '', resource = ''] = /^(.*)\/([^/]+)$/.exec(path) ?? [];
    const items = [...this.objects]
      .filter(([at]) => at.startsWith(`${prefix}/`) && at.split('/').at(-2) === resource)
      .map(([, object]) => object)
      .filter(({ metadata }) => wanted.every(([label = '', value]) => metadata.labels?.[label] === value));
    return { apiVersion: items[0]?.apiVersion ?? 'v1', kind: 'List', metadata: {}, items };
  }

  #withStatus(object: KubeObject): KubeObject {
    if (object.kind !== 'APIService') return object;
    return { ...object, status: { conditions: [{ type: 'Available', ...this.available(object) }] } };
  }
}

function merge(present: unknown, sent: unknown): unknown {
  if (!isRecord(present) || !isRecord(sent)) return sent;
  const merged: Record<string, unknown> = { ...present };
  for (const [name, value] of Object.entries(sent)) merged[name] = merge(present[name], value);
  return merged;
}

const refusal = (code: number, reason: string): [number, unknown] => [
  code,
  { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', reason, code, message: `${reason} here` },
];
