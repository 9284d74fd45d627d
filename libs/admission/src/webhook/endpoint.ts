import type { WebhookClientConfig } from '@apichain/api/admissionregistration/v1';
import { isSet } from '@apichain/meta';
import { Agent, type RequestOptions } from 'node:https';
import { caBundleProblem } from '@apichain/schema';
import { serverVerification } from '@apichain/x509';
import type { WebhookUsers } from './users.ts';

const maxConnections = 64;
const maxIdleConnections = 8;
const idleMs = 60_000;

/** No connection to the webhook is possible, because its `clientConfig` is unusable. */
export class UnusableClientError extends Error {}

/** The address of a webhook, and its connections. */
export interface Endpoint {
  /** `https://name.namespace.svc:443/path`, as errors show it. */
  readonly url: URL;
  readonly agent: Agent;
  readonly service?: { readonly namespace: string; readonly name: string; readonly port: number };
  readonly tls: Pick<RequestOptions, 'ca' | 'servername' | 'cert' | 'key'>;
  /** The Authorization header that authenticates this server. */
  readonly authorization?: string;
}

/** The endpoint that a `clientConfig` describes. Throws UnusableClientError. */
export function endpointOf({ url, service, caBundle }: WebhookClientConfig): Endpoint {
  const problem = (caBundle ?? '') === '' ? undefined : caBundleProblem(caBundle ?? '');
  if (problem !== undefined) throw new UnusableClientError(problem);
  const ca = (caBundle ?? '') === '' ? {} : { ca: Buffer.from(caBundle ?? '', 'base64') };
  const agent = new Agent({
    keepAlive: true,
    maxSockets: maxConnections,
    maxFreeSockets: maxIdleConnections,
    timeout: idleMs,
    ...serverVerification,
  });
  if (!isSet(service)) {
    const target = new URL(url ?? '');
    return { url: target, agent, tls: ca };
  }
  const namespace = service.namespace ?? '';
  const name = service.name ?? '';
  const port = service.port ?? 443;
  const servername = `${name}.${namespace}.svc`;
  const path = service.path ?? '';
  const target = new URL(`https://${servername}:${port}`);
  const [pathname = '', ...query] = path.split('?');
  target.pathname = pathname === '' ? '/' : pathname;
  if (query.length > 0) target.search = query.join('?');
  return { url: target, agent, service: { namespace, name, port }, tls: { ...ca, servername } };
}

/** The endpoint with the credentials that this server uses there. */
export function asUser(endpoint: Endpoint, users: WebhookUsers | undefined): Endpoint {
  const { url, service } = endpoint;
  const user = users?.(`${url.hostname}:${service?.port ?? portOf(url)}`);
  if (user === undefined) return endpoint;
  const { cert, key, authorization } = user;
  return {
    ...endpoint,
    tls: { ...endpoint.tls, ...(cert === undefined ? {} : { cert }), ...(key === undefined ? {} : { key }) },
    ...(authorization === undefined ? {} : { authorization }),
  };
}

const portOf = ({ port, protocol }: URL): number => (port === '' ? (protocol === 'http:' ? 80 : 443) : Number(port));

/** Whether the URL has the host and port of the webhook's Service. */
export const isServiceAddress = ({ service }: Endpoint, url: URL): boolean =>
  service !== undefined && url.hostname === `${service.name}.${service.namespace}.svc` && portOf(url) === service.port;

/** The host and port of a URL that is not that of a Service. */
export const directLocation = (url: URL): { readonly host: string; readonly port: number } => ({
  host: url.hostname.replace(/^\[|\]$/g, ''),
  port: portOf(url),
});

/** The URL as Go prints it: always with the port for a Service, otherwise as it was given. */
export function shownUrl(endpoint: Endpoint, url: URL): string {
  const host = isServiceAddress(endpoint, url) ? `${url.hostname}:${portOf(url)}` : url.host;
  return `${url.protocol}//${host}${url.pathname}${url.search}`;
}
