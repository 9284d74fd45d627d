interface Family {
  readonly name: string;
  /** HELP and TYPE. */
  readonly head: string[];
  type: string;
  /** Values by the text before them: name and labels. */
  readonly series: Map<string, number>;
}

/** The metrics of the next servers of the chain. */
interface NextExposition {
  readonly text: string;
  /** The name of the next server, if it runs in another process: the label `component` of the metrics of its process. */
  readonly component: string | undefined;
}

/**
 * Merges the metrics of a server and of the next servers. Counters are added up; for other metrics the first server's value is used. Metrics of a
 * process are shown for each process, those of the next ones with the label `component`.
 * The text format is that of Prometheus: https://prometheus.io/docs/instrumenting/exposition_formats/
 */
export function mergeExpositions(own: string, next: NextExposition): string {
  const families = new Map<string, Family>();
  for (const family of parse(own)) add(families, family);
  for (const family of parse(next.text)) {
    if (!ofProcess.test(family.name)) add(families, family);
    else if (next.component !== undefined) add(families, labelled(family, 'component', next.component));
  }
  return [...families.values()].map(format).join('\n');
}

/**
 * The metrics of several processes that serve one service, as those of one server: what is counted is added up, and a value of one process has the
 * label `worker`, by which it can be told from those of the others. In the order of the workers.
 */
export function mergeWorkers(texts: readonly { readonly worker: number; readonly text: string }[]): string {
  const families = new Map<string, Family>();
  for (const { worker, text } of texts.toSorted((a, b) => a.worker - b.worker))
    for (const family of parse(text))
      add(families, isCounted(family) ? family : labelled(family, 'worker', String(worker)));
  return [...families.values()].map(format).join('\n');
}

const isCounted = ({ type }: Family): boolean => type === 'counter' || type === 'histogram' || type === 'summary';

const ofProcess = /^(?:process|nodejs)_/;

/** `a{b="c"} 1` and `a 1` with one more label. A series that has the label keeps it: that of a process further behind. */
function labelled(family: Family, label: 'component' | 'worker', value: string): Family {
  const added = `${label}="${value}"`;
  const present = new RegExp(`[{,]${label}="`);
  const series = [...family.series].map(([key, count]): [string, number] => {
    if (present.test(key)) return [key, count];
    return [key.endsWith('}') ? `${key.slice(0, -1)},${added}}` : `${key}{${added}}`, count];
  });
  return { ...family, series: new Map(series) };
}

function add(families: Map<string, Family>, family: Family): void {
  const present = families.get(family.name);
  if (present === undefined) {
    families.set(family.name, family);
    return;
  }
  const counts = isCounted(present);
  for (const [key, value] of family.series) {
    const before = present.series.get(key);
    if (before === undefined) present.series.set(key, value);
    else if (counts) present.series.set(key, before + value);
  }
}

function* parse(text: string): Generator<Family> {
  let current: Family | undefined;
  for (const line of text.split('\n')) {
    if (line === '') continue;
    if (line.startsWith('#')) {
      const [, word, name = '', ...rest] = line.split(' ');
      if (current?.name !== name) {
        if (current !== undefined) yield current;
        current = { name, head: [], type: '', series: new Map() };
      }
      current.head.push(line);
      if (word === 'TYPE') current.type = rest.join(' ');
      continue;
    }
    const space = line.lastIndexOf(' ');
    current?.series.set(line.slice(0, space), numberOf(line.slice(space + 1)));
  }
  if (current !== undefined) yield current;
}

function numberOf(text: string): number {
  if (text === '+Inf') return Infinity;
  return text === '-Inf' ? -Infinity : Number(text);
}

function textOf(value: number): string {
  if (Number.isFinite(value)) return String(value);
  if (Number.isNaN(value)) return 'Nan';
  return value > 0 ? '+Inf' : '-Inf';
}

function format({ head, series }: Family): string {
  const lines = [...series].map(([key, value]) => `${key} ${textOf(value)}`);
  return `${[...head, ...lines].join('\n')}\n`;
}
