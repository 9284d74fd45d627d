import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorMessage, parseJson } from '@apichain/meta';
import { AuthenticationUnavailableError } from '@apichain/authn';
import { writeRawJson, writeText } from '@apichain/request';
import type { SessionAuthenticator } from './session-authenticator.ts';
import { TooManySessionsError, type Session, type Sessions } from './sessions.ts';

const proofHeader = 'x-console-proof';
/** Bytes of a body: more than the largest token. */
const maxBody = 64 * 1024;
const bodyTimeoutMs = 10_000;
const cookieOfPort = /^apichain-console-(\d{1,5})$/;
/** Other consoles that a page is told of. */
const maxOthers = 32;

/** The name of the cookie of the console at this port: cookies do not belong to a port. */
export const cookieNameAt = (port: number): string => `apichain-console-${port}`;

/**
 * `/console/session`: POST logs in with `{"code": ...}` or `{"token": ...}`, GET says who is logged in, DELETE logs out. A session has two halves: a
 * cookie that scripts cannot read, and a proof that the page sends in a header. Browsers send the cookie to every port of this host, and the proof
 * to none but the console's.
 */
export class SessionEndpoint {
  readonly #sessions: Sessions;
  readonly #authenticator: SessionAuthenticator;
  /** Differs from that of other consoles on this machine. */
  cookieName = cookieNameAt(0);

  constructor(sessions: Sessions, authenticator: SessionAuthenticator) {
    this.#sessions = sessions;
    this.#authenticator = authenticator;
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    response.setHeader('Cache-Control', 'no-store');
    this.#serve(request, response).catch((error: unknown) => {
      const isLater = error instanceof AuthenticationUnavailableError || error instanceof TooManySessionsError;
      writeText(response, isLater ? 503 : 400, `${errorMessage(error)}\n`);
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'POST') {
      const session = await this.#begin(await readFields(request));
      if (session === undefined) writeText(response, 401, 'the code or token is not valid\n');
      else await this.#welcome(session, request, response);
      return;
    }
    const session = this.sessionOf(request);
    if (session === undefined) writeText(response, 401, 'not logged in\n');
    else if (request.method === 'GET') await this.#describe(session, request, response);
    else if (request.method === 'DELETE') {
      this.#sessions.end(session);
      response.setHeader('Set-Cookie', `${this.cookieName}=; Max-Age=0; HttpOnly; SameSite=Strict; Path=/`);
      response.writeHead(204).end();
    } else writeText(response, 405, 'Method Not Allowed\n');
  }

  async #begin({ code, token }: Readonly<Record<string, unknown>>): Promise<Session | undefined> {
    if (typeof code === 'string') return this.#sessions.redeem(code);
    if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token)) return undefined;
    const identity = await this.#authenticator.identityOfToken(token);
    return identity && this.#sessions.begin(identity);
  }

  async #welcome(session: Session, request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('Set-Cookie', `${this.cookieName}=${session.id}; HttpOnly; SameSite=Strict; Path=/`);
    await this.#describe(session, request, response, { proof: session.proof });
  }

  async #describe(
    session: Session,
    request: IncomingMessage,
    response: ServerResponse,
    more: object = {},
  ): Promise<void> {
    if (!(await this.#isValid(session))) {
      writeText(response, 401, 'the credential of the session is no longer valid\n');
      return;
    }
    const { identity, expiresAt } = session;
    const { owner, user } = identity;
    const impersonator = identity.impersonation.length === 0 ? {} : { impersonator: owner.user.name };
    const shown = { user: { name: user.name, groups: user.groups }, ...impersonator, expiresAt };
    writeRawJson(response, 200, { ...more, ...shown, otherPorts: this.#otherPorts(request) });
  }

  /** The ports of other consoles of this machine in which the browser has logged in: it sends the cookies of all ports to each. */
  #otherPorts({ headers }: IncomingMessage): readonly number[] {
    const names = (headers.cookie ?? '').split(/; */).map((pair) => pair.split('=', 1)[0] ?? '');
    const ports = names.filter((name) => name !== this.cookieName).map((name) => cookieOfPort.exec(name)?.[1]);
    return [...new Set(ports.filter((port) => port !== undefined).map(Number))].slice(0, maxOthers);
  }

  async #isValid(session: Session): Promise<boolean> {
    try {
      await this.#authenticator.ownerOf(session);
      return true;
    } catch (error) {
      if (error instanceof AuthenticationUnavailableError) throw error;
      return false;
    }
  }

  /** The session of a request; undefined without both of its halves. */
  sessionOf({ headers }: IncomingMessage): Session | undefined {
    const proof = headers[proofHeader];
    const id = cookieOf(headers.cookie ?? '', this.cookieName);
    return typeof proof === 'string' && id !== undefined ? this.#sessions.find(id, proof) : undefined;
  }
}

/** Before the proof in a subprotocol: the headers of a WebSocket cannot be set by scripts. */
const proofProtocol = 'apichain-console-proof.';

/**
 * Makes the proof of a session among the subprotocols of a WebSocket a header as in other requests, and takes it out of what is sent on. Returns whether
 * there was one.
 */
export function takeProofOfWebSocket({ headers, rawHeaders }: IncomingMessage): boolean {
  const protocols = (headers['sec-websocket-protocol'] ?? '').split(',').map((protocol) => protocol.trim());
  const proof = protocols.find((protocol) => protocol.startsWith(proofProtocol));
  if (proof === undefined) return false;
  const others = protocols.filter((protocol) => protocol !== proof).join(', ');
  headers['sec-websocket-protocol'] = others;
  for (let i = 0; i + 1 < rawHeaders.length; i += 2)
    if (rawHeaders[i]?.toLowerCase() === 'sec-websocket-protocol') rawHeaders[i + 1] = others;
  headers[proofHeader] = proof.slice(proofProtocol.length);
  return true;
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
