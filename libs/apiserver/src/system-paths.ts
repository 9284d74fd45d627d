import type { Registry } from 'prom-client';
import type { PathMux } from './path-mux.ts';
import { writeRawJson } from './responses.ts';
import { serverVersion, type VersionInfo } from './version.ts';

/** What every server of the chain answers itself: `/`, `/version`, `/metrics`. */
export function installSystemPaths(
  paths: PathMux,
  options: { readonly metrics: Registry; readonly version?: VersionInfo },
): void {
  const version = options.version ?? serverVersion;
  for (const path of ['/version', '/version/']) {
    paths.handle(path, (_context, _request, response) => writeRawJson(response, 200, version), path === '/version');
  }
  for (const path of ['/', '/index.html']) {
    paths.handle(
      path,
      (_context, _request, response) => writeRawJson(response, 200, { paths: paths.listedPaths() }),
      false,
    );
  }
  paths.handle('/metrics', async (_context, request, response) => {
    if (request.method === 'DELETE') {
      options.metrics.resetMetrics();
      response.end('metrics reset\n');
      return;
    }
    const body = await options.metrics.metrics();
    response.setHeader('Content-Type', options.metrics.contentType);
    response.end(body);
  });
}
