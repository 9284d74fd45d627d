import { once } from 'node:events';
import http, { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { errorMessage } from '@apichain/meta';
import { parseQuery, writeText } from '@apichain/request';

/** The path of the console at which a page follows several watches of the API. */
export const watchesPath = '/console/watches';

/** More than the kinds of any page. */
const maxWatches = 48;
/** Bytes of a refusal that are read: more than any Status about a watch. */
const maxRefusal = 64 * 1024;

/** The headers that make a request one of a session, and those that choose the representation. */
const passedOn = ['host', 'cookie', 'x-console-proof', 'accept'] as const;

/** Why a watch has ended: the status code, 200 when the server ended it, and the body of a refusal. */
interface End {
  readonly code: number;
  readonly message?: string;
}

/**
 * `/console/watches?path=...&path=...`: several watches over one connection, because browsers open no more than six to a server that speaks HTTP/1.1.
 * Each `path` is the path and query of a watch. The response has a JSON document in each line, `watch` being the index of the path:
 *
 * - `{"watch": 0, "event": {"type": "ADDED", "object": ...}}`
 * - `{"watch": 0, "end": {"code": 403, "message": "..."}}`
 *
 * A path may also be that of a log of a pod. Its events are the lines, as JSON strings.
 *
 * Each watch is a request of its own to the console at `port`, with the session of `request`: it passes the same checks as without this path.
 */
export async function joinWatches(request: IncomingMessage, response: ServerResponse, port: number): Promise<void> {
  const paths = parseQuery(request.url).all('path') ?? [];
  const problem = request.method === 'GET' ? problemOf(paths) : 'only GET is served';
  if (problem !== undefined) {
    writeText(response, 400, `${problem}\n`);
    return;
  }
  const closed = new AbortController();
  response.once('close', () => closed.abort());
  // Each watch waits for the response to drain.
  response.setMaxListeners(maxWatches + 1);
  response.writeHead(200, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
  response.flushHeaders();
  const send = async (text: string) => {
    if (!response.write(text)) await once(response, 'drain', { signal: closed.signal });
  };
  const headers = Object.fromEntries(
    passedOn.map((name) => [name, request.headers[name]]).filter(([, value]) => value !== undefined),
  ) as IncomingHttpHeaders;
  const follow = async (path: string, watch: number) => {
    const end = await forward({ path, port, headers, signal: closed.signal }, (events) =>
      send(
        events.map((event) => `{"watch":${watch},"event":${isLog(path) ? JSON.stringify(event) : event}}\n`).join(''),
      ),
    ).catch((error: unknown): End => ({ code: 502, message: errorMessage(error) }));
    if (!closed.signal.aborted) await send(`${JSON.stringify({ watch, end })}\n`);
  };
  // A page that is gone is no error: what it has not read is dropped.
  await Promise.allSettled(paths.map(follow));
  response.end();
}

function problemOf(paths: readonly string[]): string | undefined {
  if (paths.length === 0 || paths.length > maxWatches) return `from 1 to ${maxWatches} paths are expected`;
  const other = paths.find((path) => !isWatch(path) && !isLog(path));
  return other === undefined ? undefined : `${JSON.stringify(other)} is not the path of a watch or a log`;
}

const isWatch = (path: string): boolean =>
  /^\/apis?\/[\x21-\x7e]+$/.test(path) && parseQuery(path).boolean('watch') === true;

const isLog = (path: string): boolean =>
  /^\/api\/v1\/namespaces\/[^/?]+\/pods\/[^/?]+\/log(?:\?[\x21-\x7e]*)?$/.test(path);

interface Watch {
  readonly path: string;
  readonly port: number;
  readonly headers: IncomingHttpHeaders;
  readonly signal: AbortSignal;
}

/** Passes the lines of a watch or a log on until it ends. Rejects with the error of the connection. */
async function forward(watch: Watch, send: (lines: readonly string[]) => Promise<void>): Promise<End> {
  const upstream = await open(watch);
  upstream.setEncoding('utf8');
  const code = upstream.statusCode ?? 0;
  if (code !== 200) return { code, message: await beginningOf(upstream) };
  let rest = '';
  for await (const chunk of upstream as AsyncIterable<string>) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    const whole = lines.filter((line) => line !== '');
    if (whole.length > 0) await send(whole);
  }
  // A program may end within a line.
  if (rest !== '' && isLog(watch.path)) await send([rest]);
  return { code };
}

function open({ path, port, headers, signal }: Watch): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const options = { host: '127.0.0.1', port, path, headers, signal, agent: false };
  http.get(options, resolve).on('error', reject);
  return promise;
}

async function beginningOf(upstream: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of upstream as AsyncIterable<string>) {
    text += chunk;
    if (text.length > maxRefusal) break;
  }
  return text.slice(0, maxRefusal);
}
