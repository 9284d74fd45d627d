import type { Plugin } from 'esbuild';

/**
 * What packages load with themselves and no program here calls, by the folder of the package that names it: modules, or its own files. In bundles
 * each is an empty module. With what they need in turn they are 1.1 MB of text, a quarter of what the start of a chain loads, and some MB of
 * memory. Whoever begins to use such a part gets a TypeError from the bundle and removes it here.
 */
const unused: Readonly<Record<string, readonly string[]>> = {
  // Parsers of bodies with their character sets, static files, parsers of nested queries.
  'express/lib': ['body-parser', 'qs', 'serve-static'],
  // The media types of file names.
  'mime-types': ['mime-db'],
  // Log lines that go through worker threads.
  'pino/lib': ['thread-stream'],
  // Metrics of its own choice, with OpenTelemetry's API; metrics of clusters of Node; metrics that are sent; quantiles.
  'prom-client': ['./lib/cluster', './lib/defaultMetrics', './lib/pushgateway', './lib/summary'],
};

/** Leaves the unused parts of packages out of a bundle. */
export const unusedParts: Plugin = {
  name: 'unused-parts',
  setup(bundler) {
    const namespace = 'unused-part';
    for (const [folder, modules] of Object.entries(unused))
      for (const module of modules)
        bundler.onResolve({ filter: new RegExp(`^${module}$`) }, ({ path, resolveDir }) =>
          resolveDir.endsWith(`/node_modules/${folder}`) ? { path: `${folder}/${path}`, namespace } : undefined,
        );
    bundler.onLoad({ filter: /./, namespace }, () => ({ contents: 'module.exports = {};' }));
  },
};
