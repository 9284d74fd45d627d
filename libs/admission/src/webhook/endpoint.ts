import type { WebhookClientConfig } from '@apichain/api/admissionregistration/v1';
import { isSet } from '@apichain/meta';
import { Agent, type RequestOptions } from 'node:https';
import { caBundleProblem } from '@apichain/schema';
import type { WebhookUsers } from './users.ts';

const maxConnections = 64;
const maxIdleConnections = 8;
const idleMs = 60_000;

/** A webhook that there can be no connection to, whatever it would answer. */
export class UnusableClientError extends Error {}

/** One webhook's connections and how they are made. */
export interface Endpoint {
  /** `https://name.namespace.svc:443/path`, as errors show it. */
  readonly url: URL;
  readonly agent: Agent;
  readonly service?: { readonly namespace: string; readonly name: string; readonly port: number };
  readonly tls: Pick<RequestOptions, 'ca' | 'servername' | 'cert' | 'key'>;
  /** The header that says who calls. */
  readonly authorization?: string;
}

/** What a `clientConfig` says. Throws UnusableClientError. */
export function endpointOf({ url, service, caBundle }: WebhookClientConfig): Endpoint {
  const problem = (caBundle ?? '') === '' ? undefined : caBundleProblem(caBundle ?? '');
  if (problem !== undefined) throw new UnusableClientError(problem);
  const ca = (caBundle ?? '') === '' ? {} : { ca: Buffer.from(caBundle ?? '', 'base64') };
  const agent = new Agent({
    keepAlive: true,
    maxSockets: maxConnections,
    maxFreeSockets: maxIdleConnections,
    timeout: idleMs,
    allowPartialTrustChain: true,
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

/** The endpoint with what the server shows there of itself. */
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

/** Whether the address is the one that the webhook's Service stands for. */
export const isServiceAddress = ({ service }: Endpoint, url: URL): boolean =>
  service !== undefined && url.hostname === `${service.name}.${service.namespace}.svc` && portOf(url) === service.port;

/** Where the address is when it is none of a Service. */
export const directLocation = (url: URL): { readonly host: string; readonly port: number } => ({
  host: url.hostname.replace(/^\[|\]$/g, ''),
  port: portOf(url),
});

/** As Go prints the URL: with the port of a Service always, of a URL as it was given. */
export function shownUrl(endpoint: Endpoint, url: URL): string {
  const host = isServiceAddress(endpoint, url) ? `${url.hostname}:${portOf(url)}` : url.host;
  return `${url.protocol}//${host}${url.pathname}${url.search}`;
}
