import type { Pod } from '@apichain/api/core/v1';
import { type DurationError, parseDurationMs } from '@apichain/go-text';
import { didYouMean, errorMessage, isRecord, parseJson, parseQuantity } from '@apichain/meta';

/** The prefix of every label and annotation of the simulation. */
export const prefix = 'simulate.apichain.dev/';

/** What shall happen to a container. Durations are in milliseconds. */
export interface ContainerIntention {
  /** The exit code of the container. With it, or with `after`, the container exits. */
  readonly 'exit-code'?: number;
  /** How long the container runs before it exits. */
  readonly after?: number;
  /** How many times the container exits; after that it runs on. */
  readonly times?: number;
  /** The reason in its terminated state, such as `OOMKilled`. */
  readonly 'exit-reason'?: string;
  /** How long after its start the container becomes ready. */
  readonly ready?: number | 'never';
  /** How long before the container starts. */
  readonly start?: number | 'never';
  /** How long its image is pulled. */
  readonly 'image-pull'?: number | 'fails';
  /** How long the container needs to stop. */
  readonly stop?: number | 'never';
  /** The text of its log. */
  readonly log?: string;
  /** What commands print, by command line. */
  readonly exec?: Readonly<Record<string, string>>;
  /** The body that its ports return for HTTP requests. */
  readonly http?: string;
  /** Its usage, in cores and in bytes. */
  readonly cpu?: number;
  readonly memory?: number;
}

/** What shall happen to a pod, by its annotations. */
export interface Intentions {
  readonly ofContainer: (name: string) => ContainerIntention;
  /** How long after its start the pod is evicted, in milliseconds. */
  readonly evictAfter: number | undefined;
  /** Annotations that say nothing that can be done, a line each. */
  readonly problems: readonly string[];
}

/** Reads a value. Throws Error that says what is accepted. */
type Reader<Value> = (text: string) => Value;

function duration(text: string): number {
  try {
    const milliseconds = parseDurationMs(text);
    if (milliseconds >= 0) return milliseconds;
  } catch (error) {
    throw new Error(`it must be a duration such as 3s: ${(error as DurationError).message}`);
  }
  throw new Error('it must be a duration such as 3s, and not negative');
}

const durationOr =
  <Word extends string>(word: Word): Reader<number | Word> =>
  (text) => {
    if (text === word) return word;
    try {
      return duration(text);
    } catch {
      throw new Error(`it must be ${word}, or a duration such as 3s`);
    }
  };

const whole =
  (most: number): Reader<number> =>
  (text) => {
    if (/^\d{1,9}$/.test(text) && Number(text) <= most) return Number(text);
    throw new Error(`it must be a whole number from 0 to ${most}`);
  };

const amount: Reader<number> = (text) => {
  try {
    return parseQuantity(text).asApproximateFloat();
  } catch {
    throw new Error('it must be a quantity such as 250m or 64Mi');
  }
};

const plain: Reader<string> = (text) => text;

function commands(text: string): Readonly<Record<string, string>> {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    throw new Error(`it must be a JSON object from command lines to outputs: ${errorMessage(error)}`);
  }
  if (!isRecord(value) || !Object.values(value).every((output) => typeof output === 'string'))
    throw new Error('it must be a JSON object from command lines to outputs');
  return value as Record<string, string>;
}

/** The annotations for containers. Each may name one container: `exit-code.main`. */
const readers: { readonly [Name in keyof ContainerIntention]-?: Reader<NonNullable<ContainerIntention[Name]>> } = {
  'exit-code': whole(255),
  after: duration,
  times: whole(1_000_000),
  'exit-reason': plain,
  ready: durationOr('never'),
  start: durationOr('never'),
  'image-pull': durationOr('fails'),
  stop: durationOr('never'),
  log: plain,
  exec: commands,
  http: plain,
  cpu: amount,
  memory: amount,
};
const evictAfter = 'evict-after';
/** The names of all annotations, without their prefix. */
export const annotationNames: readonly string[] = [...Object.keys(readers), evictAfter];

const nothing: ContainerIntention = {};
const noIntentions: Intentions = { ofContainer: () => nothing, evictAfter: undefined, problems: [] };

/** What an annotation without the name of a container says about regular containers only: init containers and sidecars run as they do otherwise. */
const lifetime = ['exit-code', 'after', 'times', 'exit-reason', 'ready'] as const;

/** Reads the annotations of a pod. What cannot be read is a problem, and has no effect. */
export function intentionsOf({ metadata, spec }: Pod): Intentions {
  const entries = Object.entries(metadata.annotations ?? {}).filter(([key]) => key.startsWith(prefix));
  if (entries.length === 0) return noIntentions;
  const regular = new Set((spec?.containers ?? []).map(({ name = '' }) => name));
  const others = [...(spec?.initContainers ?? []), ...(spec?.ephemeralContainers ?? [])].map(({ name = '' }) => name);
  const containers = new Set([...regular, ...others]);
  const problems: string[] = [];
  const forAll: Record<string, unknown> = {};
  const forOne = new Map<string, Record<string, unknown>>();
  let evicted: number | undefined;
  for (const [key, value] of entries) {
    const [name = '', container] = splitOnce(key.slice(prefix.length));
    const read = Object.hasOwn(readers, name) ? readers[name as keyof ContainerIntention] : undefined;
    try {
      if (name === evictAfter && container === undefined) evicted = duration(value);
      else if (read === undefined) throw new Error(`there is no such annotation${didYouMean(name, annotationNames)}`);
      else if (container === undefined) forAll[name] = read(value);
      else if (!containers.has(container)) throw new Error(`the pod has no container ${container}`);
      else forOne.set(container, { ...forOne.get(container), [name]: read(value) });
    } catch (error) {
      problems.push(`annotation ${key}: ${errorMessage(error)}`);
    }
  }
  const forOthers: Record<string, unknown> = { ...forAll };
  for (const name of lifetime) delete forOthers[name];
  return {
    ofContainer: (name) => ({ ...(regular.has(name) ? forAll : forOthers), ...forOne.get(name) }),
    evictAfter: evicted,
    problems,
  };
}

function splitOnce(text: string): [string, string | undefined] {
  const dot = text.indexOf('.');
  return dot === -1 ? [text, undefined] : [text.slice(0, dot), text.slice(dot + 1)];
}
