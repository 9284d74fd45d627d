import type { Registry } from 'prom-client';
import type { PathHandler, PathMux } from './path-mux.ts';
import { installDebugFlags } from './profiling/debug-flags.ts';
import { installProfiling } from './profiling/pprof-endpoints.ts';
import { writeRawJson } from './responses.ts';
import { serverVersion, type VersionInfo } from './version.ts';
import { flagz } from './zpages/flagz.ts';
import { statusz } from './zpages/statusz.ts';
import { zPageHandler } from './zpages/zpage.ts';

/** The pages that a server has about itself: `--profiling`, and the feature gates ComponentStatusz and ComponentFlagz. */
export interface DebugPages {
  /** `/debug/pprof/`, `/debug/flags/v`, and that `DELETE /metrics` resets what was counted. */
  readonly profiling: boolean;
  readonly statusz: boolean;
  /** What `/flagz` shows; undefined = the page is not there. */
  readonly flags?: () => Readonly<Record<string, string>>;
}

export interface SystemPathsOptions {
  readonly metrics: Registry;
  /** What `/metrics/slis` shows. */
  readonly slis: Registry;
  readonly pages: DebugPages;
  readonly version?: VersionInfo;
  /** `PUT /debug/flags/v`. */
  readonly setVerbosity: (verbosity: number) => void;
}

/** What every server of the chain answers itself: `/`, `/version`, `/metrics`, pages for those who look for a fault. */
export function installSystemPaths(paths: PathMux, options: SystemPathsOptions): void {
  const { pages, version = serverVersion } = options;
  for (const path of ['/version', '/version/']) {
    paths.handle(path, (_context, _request, response) => writeRawJson(response, 200, version), path === '/version');
  }
  const listedPaths = () => paths.listedPaths();
  for (const path of ['/', '/index.html']) {
    paths.handle(path, (_context, _request, response) => writeRawJson(response, 200, { paths: listedPaths() }), false);
  }
  paths.handle('/metrics', metricsHandler(options.metrics, pages.profiling));
  paths.handle('/metrics/slis', metricsHandler(options.slis, pages.profiling));
  if (pages.statusz) paths.handle('/statusz', zPageHandler(statusz(version, listedPaths)));
  if (pages.flags !== undefined) paths.handle('/flagz', zPageHandler(flagz(pages.flags)));
  if (pages.profiling) {
    installProfiling(paths);
    installDebugFlags(paths, options.setVerbosity);
  }
}

function metricsHandler(registry: Registry, resets: boolean): PathHandler {
  return async (_context, request, response) => {
    if (resets && request.method === 'DELETE') {
      registry.resetMetrics();
      response.end('metrics reset\n');
      return;
    }
    const body = await registry.metrics();
    response.setHeader('Content-Type', registry.contentType);
    response.end(body);
  };
}
