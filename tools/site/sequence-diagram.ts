/** The parts of Mermaid's sequence diagrams that the pages use. https://mermaid.js.org/syntax/sequenceDiagram.html */
interface Participant {
  readonly id: string;
  readonly label: string;
}
type Step =
  | {
      readonly kind: 'message';
      readonly from: number;
      readonly to: number;
      readonly text: string;
      readonly isReply: boolean;
    }
  | { readonly kind: 'note'; readonly from: number; readonly to: number; readonly text: string };

const lineHeight = 14;
/** Longer texts are broken into lines, so that a diagram is not wider than a page. */
const longestLine = 26;
const headHeight = 34;
const characterWidth = 6.6;
const padding = 26;
const margin = 12;

/**
 * Draws a sequence diagram as SVG, when the site is built: browsers load no library. It understands `participant A as Label`, `A->>B: text`,
 * `A-->>B: text` and `Note over A,B: text`. Throws Error for any other line, with its number.
 */
export function sequenceDiagram(source: string): string {
  const participants: Participant[] = [];
  const steps: Step[] = [];
  const indexOf = (id: string, line: number) => {
    const index = participants.findIndex((participant) => participant.id === id);
    if (index < 0) throw new Error(`line ${line}: no participant ${id}`);
    return index;
  };
  for (const [number, line] of source
    .split('\n')
    .map((text) => text.trim())
    .entries()) {
    if (line === '' || line === 'sequenceDiagram') continue;
    const participant = /^participant (\w+)(?: as (.+))?$/.exec(line);
    const note = /^Note over (\w+)(?:,(\w+))?: (.+)$/.exec(line);
    const message = /^(\w+)(--?>>)(\w+): (.+)$/.exec(line);
    if (participant) {
      const [, id = '', label = id] = participant;
      participants.push({ id, label });
    } else if (note) {
      const [, first = '', last = first, text = ''] = note;
      steps.push({ kind: 'note', from: indexOf(first, number + 1), to: indexOf(last, number + 1), text });
    } else if (message) {
      const [, from = '', arrow, to = '', text = ''] = message;
      const [start, end] = [indexOf(from, number + 1), indexOf(to, number + 1)];
      steps.push({ kind: 'message', from: start, to: end, text, isReply: arrow === '-->>' });
    } else throw new Error(`line ${number + 1} of a sequence diagram: ${line}`);
  }
  return draw(participants, steps);
}

/** The lines of a text, broken at spaces and before slashes. */
function linesOf(text: string): readonly string[] {
  const lines = [''];
  for (const part of text.split(/(?<= )|(?=\/)/)) {
    const last = lines.at(-1) ?? '';
    if (last !== '' && (last + part).trimEnd().length > longestLine) lines.push(part);
    else lines[lines.length - 1] = last + part;
  }
  return lines.map((line) => line.trim());
}

const widthOf = (text: string) => Math.max(...linesOf(text).map((line) => line.length)) * characterWidth + padding;

/** The distances between participants: as wide as the texts between them need. */
function columnsOf(participants: readonly Participant[], steps: readonly Step[]): { x: number[]; width: number } {
  const gaps = participants.map((participant, index) => {
    const next = participants[index + 1];
    return next === undefined ? 0 : (widthOf(participant.label) + widthOf(next.label)) / 2 + margin;
  });
  let right = widthOf(participants.at(-1)?.label ?? '') / 2 + margin;
  for (const { kind, from, to, text } of steps.toSorted((a, b) => Math.abs(a.to - a.from) - Math.abs(b.to - b.from))) {
    const [low, high] = [Math.min(from, to), Math.max(from, to)];
    if (low === high) {
      const needed = kind === 'note' ? widthOf(text) / 2 : widthOf(text) + 16;
      if (low === participants.length - 1) right = Math.max(right, needed);
      else gaps[low] = Math.max(gaps[low] ?? 0, needed);
      continue;
    }
    const missing = widthOf(text) - gaps.slice(low, high).reduce((sum, gap) => sum + gap, 0);
    if (missing > 0)
      for (let index = low; index < high; index++) gaps[index] = (gaps[index] ?? 0) + missing / (high - low);
  }
  let at = widthOf(participants[0]?.label ?? '') / 2 + margin;
  const x = gaps.map((gap) => {
    const here = at;
    at += gap;
    return here;
  });
  return { x, width: (x.at(-1) ?? 0) + right };
}

/** A text of several lines, of which the last one has its baseline at `y`. */
function texts(text: string, x: number, y: number, className = ''): string {
  const lines = linesOf(text);
  return lines
    .map((line, index) => {
      const attribute = className === '' ? '' : ` class="${className}"`;
      return `<text${attribute} x="${x}" y="${y - (lines.length - 1 - index) * lineHeight}">${escaped(line)}</text>`;
    })
    .join('');
}

function draw(participants: readonly Participant[], steps: readonly Step[]): string {
  const { x, width } = columnsOf(participants, steps);
  const at = (index: number) => x[index] ?? 0;
  const drawn: string[] = [];
  let y = margin + headHeight + 6;
  for (const step of steps) {
    const [from, to] = [at(step.from), at(step.to)];
    const middle = (from + to) / 2;
    const height = linesOf(step.text).length * lineHeight;
    y += height + 18;
    if (step.kind === 'note') {
      const half = Math.max(widthOf(step.text), Math.abs(to - from) + padding) / 2;
      drawn.push(
        `<rect class="note" x="${middle - half}" y="${y - height - 8}" width="${half * 2}" height="${height + 10}" rx="4"/>`,
        texts(step.text, middle, y - 6),
      );
    } else if (step.from === step.to)
      drawn.push(
        `<path class="arrow" d="M${from} ${y - 12}h16v12h-14" marker-end="url(#arrow)"/>`,
        texts(step.text, from + 24, y - 2, 'self'),
      );
    else
      drawn.push(
        `<line class="${step.isReply ? 'arrow reply' : 'arrow'}" x1="${from}" y1="${y}" x2="${to + (to > from ? -2 : 2)}" y2="${y}" marker-end="url(#arrow)"/>`,
        texts(step.text, middle, y - 6),
      );
  }
  const height = y + margin * 2;
  const heads = participants.flatMap(({ label }, index) => {
    const half = widthOf(label) / 2;
    return [
      `<line class="lifeline" x1="${at(index)}" y1="${margin + headHeight}" x2="${at(index)}" y2="${height - margin}"/>`,
      `<rect class="box" x="${at(index) - half}" y="${margin}" width="${half * 2}" height="${headHeight}" rx="6"/>`,
      `<text class="name" x="${at(index)}" y="${margin + 22}">${escaped(label)}</text>`,
    ];
  });
  const names = participants.map(({ label }) => label).join(', ');
  return (
    `<svg class="diagram sequence" xmlns="http://www.w3.org/2000/svg" role="img" aria-label="Sequence of requests between ${escaped(names)}" ` +
    `viewBox="0 0 ${Math.ceil(width)} ${height}" style="max-width:${Math.ceil(width)}px">` +
    '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto-start-reverse">' +
    `<path class="head" d="M0 0 8 4 0 8Z"/></marker></defs>${[...heads, ...drawn].join('')}</svg>`
  );
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;').replaceAll('{', '&#123;');
