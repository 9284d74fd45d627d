import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseJson } from '@apichain/meta';
import type { Registry } from 'prom-client';
import type { DelegatedDocument, DelegationTarget } from '@apichain/delegation';
import { mergeExpositions, mergeWorkers } from '@apichain/observability';
import type { Worker } from '@apichain/workers';
import { jsonMediaType } from '@apichain/request';
import type { PathHandler, PathMux } from '@apichain/request';
import { checkRoute, scopeOf } from '@apichain/request';
import { installDebugFlags } from '@apichain/observability';
import { installProfiling, installV8Profiling } from '@apichain/observability';
import { writeRawJson } from '@apichain/request';
import { serverVersion, type VersionInfo } from '@apichain/request';
import { flagz } from '@apichain/observability';
import { statusz } from '@apichain/observability';
import { zPageHandler } from '@apichain/observability';

/** The debug pages that a server serves: `--profiling`, and the feature gates ComponentStatusz and ComponentFlagz. */
export interface DebugPages {
  /** Serves `/debug/pprof/`, `/debug/v8/` and `/debug/flags/v`; `DELETE /metrics` resets the metrics. */
  readonly profiling: boolean;
  /** `--heap-snapshots`: with profiling, clients may read snapshots of the heap. */
  readonly heapSnapshots?: boolean;
  readonly statusz: boolean;
  /** The flags that `/flagz` shows; undefined = the page is not served. */
  readonly flags?: () => Readonly<Record<string, string>>;
}

interface SystemPathsOptions {
  /** The name of the service. */
  readonly name: string;
  /** This process, when several serve together: their metrics are those of one server. */
  readonly worker?: Worker;
  readonly metrics: Registry;
  /** The metrics of `/metrics/slis`. */
  readonly slis: Registry;
  readonly pages: DebugPages;
  readonly version?: VersionInfo;
  /** The next server of the chain. Its metrics are merged with this server's. */
  readonly delegate?: DelegationTarget;
  /** Passes a request to the next server. */
  readonly passOn: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** `PUT /debug/flags/v`. */
  readonly setVerbosity: (verbosity: number) => void;
}

/** In seconds. Scrapers detect a counter reset when this value changes. */
const startTime = Math.floor(Date.now() / 1000 - process.uptime());
/** In the response of `/metrics`: the name of the server that has written it, for the server in front of it. */
const componentHeader = 'X-Apichain-Component';
const versionMediaTypes = [jsonMediaType];

/** Installs the paths that every server of the chain serves itself: `/`, `/version`, `/metrics` and the debug pages. */
export function installSystemPaths(paths: PathMux, options: SystemPathsOptions): void {
  const { pages, version = serverVersion } = options;
  paths.handleRoute('/version', (_context, request, response) => {
    checkRoute(request, versionMediaTypes);
    writeRawJson(response, 200, version);
  });
  const listedPaths = () => paths.listedPaths();
  for (const path of ['/', '/index.html']) {
    paths.handle(path, indexHandler(listedPaths, options.delegate), false);
  }
  paths.handle('/metrics', metricsHandler('/metrics', options.metrics, options));
  paths.handle('/metrics/slis', metricsHandler('/metrics/slis', options.slis, options));
  if (pages.statusz) paths.handle('/statusz', zPageHandler(statusz(version, listedPaths)));
  if (pages.flags !== undefined) paths.handle('/flagz', zPageHandler(flagz(pages.flags)));
  if (pages.profiling) {
    installProfiling(paths);
    installV8Profiling(paths, {
      component: options.name,
      heapSnapshots: pages.heapSnapshots === true,
      ...(options.delegate && { passOn: (_context, request, response) => options.passOn(request, response) }),
    });
    installDebugFlags(paths, options.setVerbosity);
  }
}

/** Lists the paths of this server and of the next servers. */
function indexHandler(own: () => string[], delegate: DelegationTarget | undefined): PathHandler {
  return async (_context, _request, response) => {
    const others = delegate === undefined ? [] : await pathsOf(delegate);
    writeRawJson(response, 200, { paths: [...new Set([...own(), ...others])].sort() });
  };
}

/** Empty when the next server cannot be reached. */
async function pathsOf(delegate: DelegationTarget): Promise<readonly string[]> {
  const index = await documentOf(delegate, '/');
  if (index === undefined) return [];
  const { paths } = parseJson(index.body.toString()) as { readonly paths?: readonly string[] };
  return paths ?? [];
}

function metricsHandler(path: string, registry: Registry, options: SystemPathsOptions): PathHandler {
  const { name, worker, delegate, pages, passOn } = options;
  const question = `${name} ${path}`;
  worker?.respond(question, () => registry.metrics());
  worker?.respond(`${question} reset`, () => {
    registry.resetMetrics();
    return '';
  });
  const ownMetrics = async (): Promise<string> => {
    if (worker === undefined) return registry.metrics();
    const [text, replies] = await Promise.all([registry.metrics(), worker.ask(question)]);
    return mergeWorkers([{ worker: worker.index, text }, ...replies]);
  };
  return async (_context, request, response) => {
    if (pages.profiling && request.method === 'DELETE') {
      registry.resetMetrics();
      await worker?.ask(`${question} reset`);
      response.setHeader('Content-Type', 'text/plain; charset=utf-8');
      if (delegate === undefined) response.end('metrics reset\n');
      else await passOn(request, response);
      return;
    }
    const own = await ownMetrics();
    const others = delegate === undefined ? undefined : await metricsOf(delegate, path);
    response.setHeader('Content-Type', `${registry.contentType}; escaping=underscores`);
    response.setHeader('Process-Start-Time-Unix', startTime);
    if (scopeOf(request).delegated) response.setHeader(componentHeader, options.name);
    response.end(others === undefined ? own : mergeExpositions(own, others));
  };
}

/** The metrics of the next servers. Undefined when the next server cannot be reached. */
async function metricsOf(delegate: DelegationTarget, path: string) {
  const document = await documentOf(delegate, path);
  if (document === undefined) return undefined;
  const isOfThisProcess = delegate.serves !== undefined;
  const name = document.headers[componentHeader.toLowerCase()] ?? '';
  return { text: document.body.toString(), component: isOfThisProcess ? undefined : name };
}

/** Undefined when the next server cannot be reached: this server still responds with its own part. */
async function documentOf(delegate: DelegationTarget, path: string): Promise<DelegatedDocument | undefined> {
  try {
    const document = await delegate.fetch(path);
    return document.status === 200 ? document : undefined;
  } catch {
    return undefined;
  }
}
