import { isMap, isScalar, isSeq, LineCounter, parseDocument, type Node } from 'yaml';

/** A step of a path: the name of a field, the index in a list, or the fields of an item (`name="web"`). */
type Step = string | number | Readonly<Record<string, string>>;

/**
 * The steps of a field's path as the API writes it, in causes of a Status and in conflicts of server-side apply: `.name`, `[0]`, `[key]`,
 * `[name="web",port=80]`, `[="value"]`.
 */
function stepsOf(field: string): readonly Step[] {
  const steps: Step[] = [];
  for (let at = 0; at < field.length;) {
    const [opening] = field.slice(at, at + 1);
    const closing = opening === '[' ? field.indexOf(']', at) : -1;
    if (closing >= 0) {
      steps.push(stepIn(field.slice(at + 1, closing)));
      at = closing + 1;
    } else {
      const end = endOfName(field, at);
      if (end > at) steps.push(field.slice(at, end));
      at = Math.max(end, at + 1);
    }
  }
  return steps;
}

const separators = '.[]';

function endOfName(field: string, from: number): number {
  let end = from;
  while (end < field.length && !separators.includes(field.charAt(end))) end++;
  return end;
}

/** What is between brackets. */
function stepIn(text: string): Step {
  if (/^\d+$/.test(text)) return Number(text);
  if (!text.includes('=')) return text;
  const fields: Record<string, string> = {};
  for (let at = 0; at < text.length;) {
    const equals = text.indexOf('=', at);
    if (equals < 0) break;
    const end = endOfValue(text, equals + 1);
    fields[text.slice(at, equals)] = unquoted(text.slice(equals + 1, end));
    at = end + 1;
  }
  return fields;
}

/** Where a value ends that begins at a place: at a comma, or behind its closing quotation mark. */
function endOfValue(text: string, from: number): number {
  let isQuoted = false;
  for (let at = from; at < text.length; at++) {
    const character = text.charAt(at);
    if (isQuoted && character === '\\') at++;
    else if (character === '"') isQuoted = !isQuoted;
    else if (character === ',' && !isQuoted) return at;
  }
  return text.length;
}

/** Go writes some characters in a way that JSON does not know: such a value is compared as it is. */
function unquoted(value: string): string {
  if (!value.startsWith('"')) return value;
  try {
    return String(JSON.parse(value));
  } catch {
    return value;
  }
}

/** Returns a function that finds the line of a field, from 1: that of the nearest field above when it is missing, undefined when the text has no part of it. */
export function fieldLines(text: string): (field: string) => number | undefined {
  const counter = new LineCounter();
  const { contents } = parseDocument(text, { lineCounter: counter, version: '1.1' });
  return (field) => {
    let node: unknown = contents;
    let at: number | undefined;
    for (const one of stepsOf(field)) {
      const next = below(node, one);
      if (next === undefined) break;
      at = next.at;
      node = next.node;
    }
    return at === undefined ? undefined : counter.linePos(at).line;
  };
}

interface Found {
  readonly node: unknown;
  readonly at: number;
}

function below(node: unknown, one: Step): Found | undefined {
  if (isMap(node)) {
    const name = typeof one === 'object' ? '' : String(one);
    const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === name);
    return pair === undefined ? undefined : { node: pair.value, at: startOf(pair.key) };
  }
  if (!isSeq(node)) return undefined;
  const item =
    typeof one === 'number'
      ? node.items[one]
      : node.items.find((candidate) => typeof one === 'object' && isSelected(candidate, one));
  return item === undefined ? undefined : { node: item, at: startOf(item) };
}

function isSelected(item: unknown, wanted: Readonly<Record<string, string>>): boolean {
  return Object.entries(wanted).every(([key, value]) => {
    const found = key === '' ? item : isMap(item) ? item.get(key, true) : undefined;
    return isScalar(found) && String(found.value) === value;
  });
}

const startOf = (node: unknown): number => (node as Node).range?.[0] ?? 0;
