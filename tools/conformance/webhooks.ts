import type { ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { isRecord } from '@apichain/meta';
import { createCA, issueServing } from '@apichain/serving/certificates';
import { secureServer, type StandIn } from '../servers/stand-ins.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Returns the response of a webhook to the request of a review. A number is sent as an HTTP status without a review. */
type Handler = (request: Fields) => Fields | number;

const patch = (...operations: readonly Fields[]) => ({
  allowed: true,
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
});

/** The webhooks, by the last segment of their path. */
const handlers: Readonly<Record<string, Handler>> = {
  allow: () => ({ allowed: true }),
  warn: () => ({ allowed: true, warnings: ['take care', 'and once more'] }),
  deny: () => ({ allowed: false, status: { message: 'not here', reason: 'Forbidden', code: 403 } }),
  'deny-plainly': () => ({ allowed: false }),
  'deny-teapot': () => ({ allowed: false, status: { message: 'short and stout', code: 418 } }),
  label: () => patch({ op: 'add', path: '/metadata/labels', value: { mutated: 'yes' } }),
  value: () => patch({ op: 'add', path: '/data/mutated', value: 'yes' }),
  'bad-patch': () => patch({ op: 'remove', path: '/not/there' }),
  broken: () => 500,
};

/** The webhooks that scenarios register, on one HTTPS server that the servers under test call. */
export class Webhooks {
  readonly url: string;
  /** The certificate authority of the server, as base64 of PEM, which is the format of `caBundle`. */
  readonly caBundle: string;
  readonly #server: StandIn;
  readonly #received: Map<string, unknown[]>;

  private constructor(url: string, caBundle: string, server: StandIn, received: Map<string, unknown[]>) {
    this.url = url;
    this.caBundle = caBundle;
    this.#server = server;
    this.#received = received;
  }

  /**
   * `host` is the address at which the servers under test reach this machine. The webhooks listen on it, on a free port. Rejects when the
   * address does not belong to this machine.
   */
  static async start(host: string): Promise<Webhooks> {
    const ca = await createCA('conformance-webhook-ca');
    const serving = await issueServing(ca, 'conformance-webhooks', [host]);
    const received = new Map<string, unknown[]>();
    const tls = { cert: serving.certificate, key: serving.key };
    const server = await secureServer(
      tls,
      (request, response) => void text(request).then((body) => respond(request.url ?? '', body, received, response)),
      host,
    );
    return new Webhooks(
      `https://${host}:${server.port}`,
      Buffer.from(ca.certificate).toString('base64'),
      server,
      received,
    );
  }

  /** The reviews that the webhook at a path has received so far, in order. */
  received(path: string): readonly unknown[] {
    return this.#received.get(path) ?? [];
  }

  close(): Promise<void> {
    return this.#server.close();
  }
}

function respond(url: string, body: string, received: Map<string, unknown[]>, response: ServerResponse): void {
  const path = url.split('?')[0] ?? '';
  const review = JSON.parse(body) as { apiVersion: string; kind: string; request: Fields };
  received.set(path, [...(received.get(path) ?? []), review]);
  const name = path.split('/').at(-1) ?? '';
  const result = name === 'convert' ? convert(review.request) : handlers[name]?.(review.request);
  if (result === undefined || typeof result === 'number') {
    response.writeHead(result ?? 404).end();
    return;
  }
  response.writeHead(200, { 'content-type': 'application/json' });
  const { apiVersion, kind, request } = review;
  response.end(JSON.stringify({ apiVersion, kind, response: { uid: request['uid'], ...result } }));
}

/** Converts custom resources: `spec.size` of v1 is `spec.length` in v2. */
function convert(request: Fields): Fields {
  const objects = Array.isArray(request['objects']) ? (request['objects'] as unknown[]) : [];
  const wanted = request['desiredAPIVersion'];
  const isSecond = String(wanted).endsWith('/v2');
  const convertedObjects = objects.filter(isRecord).map((object) => {
    const { size, length, ...rest } = isRecord(object['spec']) ? object['spec'] : {};
    const value = size ?? length;
    const spec = { ...rest, ...(value === undefined ? {} : { [isSecond ? 'length' : 'size']: value }) };
    return { ...object, apiVersion: wanted, spec };
  });
  return { result: { status: 'Success' }, convertedObjects };
}
