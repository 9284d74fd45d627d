import { isMap, isScalar, isSeq, LineCounter, parseDocument, type Node } from 'yaml';

/** A step of a path: the name of a field, the index in a list, or the fields of an item (`name="web"`). */
type Step = string | number | Readonly<Record<string, string>>;

/** `.name`, `[0]`, `[key]`, `[name="web",port=80]`, `[="value"]` */
const step = /\.?([^.[\]]+)|\[([^\]]*)\]/g;
const selector = /([\w.-]*)=("(?:[^"\\]|\\.)*"|[^,]*)/g;

/** The steps of a field's path as the API writes it, in causes of a Status and in conflicts of server-side apply. */
function stepsOf(field: string): readonly Step[] {
  return [...field.matchAll(step)].map(([, name, inner = '']): Step => {
    if (name !== undefined) return name;
    if (/^\d+$/.test(inner)) return Number(inner);
    if (!inner.includes('=')) return inner;
    return Object.fromEntries([...inner.matchAll(selector)].map(([, key = '', value = '']) => [key, unquoted(value)]));
  });
}

const unquoted = (value: string): string => (value.startsWith('"') ? String(JSON.parse(value)) : value);

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
