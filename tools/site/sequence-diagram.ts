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
      readonly isAnswer: boolean;
    }
  | { readonly kind: 'note'; readonly from: number; readonly to: number; readonly text: string };

const rowHeight = 34;
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
      steps.push({ kind: 'message', from: start, to: end, text, isAnswer: arrow === '-->>' });
    } else throw new Error(`line ${number + 1} of a sequence diagram: ${line}`);
  }
  return draw(participants, steps);
}

const widthOf = (text: string) => text.length * characterWidth + padding;

/** The distances between participants: as wide as the texts between them need. */
function columnsOf(participants: readonly Participant[], steps: readonly Step[]): { x: number[]; width: number } {
  const gaps = participants.map((participant, index) => {
    const next = participants[index + 1];
    return next === undefined ? 0 : (widthOf(participant.label) + widthOf(next.label)) / 2 + margin;
  });
  let right = widthOf(participants.at(-1)?.label ?? '') / 2 + margin;
  for (const { kind, from, to, text } of steps.toSorted((a, b) => Math.abs(a.to - a.from) - Math.abs(b.to - b.from))) {
    const [low, high] = [Math.min(from, to), Math.max(from, to)];
    if (kind === 'message' && low === high) {
      if (low === participants.length - 1) right = Math.max(right, widthOf(text) + 30);
      else gaps[low] = Math.max(gaps[low] ?? 0, Math.min(widthOf(text) + 40, 240));
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

function draw(participants: readonly Participant[], steps: readonly Step[]): string {
  const { x, width } = columnsOf(participants, steps);
  const at = (index: number) => x[index] ?? 0;
  const height = headHeight + margin * 2 + (steps.length + 0.5) * rowHeight;
  const parts: string[] = [];
  for (const [index, { label }] of participants.entries()) {
    const half = widthOf(label) / 2;
    parts.push(
      `<line class="lifeline" x1="${at(index)}" y1="${margin + headHeight}" x2="${at(index)}" y2="${height - margin}"/>`,
      `<rect class="box" x="${at(index) - half}" y="${margin}" width="${half * 2}" height="${headHeight}" rx="6"/>`,
      `<text class="name" x="${at(index)}" y="${margin + 22}">${escaped(label)}</text>`,
    );
  }
  for (const [row, step] of steps.entries()) {
    const y = margin + headHeight + (row + 1) * rowHeight;
    const [from, to] = [at(step.from), at(step.to)];
    const middle = (from + to) / 2;
    if (step.kind === 'note') {
      const half = Math.max(widthOf(step.text), to - from + padding) / 2;
      const left = Math.max(middle - half, 2);
      parts.push(
        `<rect class="note" x="${left}" y="${y - 20}" width="${half * 2}" height="26" rx="4"/>`,
        `<text x="${left + half}" y="${y - 3}">${escaped(step.text)}</text>`,
      );
    } else if (step.from === step.to)
      parts.push(
        `<path class="arrow" d="M${from} ${y - 12}h16v12h-14" marker-end="url(#arrow)"/>`,
        `<text class="self" x="${from + 24}" y="${y - 2}">${escaped(step.text)}</text>`,
      );
    else
      parts.push(
        `<line class="${step.isAnswer ? 'arrow answer' : 'arrow'}" x1="${from}" y1="${y}" x2="${to + (to > from ? -2 : 2)}" y2="${y}" marker-end="url(#arrow)"/>`,
        `<text x="${middle}" y="${y - 6}">${escaped(step.text)}</text>`,
      );
  }
  const label = participants.map((participant) => participant.label).join(', ');
  return (
    `<svg class="diagram sequence" xmlns="http://www.w3.org/2000/svg" role="img" aria-label="Sequence of requests between ${escaped(label)}" ` +
    `viewBox="0 0 ${Math.ceil(width)} ${height}" style="max-width:${Math.ceil(width)}px">` +
    '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto-start-reverse">' +
    `<path class="head" d="M0 0 8 4 0 8Z"/></marker></defs>${parts.join('')}</svg>`
  );
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;').replaceAll('{', '&#123;');
