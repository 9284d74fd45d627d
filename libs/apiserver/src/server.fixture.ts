import assert from 'node:assert/strict';
import https from 'node:https';
import { newNotFound } from '@apichain/meta';
import {
  AnonymousAuthenticator,
  ClientCertificateAuthenticator,
  RequestHeaderAuthenticator,
  UnionAuthenticator,
} from '@apichain/authn';
import {
  BearerTokenAuthenticator,
  StaticTokenAuthenticator,
  defaultRequestHeaders,
  parseCertificateBundle,
  systemPrivilegedGroup,
} from '@apichain/authn';
import { AlwaysAllowPathsAuthorizer, PrivilegedGroupsAuthorizer, UnionAuthorizer, alwaysDeny } from '@apichain/authz';
import { HttpDelegationTarget } from '@apichain/delegation';
import { pino } from 'pino';
import { createCA, issueClient, issueServing, type CertificatePair } from '@apichain/serving';
import { writeRawJson } from '@apichain/request';
import { GenericApiServer } from './server.ts';
import { defaultLimits, type ServerConfig } from './server-config.ts';

/** The throw-away certificates of one test run. */
export interface TestCertificates {
  readonly ca: CertificatePair;
  readonly serving: CertificatePair;
  readonly admin: CertificatePair;
  readonly bob: CertificatePair;
  readonly frontProxyCA: CertificatePair;
  readonly frontProxy: CertificatePair;
}

export async function createTestCertificates(): Promise<TestCertificates> {
  const ca = await createCA('test-ca');
  const frontProxyCA = await createCA('test-front-proxy-ca');
  return {
    ca,
    frontProxyCA,
    serving: await issueServing(ca, 'test', ['127.0.0.1', 'localhost']),
    admin: await issueClient(ca, 'admin', ['system:masters']),
    bob: await issueClient(ca, 'bob', ['dev', 'ops']),
    frontProxy: await issueClient(frontProxyCA, 'front-proxy'),
  };
}

export interface TestServer {
  readonly server: GenericApiServer;
  readonly url: string;
  readonly port: number;
  readonly logs: string[];
}

interface TestServerOptions extends Partial<ServerConfig> {
  readonly linkSocket?: string;
}

/** A server with every authenticator enabled. It authorizes only system:masters. */
export function createTestServer(certificates: TestCertificates, options: TestServerOptions = {}): TestServer {
  const logs: string[] = [];
  const { linkSocket, ...more } = options;
  const server = new GenericApiServer({
    name: 'test',
    serving: {
      bindAddress: '127.0.0.1',
      port: 0,
      certificate: certificates.serving.certificate,
      key: certificates.serving.key,
      clientCAs: [certificates.ca.certificate, certificates.frontProxyCA.certificate],
      maxConcurrentStreams: 100,
      linkSocket,
    },
    requestHeader: new RequestHeaderAuthenticator({
      clientCAs: parseCertificateBundle(certificates.frontProxyCA.certificate),
      allowedNames: ['front-proxy'],
      ...defaultRequestHeaders,
    }),
    authenticator: new UnionAuthenticator(
      [
        new ClientCertificateAuthenticator(parseCertificateBundle(certificates.ca.certificate)),
        new BearerTokenAuthenticator(
          new StaticTokenAuthenticator(new Map([['secret', { name: 'carol', uid: 'u1', groups: ['g'], extra: {} }]])),
        ),
      ],
      new AnonymousAuthenticator(),
    ),
    authorizer: new UnionAuthorizer([
      new PrivilegedGroupsAuthorizer(systemPrivilegedGroup),
      new AlwaysAllowPathsAuthorizer(['/healthz', '/livez', '/readyz', '/version']),
      alwaysDeny,
    ]),
    chainProxies: 'all',
    installer: () => {
      throw new Error('no installer in this test');
    },
    limits: defaultLimits,
    corsAllowedOrigins: [],
    strictTransportSecurityDirectives: [],
    logger: pino({ level: 'warn' }, { write: (line: string) => logs.push(line) }),
    ...more,
  });
  return { server, url: '', port: 0, logs };
}

export async function startTestServer(
  certificates: TestCertificates,
  more: TestServerOptions = {},
  prepare: (server: GenericApiServer) => void = () => undefined,
): Promise<TestServer> {
  const created = createTestServer(certificates, more);
  prepare(created.server);
  const { port } = await created.server.listen();
  return { ...created, port, url: `https://127.0.0.1:${port}` };
}

/** Certificates for the tests of a file, and servers that are closed after each test. */
export class TestServers {
  readonly #running: TestServer[] = [];
  #certificates: TestCertificates | undefined;

  constructor() {
    before(async () => {
      this.#certificates = await createTestCertificates();
    });
    afterEach(async () => {
      for (const { server } of this.#running.splice(0)) await server.shutdown();
    });
  }

  get certificates(): TestCertificates {
    if (this.#certificates === undefined) throw new Error('certificates are there from the first test on');
    return this.#certificates;
  }

  async start(more?: TestServerOptions, prepare?: (server: GenericApiServer) => void): Promise<TestServer> {
    const target = await startTestServer(this.certificates, more, prepare);
    this.#running.push(target);
    return target;
  }

  /** What a server before `next` in a chain forwards requests to: over TLS, as the front proxy. */
  linkTo(next: TestServer): HttpDelegationTarget {
    const { ca, frontProxy } = this.certificates;
    return new HttpDelegationTarget({
      url: next.url,
      ca: ca.certificate,
      clientCertificate: frontProxy.certificate,
      clientKey: frontProxy.key,
    });
  }
}

export interface ReceivedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  readonly text: string;
  /** The body as JSON. */
  readonly json: Record<string, unknown>;
}

export interface CallOptions {
  readonly method?: string;
  readonly headers?: Record<string, string | string[]>;
  readonly body?: string;
  /** Client certificate; undefined = none. */
  readonly as?: CertificatePair;
}

/** One HTTPS request on a new connection. */
export function call(target: TestServer, path: string, options: CallOptions = {}): Promise<ReceivedResponse> {
  return new Promise((resolve, reject) => {
    const request = https.request(
      `${target.url}${path}`,
      {
        method: options.method ?? 'GET',
        agent: false,
        rejectUnauthorized: false,
        headers: options.headers ?? {},
        ...(options.as === undefined ? {} : { cert: options.as.certificate, key: options.as.key }),
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const body = Buffer.concat(chunks);
          const text = body.toString();
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body,
            text,
            get json() {
              return JSON.parse(text) as Record<string, unknown>;
            },
          });
        });
      },
    );
    request.on('error', reject);
    request.end(options.body);
  });
}

/** Installs paths that return what the handler received. */
export function installEcho(server: GenericApiServer): void {
  server.paths.handle('/whoami', (context, request, response) =>
    writeRawJson(response, 200, { user: context.user, authorization: request.headers.authorization ?? null }),
  );
  server.paths.handle('/throws', () => Promise.reject(new Error('boom')));
  server.paths.handle('/status', () => Promise.reject(newNotFound({ group: 'apps', resource: 'deployments' }, 'x')));
  server.paths.handle('/slow', async (context) => {
    await new Promise((_resolve, reject) => {
      context.signal.addEventListener('abort', () => reject(context.signal.reason as Error));
    });
  });
  server.paths.handle('/warns', (context, _request, response) => {
    context.warn('do not "do" that');
    context.warn('do not "do" that');
    context.warn('größer');
    response.end(Buffer.from('ok'));
  });
  server.paths.handlePrefix('/echo/', (_context, request, response) => {
    request.pipe(response);
  });
}

/** A request that has its seat and keeps it until it is released. */
export async function occupy(target: TestServer, as: CallOptions['as']) {
  const [occupied, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  target.server.paths.handle('/held', async (_context, _request, response) => {
    occupied.resolve();
    await released.promise;
    response.end();
  });
  const response = call(target, '/held', { as });
  await occupied.promise;
  return {
    release: async () => {
      released.resolve();
      assert.equal((await response).status, 200);
    },
  };
}
