import { readFileSync } from 'node:fs';
import { resolve, dirname, join } from 'node:path';
import { defineConfig, type MarkdownRenderer } from 'vitepress';
import { sequenceDiagram } from './sequence-diagram.ts';
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
  transformHead: ({ siteData: { base } }) => [
    ['link', { rel: 'icon', type: 'image/svg+xml', href: `${base}icon.svg` }],
  ],
  markdown: {
    config: drawDiagrams,
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
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
    notFound: { linkText: 'The first page', linkLabel: 'The first page', quote: 'No page has this address.' },
  },
  vite: { logLevel: 'warn', build: { chunkSizeWarningLimit: 4096 } },
});

/**
 * Makes VitePress draw blocks of Mermaid's sequence diagrams, put SVG files of the pages into them, so that they take the colours of the page,
 * and write the name of a file above its block.
 */
function drawDiagrams(md: MarkdownRenderer): void {
  const { fence, image } = md.renderer.rules;
  if (fence === undefined || image === undefined) throw new Error('VitePress renders neither blocks nor images');
  md.renderer.rules.fence = (tokens, index, options, env: { path?: string }, self) => {
    const token = tokens[index];
    const info = token?.info.trim() ?? '';
    if (info === 'mermaid') return framed(sequenceDiagram(token?.content ?? ''));
    const file = /\bfile=(\S+)/.exec(info)?.[1];
    const title = file === undefined ? '' : `<p class="file-name">${md.utils.escapeHtml(file)}</p>\n`;
    if (token !== undefined) token.info = info.replace(/ .*/, '');
    return title + fence(tokens, index, options, env, self);
  };
  md.renderer.rules.image = (tokens, index, options, env: { path?: string }, self) => {
    const source = tokens[index]?.attrGet('src') ?? '';
    if (!source.endsWith('.svg') || env.path === undefined) return image(tokens, index, options, env, self);
    const svg = readFileSync(join(dirname(env.path), source), 'utf8');
    return framed(svg.replace(/<style>.*?<\/style>/s, '').replaceAll(/\n\s*/g, ' '));
  };
}

/** On a narrow screen a diagram scrolls in its frame, so that its texts can be read. */
const framed = (svg: string) => `<span class="diagram-frame">${svg}</span>\n`;
