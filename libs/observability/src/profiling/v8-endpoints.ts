import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { goQuote } from '@apichain/go-text';
import { newBadRequest, newForbidden, newGenericNotFound, newTooManyRequests, StatusError } from '@apichain/meta';
import { newMethodNotAllowed, scopeOf, writeStatusError, type PathHandler, type PathMux } from '@apichain/request';
import { heapSnapshot, ProfilingInUse, recordCpu } from './v8-profiles.ts';

interface V8ProfilingOptions {
  /** The name of this server, with which a request names it. */
  readonly component: string;
  /** Whether clients may read heap snapshots. The debug socket always may. */
  readonly heapSnapshots: boolean;
  /** Passes a request for another server of the chain on. Absent for the last server. */
  readonly passOn?: PathHandler;
}

const root = '/debug/v8/';
const defaultSeconds = 30;
/** V8 keeps a sample for each millisecond until the end. */
const maxSeconds = 300;
/** A client that does not read a snapshot keeps its memory, which is more than that of the heap. */
const maxSnapshotMs = 300_000;
const microsecondsPerSample = 1_000;

/**
 * Serves profiles of this process in the formats of V8, which Chrome's developer tools and editors open: `/debug/v8/profile`, where the processor time
 * goes during `seconds`, as `.cpuprofile`, and `/debug/v8/heap`, a snapshot of the heap, as `.heapsnapshot`. One is made at a time. `component` names a
 * later server of the chain instead. A snapshot stops the process while it is taken and has all keys and tokens in it, so clients need
 * `--heap-snapshots` for it.
 */
export function installV8Profiling(paths: PathMux, options: V8ProfilingOptions): void {
  const profiles: readonly (readonly [string, Serve])[] = [
    ['profile', serveCpuProfile],
    ['heap', (request, response) => serveHeapSnapshot(request, response, options)],
  ];
  for (const [name, serve] of profiles) paths.handle(root + name, handlerOf(serve, options), false);
}

type Serve = (request: IncomingMessage, response: ServerResponse, component: string) => Promise<void>;

const handlerOf =
  (serve: Serve, { component, passOn }: V8ProfilingOptions): PathHandler =>
  async (context, request, response) => {
    const asked = scopeOf(request).query.text('component');
    try {
      if (request.method !== 'GET') throw newMethodNotAllowed();
      if (asked === '' || asked === component) await serve(request, response, component);
      else if (passOn === undefined) throw newGenericNotFound();
      else await passOn(context, request, response);
    } catch (error) {
      if (error instanceof ProfilingInUse) writeStatusError(request, response, newTooManyRequests(error.message, 10));
      else if (error instanceof StatusError) writeStatusError(request, response, error);
      else throw error;
    }
  };

async function serveCpuProfile(request: IncomingMessage, response: ServerResponse, component: string): Promise<void> {
  const { query, signal } = scopeOf(request);
  const text = query.text('seconds');
  const seconds = text === '' ? defaultSeconds : Number(text);
  if (!(seconds > 0 && seconds <= maxSeconds))
    throw newBadRequest(`seconds: ${goQuote(text)} is not a number above 0 and up to ${maxSeconds}`);
  const profile = await recordCpu(seconds * 1_000, microsecondsPerSample, signal);
  if (signal.aborted) return;
  writeHead(response, `${component}.cpuprofile`);
  response.end(JSON.stringify(profile));
}

async function serveHeapSnapshot(
  request: IncomingMessage,
  response: ServerResponse,
  { component, heapSnapshots }: V8ProfilingOptions,
): Promise<void> {
  if (!heapSnapshots && !scopeOf(request).isInternal)
    throw newForbidden({ group: '', resource: '' }, '', 'heap snapshots need --heap-snapshots, or the debug socket');
  await heapSnapshot(async (snapshot) => {
    writeHead(response, `${component}.heapsnapshot`);
    const sent = pipeline(snapshot, response, { signal: AbortSignal.timeout(maxSnapshotMs) });
    // The client has gone, or has not read the snapshot in time, which closes its connection.
    await sent.catch((error: unknown) => {
      if (!response.destroyed) throw error;
    });
  });
}

function writeHead(response: ServerResponse, filename: string): void {
  response.writeHead(200, {
    'Content-Type': 'application/octet-stream',
    'Content-Disposition': `attachment; filename="${filename}"`,
    'X-Content-Type-Options': 'nosniff',
  });
}
