import { isRecord } from '@apichain/meta';

/** The parts of the API that scenarios belong to, in the order of the report. */
export const areas = [
  'discovery',
  'reads',
  'watches',
  'writes',
  'patches',
  'apply',
  'crds',
  'custom-resources',
  'admission',
  'rbac',
  'errors',
  'kinds',
] as const;
export type Area = (typeof areas)[number];

/** What steps saved, by name, beside the variables of the run (see `runVariables` in run-scenario.ts). */
export type Variables = Readonly<Record<string, unknown>>;

/**
 * One request and how its answer is compared. Every string may hold `{{NAME}}`: a variable of the run (`run`, `ns`, `webhook`,
 * `webhookCa`) or a value that an earlier step saved. A string that is only `{{NAME}}` becomes the saved value with its type.
 */
export interface Step {
  /** Unique in its scenario; the report and the known differences name steps by it. */
  readonly name: string;
  /** RECEIVED is no request: its answer is what the webhook at `path` received from the server since the scenario began. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'RECEIVED';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Beside `accept: application/json` and the content type that follows from the method (PATCH: merge patch). */
  readonly headers?: Readonly<Record<string, string>>;
  /** A text is sent as it is, anything else as JSON. A function makes the body from what was saved. */
  readonly body?: unknown;
  /** `user` is an impersonated user without rights of its own: `conformance-RUN-user`. Default: admin. */
  readonly as?: 'admin' | 'user' | 'anonymous';
  /** Variables to save, each from a path in the answer's body such as `metadata.uid` or `items.0.kind`; '' is the whole body. */
  readonly save?: Readonly<Record<string, string>>;
  /** Repeats the request until the answer is like this, at most ten seconds; the last answer counts. */
  readonly until?: { readonly status?: number; readonly path?: string; readonly equals?: unknown };
  /** Opens a watch, takes `during` when it is open, and ends after so many events or after three seconds. */
  readonly watch?: { readonly events: number; readonly during?: readonly Step[] };
  /** Cuts an answer down to what does not depend on the cluster's other users. */
  readonly select?: (body: unknown) => unknown;
}

export interface Scenario {
  readonly area: Area;
  /** Unique among all scenarios. */
  readonly name: string;
  /** False: no namespace is made for it. Where one is, it is `{{ns}}`. */
  readonly namespaced?: boolean;
  readonly steps: readonly Step[];
}

/** The body of a step that is made from saved values. */
export type BodyOf = (variables: Variables) => unknown;

/** The value at a path of members and indexes, separated by dots; undefined where there is none. '' is the value itself. */
export function valueAt(value: unknown, path: string): unknown {
  if (path === '') return value;
  return path.split('.').reduce<unknown>((node, member) => {
    if (Array.isArray(node)) return node[Number(member)];
    return isRecord(node) ? node[member] : undefined;
  }, value);
}

/**
 * Puts variables into every string of a value; members of objects included. Throws Error for a variable that does not exist: a
 * scenario names one that no step saves.
 */
export function substitute(value: unknown, variables: Variables): unknown {
  if (typeof value === 'string') return substituteText(value, variables);
  if (Array.isArray(value)) return value.map((item) => substitute(item, variables));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [inText(name, variables), substitute(item, variables)]),
  );
}

/** As `substitute`, for what has to be a text. */
export function inText(text: string, variables: Variables): string {
  return text.replace(/\{\{(\w+)\}\}/g, (_all, name: string) => {
    const value = variableOf(name, variables);
    return typeof value === 'string' ? value : JSON.stringify(value);
  });
}

function substituteText(text: string, variables: Variables): unknown {
  const only = /^\{\{(\w+)\}\}$/.exec(text)?.[1];
  return only === undefined ? inText(text, variables) : variableOf(only, variables);
}

function variableOf(name: string, variables: Variables): unknown {
  if (!Object.hasOwn(variables, name)) throw new Error(`no step saves {{${name}}}`);
  return variables[name];
}
