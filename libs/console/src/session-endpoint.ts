import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorMessage, parseJson } from '@apichain/meta';
import {
  AuthenticationUnavailableError,
  withAuthenticatedGroup,
  type TokenAuthenticator,
  type UserInfo,
} from '@apichain/authn';
import { writeRawJson, writeText } from '@apichain/request';
import type { Session, Sessions } from './sessions.ts';

const proofHeader = 'x-console-proof';
/** Bytes of a body: more than the largest token. */
const maxBody = 64 * 1024;
const bodyTimeoutMs = 10_000;

/**
 * `/console/session`: POST logs in with `{"code": ...}` or `{"token": ...}`, GET says who is logged in, DELETE logs out. A session has two halves: a
 * cookie that scripts cannot read, and a proof that the page sends in a header. Browsers send the cookie to every port of this host, and the proof
 * to none but the console's.
 */
export class SessionEndpoint {
  readonly #sessions: Sessions;
  readonly #tokens: TokenAuthenticator | undefined;
  /** Differs from that of other consoles on this machine, because cookies do not belong to a port. */
  cookieName = 'apichain-console';

  constructor(sessions: Sessions, tokens: TokenAuthenticator | undefined) {
    this.#sessions = sessions;
    this.#tokens = tokens;
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    response.setHeader('Cache-Control', 'no-store');
    this.#answer(request, response).catch((error: unknown) => {
      const status = error instanceof AuthenticationUnavailableError ? 503 : 400;
      writeText(response, status, `${errorMessage(error)}\n`);
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'POST') {
      const session = await this.#begin(await readFields(request));
      if (session === undefined) writeText(response, 401, 'the code or token is not valid\n');
      else await this.#welcome(session, response);
      return;
    }
    const session = this.sessionOf(request);
    if (session === undefined) writeText(response, 401, 'not logged in\n');
    else if (request.method === 'GET') await this.#describe(session, response);
    else if (request.method === 'DELETE') {
      this.#sessions.end(session);
      response.setHeader('Set-Cookie', `${this.cookieName}=; Max-Age=0; HttpOnly; SameSite=Strict; Path=/`);
      response.writeHead(204).end();
    } else writeText(response, 405, 'Method Not Allowed\n');
  }

  async #begin({ code, token }: Readonly<Record<string, unknown>>): Promise<Session | undefined> {
    if (typeof code === 'string') return this.#sessions.redeem(code);
    if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token)) return undefined;
    return (await this.#userOfToken(token)) === undefined ? undefined : this.#sessions.begin({ token });
  }

  async #welcome(session: Session, response: ServerResponse): Promise<void> {
    response.setHeader('Set-Cookie', `${this.cookieName}=${session.id}; HttpOnly; SameSite=Strict; Path=/`);
    await this.#describe(session, response, { proof: session.proof });
  }

  async #describe(session: Session, response: ServerResponse, more: object = {}): Promise<void> {
    const user = await this.userOf(session);
    if (user === undefined) {
      this.#sessions.end(session);
      writeText(response, 401, 'the token is no longer valid\n');
      return;
    }
    const { name, groups } = user;
    writeRawJson(response, 200, { ...more, user: { name, groups }, expiresAt: session.expiresAt });
  }

  /** The session of a request; undefined without both of its halves. */
  sessionOf({ headers }: IncomingMessage): Session | undefined {
    const proof = headers[proofHeader];
    const id = cookieOf(headers.cookie ?? '', this.cookieName);
    return typeof proof === 'string' && id !== undefined ? this.#sessions.find(id, proof) : undefined;
  }

  /** The user of a session. Undefined when its token is no longer valid. */
  async userOf({ credential }: Session): Promise<UserInfo | undefined> {
    return 'user' in credential ? credential.user : this.#userOfToken(credential.token);
  }

  async #userOfToken(token: string): Promise<UserInfo | undefined> {
    try {
      const user = (await this.#tokens?.authenticateToken(token))?.user;
      return user === undefined ? undefined : withAuthenticatedGroup(user);
    } catch (error) {
      // Any other error says that the token is of a known kind and not valid.
      if (error instanceof AuthenticationUnavailableError) throw error;
      return undefined;
    }
  }
}

function cookieOf(header: string, name: string): string | undefined {
  const pair = header.split(/; */).find((text) => text.startsWith(`${name}=`));
  return pair?.slice(name.length + 1);
}

/** Reads a JSON object. Throws Error when the body is something else, too large or too slow. */
async function readFields(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const late = setTimeout(() => request.destroy(new Error('the body did not arrive in time')), bodyTimeoutMs);
  try {
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of request as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > maxBody) throw new Error(`the body is longer than ${maxBody} bytes`);
      chunks.push(chunk);
    }
    const value = parseJson(Buffer.concat(chunks).toString());
    if (typeof value !== 'object' || value === null) throw new Error('a JSON object is expected');
    return { ...value };
  } finally {
    clearTimeout(late);
  }
}
