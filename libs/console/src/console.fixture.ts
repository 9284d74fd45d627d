import http, { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { AuthorizationAttributes } from '@apichain/authz';
import { AuthenticationUnavailableError, bearerToken, type UserInfo } from '@apichain/authn';
import { newForbidden } from '@apichain/meta';
import type { RequestRecord } from '@apichain/request';
import type { Assets } from './assets.ts';
import { ConsoleServer } from './console-server.ts';
import type { Identity } from './identity.ts';
import { RecentRequests } from './recent-requests.ts';
import { SessionAuthenticator } from './session-authenticator.ts';
import { Sessions } from './sessions.ts';

export const user = (name: string): UserInfo => ({ name, uid: '', groups: ['system:authenticated'], extra: {} });

/** The identity of a user whose token is the name. */
export const identity = (name: string, more: Partial<Identity> = {}): Identity => ({
  owner: { user: user(name), credential: { token: name } },
  user: user(name),
  impersonation: [],
  expiresAt: undefined,
  ...more,
});

const page = { type: 'text/html; charset=utf-8', bytes: Buffer.from('<p>'), compressed: Buffer.from('c'), tag: '"t"' };
const assets: Assets = new Map([['index.html', page]]);

export const record = (name: string, uri: string, code = 200): RequestRecord => ({
  auditID: uri,
  receivedAt: 0,
  milliseconds: 1,
  user: name,
  userAgent: 'test',
  verb: 'get',
  method: 'GET',
  uri,
  code,
  answeredBy: 'aggregator',
  services: [],
});

export interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A console whose API and users are those of a test. The users admin, jane, bob and eve have tokens that are their names. */
export class TestConsole {
  readonly sessions: Sessions;
  readonly requests: RecentRequests;
  readonly server: ConsoleServer;
  readonly authenticator: SessionAuthenticator;
  now = 1_000;
  /** The tokens that are no longer valid. */
  readonly revoked = new Set<string>();
  /** When tokens expire. */
  expiry: number | undefined;
  /** What the API got. */
  received: IncomingHttpHeaders | undefined;
  origin = '';

  private constructor() {
    this.sessions = new Sessions({ codeMs: 100, sessionMs: 1_000, sessionsOfUser: 2, maxSessions: 4 }, () => this.now);
    const userOf = (token: string) => {
      if (token === 'later') throw new AuthenticationUnavailableError('the webhook does not respond');
      if (token === 'expired' || this.revoked.has(token)) throw new Error('the token is not valid');
      return ['admin', 'jane', 'bob', 'eve'].includes(token) ? user(token) : undefined;
    };
    const tokens = {
      authenticateToken: (token: string) => {
        const found = userOf(token);
        return found && { user: found, ...(this.expiry === undefined ? {} : { expiresAt: this.expiry }) };
      },
    };
    const others = { authenticate: (request: IncomingMessage) => userOf(bearerToken(request) ?? '') };
    this.authenticator = new SessionAuthenticator(this.sessions, others, tokens);
    this.requests = new RecentRequests(3);
    this.server = new ConsoleServer({
      port: 0,
      assets,
      sessions: this.sessions,
      api: {
        messages: {},
        serve: (request, response) => {
          this.received = request.headers;
          this.serve(response);
        },
      },
      authenticator: this.authenticator,
      impersonate: ({ headers }, { user: owner }) => {
        const { 'impersonate-user': wanted } = headers;
        if (typeof wanted !== 'string') return Promise.resolve(owner);
        if (owner.name === 'admin') return Promise.resolve(user(wanted));
        return Promise.reject(newForbidden({ group: '', resource: 'users' }, wanted, 'nobody is impersonated'));
      },
      authorizer: {
        authorize: ({ user: asked, path }: AuthorizationAttributes) => ({
          decision: asked.name === 'admin' && path === '/console/requests' ? 'Allow' : 'NoOpinion',
          reason: '',
        }),
      },
      requests: this.requests,
    });
  }

  static async start(): Promise<TestConsole> {
    const test = new TestConsole();
    await test.server.listen();
    test.origin = test.server.url.slice(0, -1);
    return test;
  }

  /** What the API does with a request. */
  serve: (response: ServerResponse) => void = (response) => response.end('the API');

  close(): void {
    this.server.close();
  }

  async ask(path: string, headers: Record<string, string> = {}, method = 'GET', body = ''): Promise<Received> {
    const { promise, resolve, reject } = Promise.withResolvers<Received>();
    const outgoing = http.request(`${this.origin}${path}`, { method, headers, agent: false }, (response) => {
      const { statusCode: status = 0, headers: got } = response;
      text(response).then((read) => resolve({ status, headers: got, body: read }), reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
    return promise;
  }

  logIn(credential: object): Promise<Received> {
    return this.ask('/console/session', { origin: this.origin }, 'POST', JSON.stringify(credential));
  }

  /** The headers of a page that has logged in. */
  async session(name: string): Promise<Record<string, string>> {
    return this.pageOf(await this.logIn({ code: this.sessions.invite(identity(name)).code }));
  }

  /** The headers of a page that logged in with this response. */
  pageOf({ headers, body }: Received): Record<string, string> {
    return {
      origin: this.origin,
      cookie: headers['set-cookie']?.[0]?.split(';')[0] ?? '',
      'x-console-proof': (JSON.parse(body) as { proof: string }).proof,
    };
  }

  /** Who a request is of for the API that received it. */
  async receivedFrom(): Promise<string | undefined> {
    const { authorization } = this.received ?? {};
    const request = Object.assign(new http.IncomingMessage(new Socket()), { headers: { authorization } });
    return (await this.authenticator.authenticate(request))?.name;
  }
}
