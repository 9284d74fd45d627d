import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';
import { sequenceDiagram } from './sequence-diagram.ts';

/**
 * Makes VitePress draw blocks of Mermaid's sequence diagrams, put SVG files of the pages into them, so that they take the colours of the page,
 * and write the name of a file above its block.
 */
export function drawDiagrams(md: MarkdownRenderer): void {
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
