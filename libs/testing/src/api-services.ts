import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { issueServing, type CertificatePair } from '@apichain/serving/certificates';
import type { RestClient } from '@apichain/client';
import {
  errorMessage,
  isStatusError,
  newInternalError,
  newNotFound,
  poll,
  type KubeObject,
  type Status,
} from '@apichain/meta';
import { applyObjects } from './apply.ts';

/** The user that made the request, as the chain passes it on in the X-Remote- headers. */
export interface ApiServiceUser {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
}

/** Serves one request below `/apis/GROUP/VERSION/`. If the handler throws, the response is an HTTP 500. */
export type ApiServiceHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  user: ApiServiceUser,
) => void | Promise<void>;

/** A resource, with the fields that it has in an APIResourceList. */
export interface ApiServiceResource {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly singularName?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

/** An extension API server: an APIService of the chain, and a handler in this process or a port that serves it. */
export interface ApiServiceOptions {
  readonly group: string;
  readonly version: string;
  /** The resources that discovery lists for the group-version. With a handler, the discovery document is served for it. */
  readonly resources?: readonly ApiServiceResource[];
  /** Serves the group-version over HTTPS; only the chain can connect. Either this or `port`. */
  readonly handler?: ApiServiceHandler;
  /** The port on 127.0.0.1 of a server of the test. Its certificate must be issued by `chain.issueServing` for `host`. */
  readonly port?: number;
  /** Defaults: 1000 and 15. */
  readonly groupPriorityMinimum?: number;
  readonly versionPriority?: number;
}

const namespace = 'default';

/** The Service that an APIService refers to, and the host name that its certificate must be valid for. */
function apiServiceHost({ group, version }: { group: string; version: string }): {
  name: string;
  host: string;
} {
  const name = `${version}-${group.replaceAll('.', '-')}`.slice(0, 63);
  return { name, host: `${name}.${namespace}.svc` };
}

interface ApiServiceAuthorities {
  /** Issues the serving certificates. */
  readonly ca: CertificatePair;
  /** PEM text: the certificate authority of the chain's client certificate. Connections without such a certificate are refused. */
  readonly frontProxyCa: string;
}

/** The extension API servers of one chain. */
export class ApiServices {
  readonly #client: RestClient;
  readonly #authorities: ApiServiceAuthorities;
  readonly #servers: Server[] = [];

  constructor(client: RestClient, authorities: ApiServiceAuthorities) {
    this.#client = client;
    this.#authorities = authorities;
  }

  /** Resolves when the APIService is available and discovery lists its resources. Throws Error when this does not happen in time. */
  async add(options: ApiServiceOptions): Promise<void> {
    const { handler } = options;
    if ((handler === undefined) === (options.port === undefined))
      throw new RangeError('an API service needs either a handler or a port');
    const port = options.port ?? (await this.#serve(options, handler ?? (() => undefined)));
    const objects = objectsFor(options, port, this.#authorities.ca.certificate).map((object) => ({ object }));
    await applyObjects({ client: this.#client }, objects);
    await this.#waitUntilAvailable(options);
  }

  async close(): Promise<void> {
    await Promise.all(
      this.#servers.splice(0).map(
        (server) =>
          new Promise<void>((resolve) => {
            server.close(() => resolve());
            server.closeAllConnections();
          }),
      ),
    );
  }

  async #serve(options: ApiServiceOptions, handler: ApiServiceHandler): Promise<number> {
    const { host } = apiServiceHost(options);
    const { ca, frontProxyCa } = this.#authorities;
    const { certificate: cert, key } = await issueServing(ca, host.slice(0, 64), [host, 'localhost', '127.0.0.1']);
    const server = createServer(
      { cert, key, ca: frontProxyCa, requestCert: true, rejectUnauthorized: true },
      (request, response) => void serve(options, handler, { request, response }),
    );
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', resolve);
    });
    this.#servers.push(server);
    return (server.address() as AddressInfo).port;
  }

  async #waitUntilAvailable({ group, version, resources = [] }: ApiServiceOptions): Promise<void> {
    const name = `${version}.${group}`;
    const apiServices = { group: 'apiregistration.k8s.io', version: 'v1', resource: 'apiservices' };
    let message = '';
    await poll(
      () => `APIService ${name} is not available (${message})`,
      async () => {
        const { status } = await this.#client.get<ApiService>(apiServices, name);
        const condition = status?.conditions?.find(({ type }) => type === 'Available');
        message = condition?.message ?? '';
        return condition?.status === 'True';
      },
    );
    await poll(`discovery does not name the resources of ${group}/${version}`, async () => {
      const served = await this.#discover(`/apis/${group}/${version}`);
      return served !== undefined && resources.every((resource) => served.has(resource.name));
    });
  }

  /** The names of the served resources. Undefined while the chain does not route requests for the group-version yet. */
  async #discover(path: string): Promise<Set<string> | undefined> {
    try {
      const list = (await this.#client.request('GET', path)) as { resources?: { name: string }[] };
      return new Set((list.resources ?? []).map(({ name }) => name));
    } catch (error) {
      if (isStatusError(error) && (error.code === 404 || error.code === 503)) return undefined;
      throw error;
    }
  }
}

interface ApiService extends KubeObject {
  status?: { conditions?: { type: string; status: string; message?: string }[] };
}

function objectsFor(options: ApiServiceOptions, port: number, ca: string): KubeObject[] {
  const { group, version, groupPriorityMinimum = 1000, versionPriority = 15 } = options;
  const { name } = apiServiceHost(options);
  return [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace },
      spec: { type: 'ExternalName', externalName: 'localhost' },
    },
    {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: `${version}.${group}` },
      spec: {
        ...{ group, version, groupPriorityMinimum, versionPriority },
        caBundle: Buffer.from(ca).toString('base64'),
        service: { namespace, name, port },
      },
    },
  ];
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

async function serve(
  { group, version, resources }: ApiServiceOptions,
  handler: ApiServiceHandler,
  { request, response }: Exchange,
): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'https://extension');
  const root = `/apis/${group}/${version}`;
  if (pathname === root && resources !== undefined) {
    const named = resources.map((resource) => ({ singularName: '', ...resource }));
    send(response, 200, {
      ...{ kind: 'APIResourceList', apiVersion: 'v1', groupVersion: `${group}/${version}`, resources: named },
    });
    return;
  }
  if (pathname !== root && !pathname.startsWith(`${root}/`)) {
    sendStatus(response, newNotFound({ group, resource: '' }, '').status);
    return;
  }
  try {
    await handler(request, response, userOf(request));
  } catch (error) {
    const { status } = newInternalError(errorMessage(error));
    if (response.headersSent) response.destroy();
    else sendStatus(response, status);
  }
}

function userOf({ headers }: IncomingMessage): ApiServiceUser {
  const text = (name: string) => String(headers[name] ?? '');
  return {
    name: text('x-remote-user'),
    uid: text('x-remote-uid'),
    // Node joins repeated headers with commas.
    groups: text('x-remote-group')
      .split(',')
      .map((group) => group.trim())
      .filter((group) => group !== ''),
  };
}

const sendStatus = (response: ServerResponse, status: Status) => send(response, status.code ?? 500, status);

function send(response: ServerResponse, code: number, document: object): void {
  response.writeHead(code, { 'content-type': 'application/json' });
  response.end(JSON.stringify(document));
}
