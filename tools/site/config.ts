import { resolve } from 'node:path';
import { defineConfig } from 'vitepress';
import { drawDiagrams } from './diagrams.ts';
import { navigation, sidebar } from './structure.ts';

const repository = resolve(import.meta.dirname, '../..');

/** The configuration of VitePress. https://vitepress.dev/reference/site-config */
export default defineConfig({
  title: 'apichain',
  description: 'The Kubernetes API server chain in TypeScript',
  lang: 'en',
  srcDir: resolve(repository, 'dist/site/pages'),
  cacheDir: resolve(repository, 'node_modules/.cache/vitepress'),
  lastUpdated: false,
  markdown: { config: drawDiagrams },
  themeConfig: {
    nav: navigation,
    sidebar,
    outline: { level: [2, 3] },
    search: {
      provider: 'local',
      options: {
        // A page whose front matter says `search: false` is not found: it shows a file.
        _render: (source, env, md) => {
          const html = md.render(source, env);
          return env.frontmatter?.['search'] === false ? '' : html;
        },
      },
    },
    externalLinkIcon: true,
  },
  vite: { logLevel: 'warn', build: { chunkSizeWarningLimit: 4096 } },
});
